#pragma once

#include "jobs/model/cluster.h"

#include <chrono>
#include <optional>

namespace drover::jobs {

// Workers claim no jobs while the node throttle/claims exists, because too many final records wait for the history.
// This is its JSON. The master creates and deletes the node. It is ephemeral, so it is deleted when the master's
// session ends.
struct Backpressure {
    QString reason; // one line
    std::chrono::milliseconds since{}; // Unix epoch

    QByteArray encode() const;
    // Malformed bytes also give a Backpressure.
    static Backpressure of(const QByteArray &bytes);
    template <class Fields, class Record>
    static void fields(Fields &each, Record &pressure);
};

// Returns nothing while jobs are claimed. Waits out lost connections; throws SessionLost.
async::Task<std::optional<Backpressure>> backpressureOn(Cluster cluster);

} // namespace drover::jobs
