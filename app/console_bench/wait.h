#pragma once

#include <chrono>
#include <functional>

namespace drover::app {

// Handles the events of this thread until `isDone`. Throws std::runtime_error, which names `what`, after `limit`.
void waitFor(const std::function<bool()> &isDone, const char *what,
             std::chrono::seconds limit = std::chrono::minutes(5));

// Handles them for so long.
void goOnFor(std::chrono::milliseconds time);

} // namespace drover::app
