#pragma once

#include <chrono>
#include <random>
#include <thread>

namespace drover::app {

// Waits a random 1 to 5 ms, so that clients do not retry in step. For services that cannot wake waiters.
inline void pauseBeforeRetry()
{
    thread_local std::minstd_rand random(std::random_device{}());
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(1000, 5000)(random)));
}

} // namespace drover::app
