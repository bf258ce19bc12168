#pragma once

#include "app/bench/figures.h"
#include "zk/coordinator.h"

namespace drover::app {

struct ElectionBenchOptions {
    zk::Path directory; // of the election; stays
    std::chrono::milliseconds duration{5000};
    std::chrono::milliseconds term{20}; // that each leads, time enough for the others to stand by
};

// Every session stands for election over and over, leads for a term and resigns; measured is the time from the
// resignation to the moment at which the next knows that it leads. Throws what the election throws, and
// std::logic_error if a later leader had a lower fencing token.
async::Task<Figures> measureElection(std::vector<zk::Coordinator *> sessions, ElectionBenchOptions options);

} // namespace drover::app
