#pragma once

#include "app/cli/command.h"

#include <QByteArray>
#include <QStringList>

namespace drover::app {

// The man pages of this program's commands, made of the same descriptions as their help. Commands with the same first
// word share a page: "drover-worker" has `worker` and `worker ls`. Commands for Drover's own use have none. The page
// "drover" lists all commands; a companion program has no such page.

// The names of the pages, without their section, which is 1.
QStringList manualPageNames();

// The page of a program of its own that one description tells all of, such as drover-console.
QByteArray programPage(const QString &program, const Command &command);

// The page in roff, UTF-8. `name` must be one of manualPageNames().
QByteArray manualPage(const QString &name);

} // namespace drover::app
