#pragma once

#include "jobs/dedupe.h"
#include "recipes/fence.h"
#include "zk/coordinator.h"

#include <map>

namespace drover::workers {

// The master's duty towards the keys under which jobs were submitted (jobs::Submitter): removes the marks whose jobs
// are neither unfinished nor in done/ any more. They do no harm, a submit would replace them, but they would pile up.
//
//     once a minute, for each queue: list the marks, then the queue, then done/: a job goes that way
//     read the marks that are new; find the jobs of those that know no id, if they are older than a minute
//     check(master) ; remove(mark, version), for many at once
class DedupeSweeper
{
public:
    static constexpr std::chrono::minutes Interval{1};

    DedupeSweeper(zk::Coordinator &zk, jobs::Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    // Throws Deposed, SessionLost, AccessDenied.
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

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::map<QByteArray, Marks> m_known; // by queue
};

} // namespace drover::workers
