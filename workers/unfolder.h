#pragma once

#include "async/first_failure.h"
#include "workers/array_queue.h"
#include "workers/troubles.h"

namespace drover::workers {

// The master's duty towards arrays: it makes their tasks, so many at a time, counts how they end, and ends the arrays.
// A task is a job like any other, <array>.<index>, in the array's queue.
//
//     1  look: exists(array), get(array) if it is another than the one known
//     2  list the queue, with a watch, and the claims
//     3  tasks that are open in the array's node and not listed have ended: how, done/ or the history tells (TaskEnds)
//     4  one transaction: guard ; set(array, progress: these counted, the next tasks open, version) ;
//                         create <queue>/q<priority>-<number>.<index> for each of the next
//     5  when all are counted: guard ; remove(array, version) ; create done/<array>
//     -  cancelled: what is not unfolded is counted as cancelled in 4; then the open tasks are cancelled as
//        jobs::cancel does, many in one transaction
//
// 2 to 4 again when the queue changes, but not more often than it pays; 1 again when WaitingFeed has something new,
// which everybody who changes an array tells, and whenever a transaction is refused.
//
// The array's node is the truth, and its version the fence of its progress: no worker ever claims an array, so nothing
// else counts there. A task is open in that node from the transaction that made its entry to the one that counts its
// end.
//
//     a reply is lost   The transaction is sent again. If it had been carried out, the version refuses it; the node is
//                       read again and shows the same progress.
//     the master dies   Nothing is half done between two transactions. The next master reads, lists and counts.
//     it is deposed     Its guard refuses; the same if it does not know.
//     there are two     Whoever is the first changes the version.
//     a task ends       before 2: it is counted in 4. Later: the watch fires, it is counted the next time. It cannot be
//                       mistaken for one that has not been made yet, because the listing is later than the node.
//     its record goes   The archiver deletes records that the history has; the master, when done/ is full, those that
//                       nobody awaits first.
//     it is deleted     by hand: counted as cancelled. So is what somebody has made by hand under a task's name taken
//                       for that task.
//     its retry         moves its entry in the queue, where it stays listed.
//
// An array's limit is that of its open tasks. All arrays of one priority in a queue share OpenShare::Most unclaimed
// tasks; claimed tasks count against no share, however many slots there are. A master that looks for the first time
// knows nothing of what was claimed before: each array begins with a small share again.
class Unfolder
{
public:
    // `history` and `troubles` outlive this; null: no history is kept.
    Unfolder(zk::Coordinator &zk, jobs::Layout layout, recipes::Fence fence, HistoryReader *history,
             Troubles &troubles);

    // From WaitingFeed: the master's entries of a queue.
    void setListed(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries);

    // Until destroyed. Throws Deposed, SessionLost.
    async::Task<void> run();

    // Whether the end of this job is still to be counted, so that its record should not be deleted yet.
    bool awaits(const jobs::JobId &id) const;

private:
    ArrayQueue &makeQueue(const QByteArray &name);
    async::Task<void> unfold(QByteArray queue);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    recipes::Fence m_fence;
    Troubles &m_troubles;
    TaskEnds m_ends;
    GangTurn m_turn;
    std::map<QByteArray, std::vector<jobs::QueueEntry>> m_listed; // the arrays of each queue
    std::map<QByteArray, ArrayQueue> m_queues;
    async::FirstFailure m_failure;
    async::TaskGroup m_running; // last: destroyed first
};

} // namespace drover::workers
