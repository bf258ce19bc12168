#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/attempts/attempts.h"
#include "workers/claims/claimer.h"
#include "workers/dispatch/claim_policy.h"
#include "workers/dispatch/pending_jobs.h"
#include "workers/dispatch/prefetch.h"
#include "workers/dispatch/served_queues.h"
#include "workers/dispatch/session_load.h"

#include <deque>

namespace drover::workers {

// Decides which jobs a worker claims and starts, and when.
//
//     plain jobs   claimed for the free slots, and started at once. Some are prefetched, and their claims say so until
//                  they run (clearPrefetchMark). They start in the order of their claims
//     others       (several slots, memory, locks, limits, or the last attempt) wait in PendingJobs. The first one there
//                  that lacks only room comes before all other jobs: the worker keeps all room that becomes free for
//                  it. Plain jobs that end before then may start meanwhile (Backfill). A member of a gang keeps its
//                  room until all members have theirs
//
// ClaimPolicy decides which jobs of a listing are claimed, and what happens to the others.
class Dispatcher final : private PendingJobs::Listener, private Attempts::Listener
{
public:
    class Listener
    {
    public:
        // The worker obeys this cordon now: it claims no job, and no claim is in progress. 0: there is no cordon.
        virtual void cordonObeyed(zk::Zxid cordon) = 0;
        virtual void machineTroubled(const QString &reason) = 0; // see MachineHealth::Listener
        virtual void jobsRefused(qint64 count) = 0; // as many in all
        virtual void processesUnbounded() = 0;
        virtual void spoolFailed(const QString &reason) = 0; // no signed job can begin: the journal cannot be written
        virtual void spoolSuspected() = 0; // some output was lost

    protected:
        ~Listener() = default;
    };

    // All arguments outlive this object.
    Dispatcher(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
               Listener &listener);

    // Runs until stop() was called and the last end was handed to the reporter.
    async::Task<void> run();
    // Claims no more, and gives back the jobs that have not started.
    void stop();

    // Follows the queues' settings (pause, limit). Throws SessionLost.
    async::Task<void> followQueues();
    void setMembers(const QByteArrayList &members) { m_queues.setMembers(members); }
    // `cordon`: the transaction that created the worker's cordon, under which it claims no job. 0: there is no cordon.
    void setCordon(zk::Zxid cordon);
    // With true no job is claimed (jobs::Backpressure).
    void setBackpressure(bool pauses);
    // With true no job is claimed: the spool has no room for its output (SpoolKeeper), or cannot be written
    // (SpoolHealth).
    void setSpoolFull(bool isFull);
    async::Task<QString> tryJournal() { return m_claimer.tryJournal(); }

    // Believes these roots of the cluster from now on.
    void believe(const trust::Anchors &anchors) { m_claimer.believe(anchors); }

    // For the end of the session. It kills the running jobs, and hands all claimed jobs to the reporter, or to its
    // successor, to give them back. Returns when no job runs.
    async::Task<void> killAll();
    // Ends the running jobs and gives them back.
    void abandon(Attempts::Grace grace);

    int running() const { return m_attempts.running(); }
    async::Task<void> reportKept() { return m_attempts.reportKept(); }
    qint64 keptReported() const { return m_attempts.keptReported(); }

private:
    using Queue = ServedQueues::Queue;

    async::Task<void> pull();
    async::Task<void> claimFrom(Queue &queue, int count);
    void spareWornJobs(Queue &queue, std::vector<ClaimedJob> &jobs);
    void deferContended(Queue &queue, const std::vector<ClaimedJob> &jobs);

    ClaimPolicy policyFor(const Queue &queue) const;
    std::optional<Backfill> backfill() const;
    void noteClaims(bool any, async::TimePoint begin, bool someHadNoRoom);
    bool mayLook() const;
    int wanted() const;
    void startJobs();
    void startPlain(ClaimedJob job);
    async::Task<std::vector<ClaimedJob>> noteStarts(std::vector<ClaimedJob> jobs);
    async::Task<void> beginNoted(ClaimedJob job, Capacity::Reservation room);
    Claimer::Drop dropper();
    void tellRefused();
    bool tellJournal();
    void proceed();
    bool mustNotStart() const;
    ClaimedJob takeClaimed();
    void giveBackUnstarted(const QByteArray &queue = {});
    void giveBackPlain(const QByteArray &queue = {});

    void pendingChanged() override { proceed(); }
    void pendingReturned(const ClaimedJob &job) override;
    void pendingStarted(ClaimedJob job, Capacity::Reservation room) override;
    void attemptEnded() override;
    void processesUnbounded() override { m_listener.processesUnbounded(); }
    void outputLost() override { m_listener.spoolSuspected(); }
    void attemptRecalled(ClaimedJob job) override;
    void mayStartAgain() override { proceed(); }
    void machineTroubled(const QString &reason) override { m_listener.machineTroubled(reason); }

    jobs::Cluster m_cluster;
    const WorkerOptions &m_options;
    Reporter &m_reporter;
    Listener &m_listener;
    ServedQueues m_queues;
    zk::ServerClock m_clock; // each claim measures it
    Claimer m_claimer;
    qint64 m_refused = 0; // as the listener knows
    bool m_mustNotBegin = false; // what has begun was ended
    std::optional<async::TimePoint> m_triedWornJob; // see spareWornJobs()
    Capacity m_capacity;
    async::Event m_changed; // pull() must look again
    SessionLoad m_load{[this] { m_changed.set(); }};

    bool m_stopping = false;
    bool m_claiming = false; // claims in progress need the free slots
    std::optional<zk::Zxid> m_cordon; // nothing: not known yet
    std::optional<bool> m_pauses; // by backpressure; nothing: not known yet
    std::optional<bool> m_spoolIsFull; // nothing: not known yet
    std::deque<ClaimedJob> m_claimed; // plain jobs, not started
    Prefetch m_prefetch;
    bool m_noneBackfills = false; // no job of the latest listing may backfill
    async::Timer m_nextBackfill;
    async::Timer m_patience;
    PendingJobs m_pendingJobs;
    Attempts m_attempts;
    async::TaskGroup m_beginning; // last: destroyed first
};

} // namespace drover::workers
