#pragma once

#include "jobs/array_progress.h"
#include "jobs/job_lookup.h"
#include "recipes/fence.h"
#include "workers/task_ends.h"

#include <QSet>

namespace drover::workers {

// The unfinished tasks of one array, by index, as a listing of its queue shows them.
using ListedTasks = QHash<qint32, jobs::QueueEntry>;

// One array in the hands of the master: what is known of its node, and the transactions that bring it forward. The
// protocol is told in Unfolder.
class UnfoldingArray
{
public:
    // All that is referred to outlives this.
    UnfoldingArray(zk::Coordinator &zk, const jobs::Layout &layout, const recipes::Fence &fence, TaskEnds &ends,
                   QByteArray queue, jobs::QueueEntry entry);

    enum class Step {
        Done, // nothing more to do until something changes
        Again, // something was in the way: look() and try again
        Gone, // it has ended, or was deleted or moved by somebody
    };

    // Reads its node if that is another than the one known. Done, Again or Gone.
    async::Task<Step> look();

    // Counts the open tasks that are not in `listed`, which was listed after look(); opens more, up to `mayBeOpen`;
    // ends the array when all are counted. Throws Deposed, SessionLost, AccessDenied.
    async::Task<Step> advance(ListedTasks listed, int mayBeOpen);

    int open() const { return static_cast<int>(m_progress.open.size()); }
    bool isOpen(qint32 index) const;

private:
    qint32 count() const { return m_spec.array->count(); }
    jobs::JobId taskAt(qint32 place) const { return {m_id.queue, m_id.number, m_spec.array->at(place)}; }
    int chunk() const;

    void read(const zk::Node &node);
    async::Task<bool> countEnded(ListedTasks listed, jobs::ArrayProgress &progress);
    async::Task<bool> unfold(jobs::ArrayProgress progress, int mayBeOpen);
    async::Task<bool> commit(jobs::ArrayProgress progress, std::vector<qint32> places);
    async::Task<bool> cancelTasks(ListedTasks listed);
    bool wasAsked(const jobs::JobView &task);
    async::Task<bool> cancelTogether(std::vector<jobs::JobView> tasks);
    async::Task<Step> end(jobs::FinalRecord record);
    jobs::FinalRecord recordOf(const jobs::ArrayProgress &progress) const;

    zk::Coordinator &m_zk;
    const jobs::Layout &m_layout;
    const recipes::Fence &m_fence;
    TaskEnds &m_ends;
    jobs::JobId m_id;
    jobs::QueueEntry m_entry;
    zk::Path m_path;

    zk::Zxid m_czxid = 0; // of the node that was read, and its version
    qint32 m_version = 0;
    std::chrono::milliseconds m_made{}; // Unix epoch, servers' clock
    QByteArray m_stored;
    jobs::JobSpec m_spec;
    jobs::ArrayProgress m_progress;
    QByteArray m_task; // what its tasks' nodes hold
    QSet<qint32> m_asked; // indices of running tasks whose workers have been asked to kill them
};

} // namespace drover::workers
