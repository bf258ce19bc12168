#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "workers/capacity.h"
#include "workers/claimed_job.h"
#include "workers/files/output_appender.h"
#include "workers/respite.h"
#include "workers/run_times.h"
#include "workers/runner.h"
#include "workers/server_clock.h"
#include "workers/worker_options.h"
#include "zk/coordinator.h"

#include <deque>

namespace drover::workers {

class Reporter;

// The attempts that a worker has under way: each is a process, its claim is watched for what people ask (cancel,
// requeue, signals), and it is reported when it ends. One that has lost its claim is killed. One whose process was lost
// with the runner is given back, and was an attempt. It costs its job none if it never began, or if it was ended here:
// by abandon(), or because ZooKeeper was not reached for too long (the lease, killAll). A job may be what cuts its
// machine off, so the latter is forgiven until it has been given back a hundred times. When this machine could not begin
// one, or has lost its runner, the others are better off elsewhere for a moment: resting().
//
// Where jobs are short the next ones wait in the runner, in the lane of one that runs: between two jobs the slot is not
// idle for as long as the worker takes to hear of the one and to send the other.
class Attempts
{
public:
    struct Events {
        std::function<void()> ended; // one is no longer under way
        std::function<void(ClaimedJob)> recalled; // one has not begun, and will not
        std::function<void()> rested; // others may begin again
        std::function<void(const QString &reason)> troubled; // this machine lacks what they need; empty: one has begun
    };

    // Each takes its needs out of `capacity` as long as it is under way. All that is referred to outlives this.
    Attempts(zk::Coordinator &zk, jobs::Layout layout, const WorkerOptions &options, Runner &runner, Reporter &reporter,
             Capacity &capacity, const ServerClock &clock, Events events);
    // Kills them.
    ~Attempts();

    void begin(ClaimedJob job);

    // One that needs nothing but a slot can be begun as soon as another has ended, if that will not take long.
    bool hasPlaceBehind() const;
    void beginBehind(ClaimedJob job);
    // Of those, the ones that have not begun.
    int waiting() const;
    // They come back, unless they begin just now. Of one queue, or of all.
    void recall(const QByteArray &queue = {});

    // Reports the ends that the runner has kept, of attempts that are still the current ones of their jobs: nobody has
    // claimed these since. The others are void. One whose output cannot be appended soon goes on beside what is begun.
    // Throws SessionLost.
    async::Task<void> reportKept();
    // Of these, those that were still current.
    qint64 keptReported() const { return m_keptReported; }

    // Nothing is to be begun now: see Respite.
    bool resting() const { return m_respite.isOn(); }

    // Ends those that run, with SIGTERM and the grace that each job asks for, or at once; whatever is killed from now on
    // is given back, and was no attempt. So is what has succeeded and waits for its output to be appended; its end is
    // kept, and a later life of this worker reports it if nobody has claimed the job by then.
    enum class Grace { OfJob, None };
    void abandon(Grace grace);

    // For the end of the session: the same at once, and returns when none is under way, even if the runner is stopped.
    async::Task<void> killAll();

    int running() const { return static_cast<int>(m_underWay.size()) - waiting(); }
    async::Task<void> ended() { return m_runs.drained(); }

    // How long a job takes: as those before did, or as long as the oldest of those that run has taken already. Nothing
    // if none has ended within the last second: what comes now may be quite different.
    std::optional<async::Duration> expected() const;
    // How long those take that have ended here, whenever that was; nothing if none has.
    std::optional<async::Duration> usual() const { return m_times.average(); }
    // Until so many slots are likely to have come free: what has run for long is expected to run on for as long. Nothing
    // if those that run have not as many.
    std::optional<async::Duration> untilFree(int slotCount) const;

private:
    struct Attempt {
        ClaimedJob job;
        quint32 lane; // 0: it is in none
        bool begun; // as far as is known here
        async::TimePoint since;
        bool killed = false; // as somebody has asked
        bool requeue = false; // to be begun again
        bool lostClaim = false; // and may be another attempt's job by now
        int signalsPassedOn = 0;
    };

    void start(ClaimedJob job, quint32 lane);
    async::Task<void> run(ClaimedJob job, Running process);
    void giveBack(const ClaimedJob &job, const Attempt &attempt, const std::optional<Outcome> &outcome);
    bool passSlotOn(const Attempt &attempt, Token token, bool ended);
    async::Timer whenSilent(const Running &process);
    async::Task<void> conclude(ClaimedJob job, Attempt attempt, std::optional<Outcome> outcome, Token token);
    async::Task<bool> report(ClaimedJob job, Outcome outcome, Token token);
    async::Task<bool> append(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record);
    async::Task<void> appendNow(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record, bool &settled);
    async::Task<void> reportAgain(ClaimedJob job, KeptRun kept);
    async::Task<std::optional<ClaimedJob>> stillCurrent(QByteArray note);
    void retryLater(const ClaimedJob &job, jobs::FinalRecord record, Token token);
    async::Task<void> watchForRequests(ClaimedJob job, Running process);
    void onClaim(const zk::Node *claim, Token token);
    void obey(const jobs::Claim &claim, Token token);
    std::vector<RunTimes::Running> runningNow() const;
    void noteTrouble(const QString &reason, bool isOfMachine);
    void noteBeginning(const Attempt &attempt);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    const WorkerOptions &m_options;
    Runner &m_runner;
    Reporter &m_reporter;
    Capacity &m_capacity;
    const ServerClock &m_clock;
    OutputAppender m_appender;
    Events m_events;

    async::Event m_abandoned;
    bool m_planned = false; // that was the worker's own decision
    qint64 m_keptReported = 0;
    std::map<Token, Attempt> m_underWay;
    std::map<quint32, std::deque<Token>> m_lanes; // the first has the slot, the others wait for it
    quint32 m_lastLane = 0;
    RunTimes m_times;
    Respite m_respite;
    async::TimePoint m_troubledAt = async::TimePoint::min();
    async::TaskGroup m_runs; // last: destroyed first
};

} // namespace drover::workers
