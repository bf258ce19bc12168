#pragma once

#include "async/loop.h"
#include "async/task.h"

#include <vector>

namespace drover::async {

// Runs the tasks side by side until the first one ends, then cancels the others. Rethrows what that one threw.
Task<void> firstOf(Loop &loop, std::vector<Task<void>> tasks);

} // namespace drover::async
