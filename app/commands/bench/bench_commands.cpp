#include "app/commands/bench/bench_commands.h"

#include "app/commands/commands.h"

namespace drover::app {

QList<CommandGroup> benchCommands()
{
    return {
        {"To see how it works", {labLocks(), labElection(), labBarrier(), labQueue(), labCompare()}},
        {"To see how fast it is",
         {benchLock(), benchJobs(), benchLatency(), benchSubmit(), benchFailover(), benchAppend(), benchRecipes()}},
        {nullptr, {complete(), manual()}},
    };
}

} // namespace drover::app
