#pragma once

#include "app/cli/command.h"

#include <QStringList>

namespace drover::app {

// Commands that another program carries out: `drover bench ...` runs drover-bench with the same arguments.
struct CompanionProgram {
    const char *word; // the first of these commands' names
    const char *file;
    const char *summary; // one line
};

// Commands that the help shows together. Commands in a group without a title are for Drover's own use.
struct CommandGroup {
    const char *title;
    QList<Command> commands;
    QList<CompanionProgram> companions{};
};

// Sets the commands of this program, in the order of the help. main() calls it once, before all functions below.
void setCommandGroups(QList<CommandGroup> groups);

const QList<CommandGroup> &commandGroups();

// All commands of this program.
const QList<Command> &commands();

const Command *findCommand(const QString &name);

// The second words of the commands that begin with `word`.
QStringList secondWords(const QString &word);

// The companion program for commands whose names begin with `word`; null if there is none.
const CompanionProgram *findCompanion(const QString &word);

// The commands that a misspelt `name` probably means: at most three, the nearest first.
QStringList nearestCommands(const QString &name);

} // namespace drover::app
