#pragma once

#include "app/commands/registry.h"

namespace drover::app {

// The main() of a program with these commands: runs the command that the arguments name, and returns the exit code.
int runProgram(int argc, char **argv, QList<CommandGroup> commands);

} // namespace drover::app
