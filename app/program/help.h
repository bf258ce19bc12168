#pragma once

#include "app/cli/command.h"

namespace drover::app {

// What is true of all commands together, with the examples to begin with. It cannot be run.
const Command &wholeProgram();

// The help of the whole program, with a line for every command.
QString helpText();
QString helpText(const Command &command);
// The help of a program of its own that one description tells all of, such as drover-console.
QString programHelpText(const QString &program, const Command &command);
// The help of the commands whose first word is `word`: "cron".
QString groupHelpText(const QString &word);

// The exit codes of the command by their numbers, those that every command has included.
QList<Command::ExitMeaning> exitMeanings(const Command &command);

} // namespace drover::app
