#pragma once

#include "jobs/client/dedupe.h"
#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"
#include "zk/client.h"

#include <map>

namespace drover::workers {

// The master's duty towards the keys under which jobs were submitted (jobs::Submitter). It removes the marks whose jobs
// are neither in their queue nor in done/ any more. Such marks do no harm, because a submit replaces them, but they
// would pile up.
//
//     once a minute, for each queue: list the marks, then the queue, then done/: a job moves in this order
//     read the new marks; look for the jobs of marks without an id, if they are older than a minute
//     check(master) ; remove(mark, version), many in one transaction
class DedupeSweeper
{
public:
    static constexpr std::chrono::minutes Interval{1};

    explicit DedupeSweeper(jobs::Cluster cluster) : m_cluster(std::move(cluster)) { }

    // Throws Deposed, SessionLost, and AccessDenied once the other queues are swept.
    async::Task<void> run(recipes::Fence fence);

private:
    struct Mark {
        qint32 version;
        jobs::JobId id;
    };
    using Marks = std::map<QByteArray, Mark>; // by name

    async::Task<void> sweep(QByteArray queue, recipes::Fence fence);
    async::Task<QByteArrayList> list(zk::Path directory);
    async::Task<void> readNew(QByteArray queue, QByteArrayList names, Marks &known,
                              std::map<QByteArray, qint32> &stale);
    async::Task<void> removeAll(QByteArray queue, std::map<QByteArray, qint32> stale, recipes::Fence fence);

    jobs::Cluster m_cluster;
    std::map<QByteArray, Marks> m_known; // by queue
};

} // namespace drover::workers
