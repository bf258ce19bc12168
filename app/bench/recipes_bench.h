#pragma once

#include "app/bench/peer.h"
#include "app/bench/setup/bench_server.h"

namespace drover::app {

struct RecipesBenchOptions {
    std::chrono::milliseconds duration{5000}; // of each measurement
    std::vector<Peer> peers;
    zk::Path root; // the parent of all nodes
};

// One line of the comparison: the work, its parameters, the unit, Drover's figure, and each peer's figure and ratio. A
// ratio above 1 means that Drover is better:
//
//     {"work": "lock", "clients": 8, "rtt_ms": 10, "unit": "per_s", "drover": 85, "curator": 40, "curator_ratio": 2.1}
//
// If a peer fails, its reason is under "curator_error".
using RecipesBenchRow = QJsonObject;

// Measures each work with Drover and with the peers, one after the other, on one server with one injected round trip.
// `progress` is called before each measurement, with its name.
async::Task<QList<RecipesBenchRow>> measureRecipes(BenchServer &server, RecipesBenchOptions options,
                                                   std::function<void(const QString &)> progress);

} // namespace drover::app
