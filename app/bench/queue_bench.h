#pragma once

#include "app/bench/figures/figures.h"
#include "zk/client.h"

namespace drover::app {

struct QueueBenchOptions {
    zk::Path directory; // of the queue; is left empty, not removed
    std::chrono::milliseconds duration{5000};
    int producers = 1; // so many first sessions; the others consume
    int batch = 1; // items per offer and per take
};

// Producers offer items of 100 bytes and consumers take them, with at most some thousand items in the queue. Measures
// the rate of deliveries and each item's time in the queue. Throws the errors of the queue, and std::logic_error if an
// item was delivered twice.
async::Task<Figures> measureQueue(std::vector<zk::Client *> sessions, QueueBenchOptions options);

} // namespace drover::app
