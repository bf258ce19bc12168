#pragma once

#include "async/loop.h"
#include "async/task.h"

#include <concepts>
#include <vector>

namespace drover::async {

// Runs the tasks concurrently until the first one ends, then cancels the others. If the first one threw, it rethrows
// that exception.
Task<void> firstOf(Loop &loop, std::vector<Task<void>> tasks);

// co_await firstOf(loop, a(), b());
template <std::same_as<Task<void>>... Others>
Task<void> firstOf(Loop &loop, Task<void> first, Others... others)
{
    std::vector<Task<void>> tasks;
    tasks.reserve(1 + sizeof...(others));
    tasks.push_back(std::move(first));
    (tasks.push_back(std::move(others)), ...);
    return firstOf(loop, std::move(tasks));
}

} // namespace drover::async
