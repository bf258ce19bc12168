#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"

#include <QSet>

#include <stdexcept>
#include <string>

namespace drover::workers {

// An array that cannot be ended: another program has made znodes below its own, or below a task's.
class Blocked : public std::runtime_error
{
public:
    explicit Blocked(const char *whose)
        : std::runtime_error(std::string("another program has made znodes below ") + whose)
    {
    }
};

// Cancels the tasks of one array for the master, many in one transaction. The worker of a running task is asked to kill
// it, and is asked once: the mark in the task's node outlives that worker.
class TaskCanceller
{
public:
    // `fence` outlives this object.
    TaskCanceller(jobs::Cluster cluster, const recipes::Fence &fence)
        : m_cluster(std::move(cluster)), m_fence(fence) { }

    // False if some of the tasks have moved meanwhile. Otherwise throws Blocked if some have znodes below theirs and so
    // cannot be ended; the others are. Throws Deposed, SessionLost, AccessDenied.
    async::Task<bool> cancel(std::vector<std::pair<jobs::JobId, jobs::QueueEntry>> tasks, QString reason);

private:
    bool wasAsked(const jobs::JobView &task);
    async::Task<bool> cancelTogether(std::vector<jobs::JobView> tasks, QString reason);
    async::Task<bool> isBlocked(jobs::JobView task);

    jobs::Cluster m_cluster;
    const recipes::Fence &m_fence;
    QSet<qint32> m_asked; // running tasks whose workers were asked to kill them
    bool m_blocked = false; // one at least, in the present call of cancel()
};

} // namespace drover::workers
