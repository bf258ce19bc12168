#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"

#include <QSet>

namespace drover::workers {

// Cancels the tasks of one array for the master, many in one transaction. The worker of a running task is asked to kill
// it, and is asked once: the mark in the task's node outlives that worker.
class TaskCanceller
{
public:
    // `fence` outlives this object.
    TaskCanceller(jobs::Cluster cluster, const recipes::Fence &fence)
        : m_cluster(std::move(cluster)), m_fence(fence) { }

    // False if some of the tasks have moved meanwhile. Throws Deposed, SessionLost, AccessDenied.
    async::Task<bool> cancel(std::vector<std::pair<jobs::JobId, jobs::QueueEntry>> tasks, QString reason);

private:
    bool wasAsked(const jobs::JobView &task);
    async::Task<bool> cancelTogether(std::vector<jobs::JobView> tasks, QString reason);

    jobs::Cluster m_cluster;
    const recipes::Fence &m_fence;
    QSet<qint32> m_asked; // running tasks whose workers were asked to kill them
};

} // namespace drover::workers
