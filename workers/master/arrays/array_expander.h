#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/master/arrays/queue_arrays.h"
#include "workers/master/base/troubles.h"

namespace drover::workers {

// The master's duty towards arrays: it creates their tasks, a limited number at a time, counts how the tasks end, and
// ends the arrays. A task is a job like any other, <array>.<index>, in the array's queue.
//
//     1  look: exists(array), get(array) if its version is not the known one
//     2  list the queue, with a watch, and the claims
//     3  tasks that are open in the array's node and not listed have ended: TaskOutcomes finds out how
//     4  one transaction: guard ; set(array, progress: these counted, the next tasks open, version) ;
//                         create <queue>/q<priority>-<number>.<index> for each of the next tasks
//     5  when all tasks are counted: guard ; remove(array, version) ; create done/<array>
//     -  cancelled: tasks that are not created yet are counted as cancelled in 4; then the open tasks are cancelled as
//        jobs::cancel does, many in one transaction
//
// Steps 2 to 4 are repeated when the queue changes, with a pause that limits their cost. Step 1 is repeated after each
// refused transaction, and when MasterQueueWatch reports a change: each client that changes an array announces it
// there.
//
// The array's node is the truth, and its version is the fence of its progress. Workers never claim an array, so only
// the master and its clients write there. A task is open in that node from the transaction that creates its entry to
// the transaction that counts its end.
//
//     a reply is lost   The transaction is sent again. If it had been carried out, the version refuses it; the node is
//                       read again and shows the same progress.
//     the master dies   Nothing is half done between two transactions. The next master reads, lists and counts.
//     it is deposed     The guard refuses its transactions, even before the master itself knows.
//     there are two     The first one to commit changes the version, which refuses the other.
//     a task ends       before 2: it is counted in 4. Later: the watch fires, and it is counted next time. It cannot
//                       be mistaken for a task that is not created yet, because the listing is later than the node.
//     its record goes   The archiver deletes records that the history has. When done/ is full, the master deletes
//                       records, those of open tasks last.
//     it is deleted     by hand: it counts as cancelled. A node made by hand under a task's name is taken for the task.
//     its retry         moves its entry within the queue, where it stays listed.
//
// The limit of an array is the number of its open tasks. All arrays of one priority in a queue share OpenShare::Most
// unclaimed tasks; claimed tasks do not count, however many slots there are. A new master does not know what was
// claimed before, so each array begins with a small share again.
class ArrayExpander
{
public:
    // All that is referred to must outlive this object. `history` is null if no history is kept. `clock`: see
    // GangScheduler.
    ArrayExpander(jobs::Cluster cluster, recipes::Fence fence, MasterHistory *history, Troubles &troubles,
                  const zk::ServerClock *clock = nullptr);

    // The entries of a queue that are the master's, as MasterQueueWatch reports them.
    void setListed(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries);

    // Runs until destroyed. Throws Deposed, SessionLost.
    async::Task<void> run() { co_await m_failure.thrown(); }

    // True while the end of this job has to be counted: its record should not be deleted yet.
    bool awaits(const jobs::JobId &id) const;

private:
    QueueArrays &makeQueue(const QByteArray &name);
    async::Task<void> expand(QByteArray queue);

    jobs::Cluster m_cluster;
    recipes::Fence m_fence;
    Troubles &m_troubles;
    TaskOutcomes m_outcomes;
    GangScheduler m_scheduler;
    std::map<QByteArray, std::vector<jobs::QueueEntry>> m_listed; // the arrays of each queue
    std::map<QByteArray, QueueArrays> m_queues;
    async::FirstFailure m_failure;
    async::TaskGroup m_running; // last: destroyed first
};

} // namespace drover::workers
