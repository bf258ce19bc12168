#pragma once

#include "app/context.h"

#include <functional>

namespace drover::app {

// Changes the settings of the cluster, and returns what they are then. What others change at the same time, and fields
// that only a later version knows, stay. Throws what `change` throws, ConnectionLoss, SessionLost.
async::Task<jobs::ClusterConfig> changeSettings(zk::Coordinator &zk, jobs::Layout layout,
                                                std::function<void(jobs::ClusterConfig &)> change);

} // namespace drover::app
