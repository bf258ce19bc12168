#pragma once

#include "app/cli/arguments.h"
#include "app/commands/registry.h"

namespace drover::app {

// A parsed command line. Options of the whole program may stand before or after the command's name.
struct CommandLine {
    enum class Kind { Command, Companion, Help, Version };

    Kind kind = Kind::Help;
    const CompanionProgram *companion = nullptr; // for Companion: it gets the whole line
    const Command *command = nullptr; // for Help: the command to explain, or null
    QString group{}; // for Help: the first word of commands, "cron"; or empty
    std::optional<Arguments> arguments{}; // for Command

    // `arguments` begins with the program's name. Throws UsageError.
    static CommandLine parse(const QStringList &arguments);
};

} // namespace drover::app
