#pragma once

#include "jobs/model/cluster.h"
#include "workers/master/base/master_history.h"
#include "zk/client.h"

#include <QHash>

namespace drover::workers {

// How a task ended: the part that its array counts.
struct TaskOutcome {
    bool cancelled = false;
    int exitCode = 0;
    std::chrono::milliseconds at{}; // Unix epoch, servers' clock: when its end was reported
    bool refused = false; // it may not run
};

// Finds out how tasks ended that are no longer in their queue.
//
//     get(done/<task>), many in one flight
//     not there: the archiver of this master, or of an earlier one, has moved the record to the history
//     in neither: the task was deleted by hand, which counts as cancelled
class TaskOutcomes
{
public:
    // `history` outlives this; null: none is kept.
    TaskOutcomes(jobs::Cluster cluster, MasterHistory *history) : m_cluster(std::move(cluster)), m_history(history) { }

    // One outcome for each of `ids`, which are all of one queue. Nothing where the history does not answer, or where
    // only a newer master can read the record: ask again after a RetryPause. Records from before the queue was created
    // belong to an earlier queue of that name and are ignored. Waits out lost connections; throws SessionLost.
    async::Task<std::vector<std::optional<TaskOutcome>>> read(std::vector<jobs::JobId> ids);

private:
    async::Task<bool> askHistory(std::vector<jobs::JobId> ids, QHash<jobs::JobId, TaskOutcome> &outcomes);

    jobs::Cluster m_cluster;
    MasterHistory *m_history;
};

} // namespace drover::workers
