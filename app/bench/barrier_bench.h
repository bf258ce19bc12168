#pragma once

#include "app/bench/figures/figures.h"
#include "zk/client.h"

namespace drover::app {

struct BarrierBenchOptions {
    zk::Path directory; // holds one barrier for each round; is not removed
    std::chrono::milliseconds duration{5000};
};

// Every session enters and leaves a double barrier in a loop. The measured times begin when the last session calls
// enter() or leave(), and end when all sessions are in or out. Throws the errors of the barrier.
async::Task<Figures> measureBarrier(std::vector<zk::Client *> sessions, BarrierBenchOptions options);

} // namespace drover::app
