#pragma once

#include "async/task.h"
#include "support/virtual_loop.h"

#include <stdexcept>

namespace drover::test {

// The task waits for something that will never come: a lost wake-up, a deadlock.
class Stuck : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Runs `task` in virtual time and gives its result or throws its exception. Throws Stuck, which cancels the task, when
// nothing is left to do and it has not ended, or not within `limit` of virtual time.
template <typename T>
T runTask(VirtualLoop &loop, async::Task<T> task, async::Duration limit = std::chrono::hours(1))
{
    task.start(std::noop_coroutine()).resume();
    if (!loop.runUntil([&] { return task.done(); }, limit))
        throw Stuck(loop.runUntilIdle(async::Duration::zero()) ? "the loop is idle and the task has not ended"
                                                               : "the task has not ended within its limit of time");
    return task.take();
}

} // namespace drover::test
