#include "async/first_of.h"

#include "async/future.h"
#include "async/task_group.h"

namespace drover::async {

namespace {

using End = std::shared_ptr<Promise<std::monostate>>;

// The end is posted, because its waiter destroys the tasks, and none of them may be running then.
Task<void> announce(Loop &loop, Task<void> task, End end)
{
    co_await task;
    loop.post([end] { end->set({}); });
}

} // namespace

Task<void> firstOf(Loop &loop, std::vector<Task<void>> tasks)
{
    const End end = std::make_shared<Promise<std::monostate>>();
    const Future<std::monostate> ended = end->future();
    TaskGroup group([&loop, end](const std::exception_ptr &error) { loop.post([end, error] { end->fail(error); }); });
    for (Task<void> &task : tasks)
        group.spawn(announce(loop, std::move(task), end));
    co_await ended;
}

} // namespace drover::async
