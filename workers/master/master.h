#pragma once

#include "jobs/model/cluster.h"
#include "recipes/elections/leader_latch.h"
#include "workers/master/arrays/array_expander.h"
#include "workers/master/base/archiver.h"
#include "workers/master/base/master_history.h"
#include "workers/master/cron_scheduler.h"
#include "workers/master/master_queue_watch.h"
#include "workers/master/throttle.h"
#include "workers/master/waiting/promoter.h"
#include "zk/client.h"

namespace drover::workers {

// Carries out the duties of the elected member. Jobs start and end without a master; the master does the rest:
//
//     create the tasks of arrays and the members of gangs, and end both (ArrayExpander)
//     make jobs ready that wait for their time or for other jobs (Promoter)
//     end jobs that were cancelled while they ran and have lost their worker since (CancelSweeper)
//     bound the audit (AuditSweeper)
//     remove the keys of forgotten jobs (DedupeSweeper), and the rounds of gangs that were deleted by hand
//     (sweepGangRounds)
//     once a second, after a change: set stats
//     submit the jobs of schedules when they are due (CronScheduler)
//     with a history: archive the records of ended jobs (Archiver)
//     with a history that fails: make claims pause once done_limit records wait for it (Throttle); or delete records as
//     without a history, if the cluster is configured to drop them
//     without a history, when done/ has more records than the cluster's limit: delete the oldest, but none that an
//     array must count or a job waits for, because the next master could not find out how that job ended
//
// A duty that fails, for one queue or for all, stops no other duty: it is retried after 5 s, and stats report it
// (Troubles).
//
// It leads until its election's node is gone, with the session or by `drover master stepdown`. The next candidate in
// line follows at once, and this one stands again behind the others.
//
// Some duties depend on the time of day: ticks, jobs that wait for a time, pruning. They rest unless the master's clock
// agrees with the ZooKeeper servers' to a minute. Each set of stats measures that, at least once a minute. A master
// whose clock does not agree steps down if another member's clock agreed when it joined, at most once in ten minutes.
// So if the servers or all machines are wrong, one of the masters leads and reports it.
//
// Each write is one transaction that checks the election's node, so a deposed master writes nothing, even before it
// knows.
class Master
{
public:
    // `history` outlives it; null: no history is kept.
    Master(jobs::Cluster cluster, QByteArray worker, history::History *history = nullptr)
        : m_cluster(std::move(cluster)), m_worker(std::move(worker)), m_clock(m_cluster.zk.loop())
    {
        if (history)
            m_history = std::make_unique<MasterHistory>(m_cluster, *history);
    }

    // Stands for election and leads when elected, again and again, as long as the session lives. Throws SessionLost.
    async::Task<void> run();

    bool leads() const { return m_leads; }

private:
    async::Task<void> lead(recipes::Fence fence);
    async::Task<void> untilDeposed(recipes::Fence fence);
    async::Task<void> promote(recipes::Fence fence);
    async::Task<void> submitWhatRecurs(recipes::Fence fence);
    async::Task<void> keepStats(recipes::Fence fence);
    async::Task<void> lookAround(recipes::Fence fence);
    async::Task<void> readConfig();
    async::Task<jobs::ClusterStats> collectStats();
    async::Task<void> holdBack(recipes::Fence fence, jobs::ClusterConfig config, jobs::ClusterStats &stats);
    async::Task<void> publish(recipes::Fence fence, jobs::ClusterStats stats);
    async::Task<void> write(recipes::Fence fence, QByteArray data);
    async::Task<void> mindTheClock();
    async::Task<void> trimDone(recipes::Fence fence, qint64 limit);
    bool knowsWhatIsAwaited() const;
    bool awaits(const jobs::JobId &id) const;

    jobs::Cluster m_cluster;
    QByteArray m_worker;
    std::unique_ptr<MasterHistory> m_history; // null without a history
    zk::ServerClock m_clock;
    async::TimePoint m_steppedDown{}; // because of its clock
    // Set while it leads:
    std::unique_ptr<Troubles> m_troubles;
    std::unique_ptr<Throttle> m_throttle;
    std::unique_ptr<Archiver> m_archiver;
    std::unique_ptr<CronScheduler> m_cronScheduler;
    std::unique_ptr<ArrayExpander> m_arrayExpander;
    std::unique_ptr<Promoter> m_promoter;
    std::unique_ptr<MasterQueueWatch> m_queueWatch; // last: reports to the two before
    std::optional<jobs::ClusterConfig> m_config; // as it was read last
    QByteArray m_published;
    std::chrono::milliseconds m_since{}; // Unix epoch: when it was elected
    bool m_leads = false;
};

} // namespace drover::workers
