#pragma once

#include "app/bench/figures/figures.h"
#include "zk/client.h"

namespace drover::app {

struct ElectionBenchOptions {
    zk::Path directory; // of the election; is not removed
    std::chrono::milliseconds duration{5000};
    std::chrono::milliseconds term{20}; // long enough for the others to stand by
};

// Every session stands for election repeatedly, leads for a term and resigns. The measured time is from a resignation
// until the next leader knows that it leads. Throws the errors of the election, and std::logic_error if a later leader
// had a lower fencing token.
async::Task<Figures> measureElection(std::vector<zk::Client *> sessions, ElectionBenchOptions options);

} // namespace drover::app
