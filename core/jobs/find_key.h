#pragma once

#include "jobs/job_id.h"
#include "zk/coordinator.h"

namespace drover::jobs {

class Layout;

// The job of a queue whose spec has this key, unfinished or with its record in done/; what a client does that has lost
// the reply to a submit. It reads the queue, a round trip for each 64 jobs. One that changes its place meanwhile is not
// missed. Sees what was there when it was called, on whatever server. Waits out lost connections; throws SessionLost.
async::Task<std::optional<JobId>> findByKey(zk::Coordinator &zk, Layout layout, QByteArray queue, QString key);

} // namespace drover::jobs
