#pragma once

#include "app/bench/figures.h"
#include "zk/coordinator.h"

namespace drover::app {

struct BarrierBenchOptions {
    zk::Path directory; // of the barriers, one a round; stays
    std::chrono::milliseconds duration{5000};
};

// Every session enters and leaves a double barrier in a loop; measured is what the last one waits, for whom nobody is
// missing: from its asking until the last is in, and out. Throws what the barrier throws.
async::Task<Figures> measureBarrier(std::vector<zk::Coordinator *> sessions, BarrierBenchOptions options);

} // namespace drover::app
