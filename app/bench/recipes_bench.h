#pragma once

#include "app/bench/bench_server.h"
#include "app/bench/peer.h"

namespace drover::app {

struct RecipesBenchOptions {
    std::chrono::milliseconds duration{5000}; // of each measurement
    std::vector<Peer> peers;
    zk::Path root; // everything is below it
};

// One line of the comparison: "lock", its parameters, what is compared, our figure, each peer's, and the ratio to it,
// which is better the greater it is:
//
//     {"work": "lock", "clients": 8, "rtt_ms": 10, "unit": "per_s", "drover": 85, "curator": 40, "curator_ratio": 2.1}
//
// A peer that could not do it has its reason under "curator_error".
using RecipesBenchRow = QJsonObject;

// Each work done by us and by the peers, one after the other, on the same server with the same injected round trip.
// `progress` is told what is about to be measured.
async::Task<QList<RecipesBenchRow>> measureRecipes(BenchServer &server, RecipesBenchOptions options,
                                                   std::function<void(const QString &)> progress);

} // namespace drover::app
