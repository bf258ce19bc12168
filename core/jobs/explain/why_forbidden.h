#pragma once

#include "jobs/explain/explanation.h"
#include "jobs/model/cluster.h"
#include "jobs/model/queue_entry.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// Why no worker begins each of these jobs of a queue, as its ACL has it. Workers may not read the job's znode, or not
// write it. Who creates a znode chooses its ACL. The reasons are in the order of `entries`. There is none for a job
// that waits or is held, because it gets another znode before it begins. In an open cluster each client may be a
// worker, so there is one only for a znode that none may both read and write. It asks for one ACL a job, all at once.
// Throws SessionLost and ConnectionLoss.
async::Task<std::vector<std::optional<Reason>>> whyForbidden(Cluster cluster, QByteArray queue,
                                                             std::vector<QueueEntry> entries);

} // namespace drover::jobs
