#pragma once

#include "async/task_group.h"
#include "jobs/model/claim.h"
#include "jobs/model/cluster.h"
#include "workers/attempts/capacity.h"
#include "workers/attempts/machine_health.h"
#include "workers/attempts/outcome_reporter.h"
#include "workers/attempts/run_times.h"
#include "workers/attempts/worker_options.h"
#include "workers/claims/claimed_job.h"
#include "workers/process/runner.h"
#include "zk/client.h"

#include <deque>

namespace drover::workers {

class Reporter;

// The running attempts of a worker. Each is a process. The worker watches its claim for requests of users (cancel,
// requeue, signals), and reports its end.
//
//     the claim is lost                       the process is killed, and its end is not reported
//     the runner died                         the job is given back; the attempt counts
//     the process never started               the job is given back; the attempt does not count
//     ended by abandon(), the lease           the job is given back; the attempt does not count, until the job has been
//         or killAll()                        given back 100 times: the job may cut its machine off
//     its output waits to be appended when    the job is given back; the attempt does not count. A later life of the
//         abandon() comes                     worker reports its end if no worker has claimed the job since
//     the machine could not start a job       further jobs are left to other workers for a moment: MachineHealth
//
// Short jobs queue in the runner behind a running one (slot_queues.h). So a slot is not idle while the worker receives
// one end and sends the next start.
class Attempts
{
public:
    class Listener
    {
    public:
        virtual void attemptEnded() = 0; // its room is free again
        virtual void attemptRecalled(ClaimedJob job) = 0; // it has not begun, and will not begin

    protected:
        ~Listener() = default;
    };

    // All arguments must outlive this object.
    Attempts(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
             OutcomeReporter &outcomes, MachineHealth &health, Listener &listener);
    // Kills the running attempts.
    ~Attempts();

    // Starts an attempt, which keeps `room` until its end is reported.
    void begin(ClaimedJob job, Capacity::Reservation room);

    // Whether a one-slot job may queue behind a running one: only if a running one is expected to end soon.
    bool canEnqueueBehind() const;
    void enqueueBehind(ClaimedJob job);
    // How many jobs queue behind running ones.
    int waiting() const;
    // Recalls the queued jobs of one queue, or of all queues. A job that starts meanwhile runs.
    void recall(const QByteArray &queue = {});

    // Ends the running attempts, with SIGTERM and each job's grace, or at once. Jobs that are killed from now on are
    // given back, and their attempts do not count. It also calls OutcomeReporter::abandon().
    enum class Grace { OfJob, None };
    void abandon(Grace grace);

    // For the end of the session: kills all attempts at once. Returns when none is left, even if the runner is stopped.
    async::Task<void> killAll();

    int running() const { return static_cast<int>(m_underWay.size()) - waiting(); }
    async::Task<void> ended();

    // How long a job takes, by the average of earlier jobs, or by the age of the oldest running one. Nothing if no job
    // has ended within the last second, because later jobs may be quite different.
    std::optional<async::Duration> expected() const;
    // The average duration of the jobs that have ended here, at any time; nothing if none has.
    std::optional<async::Duration> usual() const { return m_times.average(); }
    // The time until `slotCount` slots are likely to be free. A job is expected to run on for as long as it has run.
    // Nothing if the running jobs have fewer slots.
    std::optional<async::Duration> untilFree(int slotCount) const;

private:
    struct Attempt {
        ClaimedJob job;
        quint32 slotQueue; // 0: no queue
        Capacity::Reservation room; // null: waits for the attempt before it in its queue
        bool started; // the worker knows that it has started
        async::TimePoint since;
        bool killed = false; // on request
        bool requeue = false; // it will begin again
        bool lostClaim = false; // another attempt may have the job by now
        int signalsPassedOn = 0;
    };

    void start(ClaimedJob job, quint32 slotQueue, Capacity::Reservation room);
    async::Task<void> run(RunHandle process);
    bool isForgiven(const ClaimedJob &job) const;
    async::Task<void> giveBack(const Attempt &attempt, bool hasOutcome);
    async::Task<void> giveBackUncounted(const ClaimedJob &job, bool hasStarted);
    void passSlotOn(Attempt &attempt, RunId runId, bool ended);
    async::Task<void> conclude(const Attempt &attempt, const std::optional<Outcome> &outcome);
    async::Task<void> watchForRequests(RunHandle process);
    async::Task<void> noteStart(RunHandle process, async::Promise<std::monostate> &watch);
    void onClaim(const zk::Node *claim, RunId runId);
    void obey(const jobs::Claim &claim, RunId runId);
    std::vector<RunTimes::Running> runningNow() const;

    jobs::Cluster m_cluster;
    const WorkerOptions &m_options;
    Runner &m_runner;
    Reporter &m_reporter;
    OutcomeReporter &m_outcomes;
    MachineHealth &m_health;
    Listener &m_listener;

    bool m_planned = false; // the worker itself decided to end them
    std::map<RunId, Attempt> m_underWay;
    std::map<quint32, std::deque<RunId>> m_slotQueues; // the first run has the slot
    quint32 m_lastSlotQueue = 0;
    RunTimes m_times;
    async::TaskGroup m_runs; // last: destroyed first
};

} // namespace drover::workers
