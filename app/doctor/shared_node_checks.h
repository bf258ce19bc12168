#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Finds locks and limits whose node has an ACL that keeps a role from it, because another program has made it. Jobs
// that need one wait for it in vain. It reads the ACLs of at most a thousand of each. Throws SessionLost,
// ConnectionLoss, and AccessDenied if it may not list them.
async::Task<void> checkSharedNodes(jobs::Cluster cluster, Findings &findings);

} // namespace drover::app
