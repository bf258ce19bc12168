#pragma once

#include "app/commands/registry.h"

namespace drover::app {

// The commands of the program drover-bench.
QList<CommandGroup> benchCommands();

// One function for each command, as in app/commands/commands.h.
Command benchLock();
Command benchJobs();
Command benchLatency();
Command benchSubmit();
Command benchFailover();
Command benchAppend();
Command benchRecipes();
Command labLocks();
Command labElection();
Command labBarrier();
Command labQueue();
Command labCompare();

} // namespace drover::app
