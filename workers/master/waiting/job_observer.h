#pragma once

#include "jobs/model/cluster.h"
#include "workers/master/base/master_history.h"
#include "zk/client.h"

namespace drover::workers {

// Looks at a job for those that wait for its beginning or its end, wherever it is.
//
//     in done/: the record says how it ended, or to which queue it was moved
//     in its queue: it has not ended. If its beginning matters, its claim says whether it has begun: a job that waits
//              at its worker has not. Workers never claim an array: it has begun once a task is created
//     nowhere: ask the history, if one is kept; otherwise the job is forgotten. While the history fails or does not
//              answer it is asked again
class JobObserver
{
public:
    enum class State {
        Open, // not read yet, or neither begun nor ended
        Begun,
        Succeeded,
        Failed, // or cancelled
        // Not in ZooKeeper, and no history is configured: it ended long ago, or never existed.
        Forgotten,
        // Neither ZooKeeper nor this history knows how it ended; another history or a newer master may know.
        Unknown,
    };

    struct Sight {
        bool over = false; // nothing more can become of it
        std::optional<State> state{}; // nothing: as before
        std::optional<jobs::JobId> movedTo{}; // its id in another queue
    };

    // `history` outlives this object; null: none is kept.
    JobObserver(jobs::Cluster cluster, MasterHistory *history) : m_cluster(std::move(cluster)), m_history(history) { }

    // `ended` fires at the end of the job. `begins` is armed only if `beginMatters`, and fires at its beginning. Waits
    // out lost connections and failures of the history. Throws SessionLost, AccessDenied.
    async::Task<Sight> look(jobs::JobId id, bool beginMatters, zk::Watch &ended, zk::Watch &begins);

private:
    async::Task<bool> hasBegun(zk::Path claim, zk::Watch &begins);
    async::Task<std::optional<Sight>> lookAtArray(jobs::JobId id, zk::Path node, zk::Watch &begins);
    async::Task<Sight> askHistory(jobs::JobId id);

    jobs::Cluster m_cluster;
    MasterHistory *m_history;
};

} // namespace drover::workers
