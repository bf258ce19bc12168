#pragma once

#include "jobs/schedules/schedules.h"
#include "trust/trust_store.h"

namespace drover::app {

// Why a schedule submits no jobs although it should, in one line; empty if all is well. The master, which submits them,
// reports this only in its log. So this function checks what the master needs: the queue, its room, and that there is a
// master. A tick that was due a moment ago is not late yet. `now` counts from the Unix epoch. Throws SessionLost.
async::Task<QString> troubleOf(jobs::Cluster cluster, jobs::ClusterConfig config, jobs::StoredSchedule stored,
                               std::chrono::milliseconds now);

// Why the workers of a closed cluster refuse each job of a schedule, in one line. Its signer's certificate is revoked,
// has ended, is missing or lacks the role. Empty if it is none of these, or the schedule is paused. `known` has the
// published certificates and the revocation list.
QString refusalOfJobs(const jobs::StoredSchedule &stored, const trust::TrustStore &known,
                      std::chrono::milliseconds now);

} // namespace drover::app
