#pragma once

#include "app/bench/figures.h"
#include "zk/coordinator.h"

namespace drover::app {

struct QueueBenchOptions {
    zk::Path directory; // the queue; it stays, empty
    std::chrono::milliseconds duration{5000};
    int producers = 1; // the first sessions; the others consume
    int batch = 1; // items offered, and taken, at a time
};

// Producers offer items of 100 bytes, consumers take them, with at most some thousand under way; measured is the rate
// of deliveries and the time of each item in the queue. Throws what the queue throws, and std::logic_error if an item
// was delivered twice.
async::Task<Figures> measureQueue(std::vector<zk::Coordinator *> sessions, QueueBenchOptions options);

} // namespace drover::app
