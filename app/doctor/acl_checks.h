#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"
#include "trust/credentials.h"

#include <memory>

namespace drover::app {

// Whether the nodes of a closed cluster have the access rights of this version's table (jobs/cluster/acl_table.h). An
// older version, or a person, may have given them others. It looks at the cluster's root and two levels below it, at
// most MostNodes nodes, and leaves the single locks and limits to shared_node_checks.h. What it may not read is passed
// over. Nothing without credentials (null). Throws SessionLost and ConnectionLoss.
inline constexpr std::size_t MostNodes = 1000;
async::Task<void> checkAcls(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                            Findings &findings);

} // namespace drover::app
