#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/attempts/attempts.h"
#include "workers/dispatch/claim_policy.h"
#include "workers/dispatch/pending_jobs.h"
#include "workers/dispatch/prefetched_jobs.h"
#include "workers/dispatch/queue_claims.h"
#include "workers/dispatch/served_queues.h"
#include "workers/dispatch/session_load.h"

namespace drover::workers {

// What forbids a worker to claim jobs. Nothing: it is not known yet, and the worker claims none.
struct ClaimStops {
    std::optional<zk::Zxid> cordon; // the transaction that created the worker's cordon; 0: there is none
    std::optional<bool> backpressure; // jobs::Backpressure
    std::optional<bool> spool; // it has no room for output (SpoolKeeper), or cannot be written (SpoolHealth)

    bool mayClaim() const { return cordon == zk::Zxid(0) && backpressure == false && spool == false; }
    bool mustNotStart() const
    {
        return cordon.value_or(0) != 0 || backpressure.value_or(false) || spool.value_or(false);
    }
};

// Decides which jobs a worker claims and starts, and when.
//
//     plain jobs   claimed for the free slots, and started at once. Others wait in PrefetchedJobs, and their claims say
//                  so until they run (clearPrefetchMark). They start in the order of their claims
//     others       (several slots, memory, locks, limits, or the last attempt) wait in PendingJobs. The first one there
//                  that lacks only room comes before all other jobs: the worker keeps all room that becomes free for
//                  it. Plain jobs that end before then may start meanwhile (Backfill). A member of a gang keeps its
//                  room until all members have theirs
//
// ClaimPolicy decides which jobs of a listing are claimed, and QueueClaims claims them. Attempts has those that run.
class Dispatcher final : private PendingJobs::Listener, private Attempts::Listener
{
public:
    // All arguments outlive this object.
    Dispatcher(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
               OutcomeReporter &outcomes, zk::ServerClock &clock, WorkerConditions &conditions);

    // Runs until stop() was called and the last end was handed to the reporter.
    async::Task<void> run();
    // Claims no more, and gives back the jobs that have not started.
    void stop();

    // Follows the queues' settings (pause, limit). Throws SessionLost.
    async::Task<void> followQueues();
    void setMembers(const QByteArrayList &members) { m_queues.setMembers(members); }
    void setStops(const ClaimStops &stops);
    async::Task<QString> tryJournal() { return m_claims.tryJournal(); }
    async::Task<bool> clockAgrees() { return m_claims.clockAgrees(); }

    // Believes these roots of the cluster from now on.
    void believe(const trust::Anchors &anchors) { m_claims.believe(anchors); }

    // For the end of the session. It kills the running jobs, and hands all claimed jobs to the reporter, or to its
    // successor, to give them back. Returns when no job runs.
    async::Task<void> killAll();
    // Ends the running jobs and gives them back.
    void abandon(Attempts::Grace grace);

    int running() const { return m_attempts.running(); }

private:
    using Queue = ServedQueues::Queue;

    async::Task<void> claimJobs();
    async::Task<void> claimFrom(Queue &queue, int count);
    ClaimPolicy policyFor(const Queue &queue) const;
    void pauseBackfill();
    int wanted() const;
    void startJobs();
    async::Task<void> begin(ClaimedJob job, Capacity::Reservation room);
    void proceed();
    bool mustNotStart() const { return m_stops.mustNotStart() || m_health.isBackingOff(); }
    void giveBackUnstarted(const QByteArray &queue = {});

    void pendingChanged() override { proceed(); }
    void pendingReturned(const ClaimedJob &job) override;
    void pendingStarted(ClaimedJob job, Capacity::Reservation room) override;
    void attemptEnded() override { proceed(); }
    void attemptRecalled(ClaimedJob job) override;

    jobs::Cluster m_cluster;
    Reporter &m_reporter;
    WorkerConditions &m_conditions;
    MachineHealth m_health;
    ServedQueues m_queues;
    QueueClaims m_claims;
    Capacity m_capacity;
    async::Event m_changed; // claimJobs() must look again
    SessionLoad m_load{[this] { m_changed.set(); }};

    ClaimStops m_stops;
    bool m_stopping = false;
    bool m_mustNotBegin = false; // what has begun was ended
    bool m_claiming = false; // claims in progress need the free slots
    bool m_noneBackfills = false; // no job of the latest listing may backfill
    async::Timer m_nextBackfill;
    PendingJobs m_pendingJobs;
    Attempts m_attempts;
    PrefetchedJobs m_prefetched;
    async::TaskGroup m_beginning; // last: destroyed first
};

} // namespace drover::workers
