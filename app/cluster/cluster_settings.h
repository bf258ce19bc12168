#pragma once

#include "app/environment/context.h"

#include <functional>

namespace drover::app {

// Changes the settings of the cluster, and returns the result. Concurrent changes of other clients, and fields that
// only a later version knows, are kept. Notes in the audit who did it. Throws the errors of `change`, ConnectionLoss
// and SessionLost.
async::Task<jobs::ClusterConfig> changeSettings(jobs::Cluster cluster,
                                                std::function<void(jobs::ClusterConfig &)> change);

} // namespace drover::app
