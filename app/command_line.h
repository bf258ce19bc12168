#pragma once

#include "app/arguments.h"
#include "app/command.h"

namespace drover::app {

// What the user asked for. Options of the whole program may stand before or after the command's name.
struct CommandLine {
    enum class Kind { Command, Help, Version };

    Kind kind = Kind::Help;
    const Command *command = nullptr; // of Help: the command to explain, or null
    QString group{}; // of Help: the first word of the commands to list, "cron"; or empty
    std::optional<Arguments> arguments{}; // of Command

    // `arguments` begins with the program. Throws UsageError.
    static CommandLine parse(const QStringList &arguments);
};

// The options that every command has.
QList<QCommandLineOption> globalOptions();

} // namespace drover::app
