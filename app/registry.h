#pragma once

#include "app/command.h"

#include <QStringList>

namespace drover::app {

// All commands in the order of the help.
const QList<Command> &commands();

const Command *findCommand(const QString &name);

// Names that `name` may have been meant to be, the nearest first; at most three.
QStringList nearestCommands(const QString &name);

} // namespace drover::app
