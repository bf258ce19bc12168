#pragma once

#include "app/command.h"

namespace drover::app {

// One function a file: the description of the command, which leads to its code.
Command queueLs();

} // namespace drover::app
