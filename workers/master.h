#pragma once

#include "jobs/layout.h"
#include "recipes/leader_latch.h"
#include "workers/archiver.h"
#include "workers/history_reader.h"
#include "workers/promoter.h"
#include "workers/throttle.h"
#include "workers/timetable.h"
#include "workers/unfolder.h"
#include "workers/waiting_feed.h"
#include "zk/coordinator.h"

namespace drover::workers {

// The duties of the one elected member. Jobs flow without it; it keeps what nobody else would:
//
//     make the tasks of arrays and the members of gangs, and end both (Unfolder)
//     make ready what waits for its time or for other jobs (Promoter)
//     end what was cancelled while it ran and has lost its worker since (CancelSweeper)
//     remove the keys of jobs that are forgotten (DedupeSweeper), and what gangs have left that were deleted by hand
//     (RoundSweeper)
//     once a second, when something has changed: set stats
//     submit the jobs that recur when they are due (Timetable)
//     with a history: archive what has ended (Archiver)
//     with a history that fails: make claims pause once done_limit records wait for it (Throttle), or, if the cluster is
//     to drop them, as without one
//     without a history, when done/ holds more records than the cluster's limit: delete the oldest, and never one whose
//     job an array counts or another waits for: the next master could not tell how it ended
//
// A duty that fails, for one queue or for all, stops no other: it is tried again after 5 s, and stats say so (Troubles).
//
// It leads until its election's node is gone, with the session, or by the hand of whoever wants another to lead
// (`drover master stepdown`): the next in line follows at once, and it stands again behind the others.
//
// What goes by the time of day (ticks, jobs that wait for a time, pruning) it does only while its clock agrees with the
// ZooKeeper servers', to a minute: each set of stats measures that, once a minute at least. If it does not agree, and a
// member's clock did when that member joined, it steps down, once in ten minutes at most: so where the servers are wrong,
// or all machines, somebody leads and says so.
//
// Each write is one transaction that checks the election's node, so a deposed master that does not know it writes
// nothing.
class Master
{
public:
    // `history` outlives it; null: none is kept.
    Master(zk::Coordinator &zk, jobs::Layout layout, QByteArray worker, history::History *history = nullptr)
        : m_zk(zk), m_layout(std::move(layout)), m_worker(std::move(worker)), m_clock(zk.loop())
    {
        if (history)
            m_keeping = std::make_unique<Keeping>(m_zk, m_layout, *history);
    }

    // Stands for election, leads when elected, for as long as the session lives. Throws SessionLost.
    async::Task<void> run();

    bool leads() const { return m_leads; }

private:
    // What outlives its terms, for the calls of the history that do.
    struct Keeping {
        Keeping(zk::Coordinator &zk, const jobs::Layout &layout, history::History &history)
            : line(zk.loop(), history), reader(zk.loop(), history, line), writer(zk, layout, history, line)
        {
        }

        HistoryLine line;
        HistoryReader reader;
        HistoryWriter writer;
    };

    async::Task<void> lead(recipes::Fence fence);
    async::Task<void> untilDeposed(recipes::Fence fence);
    async::Task<void> promote(recipes::Fence fence);
    async::Task<void> submitWhatRecurs(recipes::Fence fence);
    async::Task<void> keepStats(recipes::Fence fence);
    async::Task<void> lookAround(recipes::Fence fence);
    async::Task<jobs::ClusterStats> collectStats();
    async::Task<void> holdBack(recipes::Fence fence, jobs::ClusterConfig config, jobs::ClusterStats &stats);
    async::Task<void> publish(recipes::Fence fence, jobs::ClusterStats stats);
    async::Task<void> write(recipes::Fence fence, QByteArray data);
    async::Task<void> mindTheClock();
    async::Task<void> trimDone(recipes::Fence fence, qint64 limit);
    bool knowsWhatIsAwaited() const;
    bool awaits(const jobs::JobId &id) const;

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    QByteArray m_worker;
    std::unique_ptr<Keeping> m_keeping; // with a history
    ServerClock m_clock;
    async::TimePoint m_steppedDown{}; // for its clock
    std::unique_ptr<Troubles> m_troubles; // while it leads
    std::unique_ptr<Throttle> m_throttle; // the same
    std::unique_ptr<Archiver> m_archiver; // the same
    std::unique_ptr<Timetable> m_timetable; // the same
    std::unique_ptr<Unfolder> m_unfolder; // the same
    std::unique_ptr<Promoter> m_promoter; // the same
    std::unique_ptr<WaitingFeed> m_waiting; // the same; tells the two before
    QByteArray m_published;
    std::chrono::milliseconds m_since{}; // Unix epoch: when it was elected
    bool m_leads = false;
};

} // namespace drover::workers
