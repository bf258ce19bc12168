#pragma once

#include "async/event.h"
#include "async/task.h"

namespace drover::async {

// Event::wait() as a task, for what takes tasks: firstOf, orTimeout. The event outlives it.
inline Task<void> untilSet(Event &event)
{
    co_await event.wait();
}

} // namespace drover::async
