#pragma once

#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <chrono>
#include <optional>

namespace drover::jobs {

// That nothing is claimed in the cluster, because too many final records wait for its history: the JSON of the node
// backpressure. The master makes the node and deletes it; it is ephemeral, so that it goes with its master.
struct Backpressure {
    QString reason; // one line
    std::chrono::milliseconds since{}; // Unix epoch

    QByteArray encode() const;
    // One that cannot be read is one all the same.
    static Backpressure of(const QByteArray &bytes);
};

// Nothing while jobs are claimed. Waits out lost connections; throws SessionLost.
async::Task<std::optional<Backpressure>> backpressureOn(zk::Coordinator &zk, Layout layout);

} // namespace drover::jobs
