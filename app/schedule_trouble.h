#pragma once

#include "jobs/schedules.h"

namespace drover::app {

// Why a schedule submits nothing though it should, in one line; empty: nothing is wrong with it. The master, which
// submits, tells of that in its log alone; this looks at what it looks at: the queue, its room, whether there is a
// master. One that was due a moment ago is not late yet. `now`: Unix epoch. Throws SessionLost.
async::Task<QString> troubleOf(zk::Coordinator &zk, jobs::Layout layout, jobs::ClusterConfig config,
                               jobs::StoredSchedule stored, std::chrono::milliseconds now);

} // namespace drover::app
