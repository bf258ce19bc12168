#pragma once

#include "app/cli/command.h"

#include <span>
#include <utility>

namespace drover::app {

// The table: a command, and what comes before, after or instead of it, with commas between the names.
std::span<const std::pair<const char *, const char *>> neighbours();

// The commands that a reader of this one's help may need next: those of the table, and then those with the same first
// word. They are commands of this program, each once, without the command itself.
QList<const Command *> seeAlso(const Command &command);

} // namespace drover::app
