#pragma once

#include "app/command.h"

#include <QStringList>

namespace drover::app {

// Commands that the help shows together; those without a title are for Drover's own use.
struct CommandGroup {
    const char *title;
    QList<Command> commands;
};

// In the order of the help.
const QList<CommandGroup> &commandGroups();

// All of them.
const QList<Command> &commands();

const Command *findCommand(const QString &name);

// The second words of the commands that begin with `word`.
QStringList secondWords(const QString &word);

// Names that `name` may have been meant to be, the nearest first; at most three.
QStringList nearestCommands(const QString &name);

} // namespace drover::app
