#pragma once

#include "jobs/cluster/cluster_config.h"
#include "jobs/model/worker_info.h"

#include <optional>

namespace drover::app {

// What a worker says of itself; nothing if there is none of that id.
async::Task<std::optional<jobs::WorkerInfo>> workerInfoOf(jobs::Cluster cluster, QByteArray worker);

// Returns when a cordoned worker obeys its cordon and has no job any more, or is gone. A worker obeys after its last
// claim, so nothing comes after this has looked. Throws CommandError (WrongState) if the cordon is lifted meanwhile.
async::Task<void> untilDrained(jobs::Cluster cluster, QByteArray worker);

} // namespace drover::app
