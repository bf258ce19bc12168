#pragma once

#include "app/command.h"

namespace drover::app {

// The whole program: every command in a line.
QString helpText();
QString helpText(const Command &command);

} // namespace drover::app
