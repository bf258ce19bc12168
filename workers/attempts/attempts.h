#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "jobs/model/claim.h"
#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"
#include "workers/attempts/capacity.h"
#include "workers/attempts/machine_health.h"
#include "workers/attempts/output_appender.h"
#include "workers/attempts/run_times.h"
#include "workers/attempts/worker_options.h"
#include "workers/claims/claimed_job.h"
#include "workers/process/runner.h"
#include "zk/client.h"
#include "zk/server_clock.h"

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
             zk::ServerClock &clock, MachineHealth &health, WorkerConditions &conditions, Listener &listener);
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

    // Reports the ends that the runner has kept, if the attempt is still the job's current one: no worker has claimed
    // the job since. Other ends are void. If output cannot be appended soon, that report goes on in the background.
    // Throws SessionLost.
    async::Task<void> reportKept();
    // How many of the kept ends were still current.
    qint64 keptReported() const { return m_keptReported; }

    // Ends the running attempts, with SIGTERM and each job's grace, or at once. Jobs that are killed from now on are
    // given back, and their attempts do not count. A job that has succeeded and waits for its output to be appended is
    // given back, too. Its end is kept, and a later life of this worker reports it if the job is still unclaimed.
    enum class Grace { OfJob, None };
    void abandon(Grace grace);

    // For the end of the session: kills all attempts at once. Returns when none is left, even if the runner is stopped.
    async::Task<void> killAll();

    int running() const { return static_cast<int>(m_underWay.size()) - waiting(); }
    async::Task<void> ended() { return m_runs.drained(); }

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
    async::Task<void> run(ClaimedJob job, RunHandle process);
    void giveBack(const ClaimedJob &job, const Attempt &attempt, const std::optional<Outcome> &outcome);
    void passSlotOn(Attempt &attempt, RunId runId, bool ended);
    async::Task<void> conclude(ClaimedJob job, const Attempt &attempt, std::optional<Outcome> outcome, RunId runId);
    async::Task<bool> report(ClaimedJob job, Outcome outcome, RunId runId);
    bool runsAgain(const ClaimedJob &job, const jobs::FinalRecord &record) const;
    void noteRefusal(const jobs::FinalRecord &record);
    async::Task<bool> append(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record);
    async::Task<void> appendNow(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record, bool &settled);
    async::Task<void> reportAgain(ClaimedJob job, KeptRun kept);
    async::Task<void> retryLater(ClaimedJob job, jobs::FinalRecord record, RunId runId);
    async::Task<void> watchForRequests(ClaimedJob job, RunHandle process);
    async::Task<void> noteStart(ClaimedJob job, RunHandle process, async::Promise<std::monostate> &watch);
    void onClaim(const zk::Node *claim, RunId runId);
    void obey(const jobs::Claim &claim, RunId runId);
    std::vector<RunTimes::Running> runningNow() const;

    jobs::Cluster m_cluster;
    const WorkerOptions &m_options;
    Runner &m_runner;
    Reporter &m_reporter;
    zk::ServerClock &m_clock;
    OutputAppender m_appender;
    MachineHealth &m_health;
    WorkerConditions &m_conditions;
    Listener &m_listener;

    async::Event m_abandoned;
    bool m_planned = false; // the worker itself decided to end them
    qint64 m_keptReported = 0;
    std::map<RunId, Attempt> m_underWay;
    std::map<quint32, std::deque<RunId>> m_slotQueues; // the first run has the slot
    quint32 m_lastSlotQueue = 0;
    RunTimes m_times;
    async::TaskGroup m_runs; // last: destroyed first
};

} // namespace drover::workers
