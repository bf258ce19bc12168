#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Compares this machine's clock with that of the servers, which stamp a node that lives for a moment. Who may not make
// it hears nothing. Throws SessionLost and ConnectionLoss.
async::Task<void> checkOwnClock(jobs::Cluster cluster, Findings &findings);

} // namespace drover::app
