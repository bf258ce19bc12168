#pragma once

#include "async/task_group.h"
#include "workers/capacity.h"
#include "workers/claimed_job.h"
#include "workers/files/output_appender.h"
#include "workers/runner.h"
#include "workers/worker_options.h"
#include "zk/coordinator.h"

namespace drover::workers {

class Reporter;

// The attempts that a worker has under way: each is a process, its claim is watched for what people ask (cancel,
// requeue, signals), and it is reported when it ends. One whose process was lost, with the runner, with the lease or by
// abandon(), is given back.
class Attempts
{
public:
    // Each takes its needs out of `capacity` as long as it is under way; `onEnded` is called whenever one no longer is.
    // All that is referred to outlives this.
    Attempts(zk::Coordinator &zk, jobs::Layout layout, const WorkerOptions &options, Runner &runner, Reporter &reporter,
             Capacity &capacity, std::function<void()> onEnded);
    // Kills them.
    ~Attempts();

    void begin(ClaimedJob job);

    // Reports the ends that the runner has kept, of attempts that are still the current ones of their jobs: nobody has
    // claimed these since. The others are void. Throws SessionLost.
    async::Task<void> reportKept();
    // Of these, those that were still current.
    qint64 keptReported() const { return m_keptReported; }

    // Kills those that run, and gives back whatever is killed from now on.
    void abandon();

    int running() const { return static_cast<int>(m_begun.size()); }
    async::Task<void> ended() { return m_runs.drained(); }

    // How long a job takes: as those before did, or as long as the oldest of those that run has taken already. Nothing
    // before one has ended.
    std::optional<async::Duration> expected() const;

private:
    struct Begun {
        ClaimedJob job;
        async::TimePoint since;
        bool killed = false; // as somebody has asked
        bool requeue = false; // to be begun again
        int signalsPassedOn = 0;
    };

    async::Task<void> run(ClaimedJob job);
    async::Task<void> report(ClaimedJob job, Outcome outcome, Token token);
    async::Task<std::optional<ClaimedJob>> stillCurrent(QByteArray note);
    void retryLater(const ClaimedJob &job, jobs::FinalRecord record, Token token);
    async::Task<void> watchForRequests(ClaimedJob job, Token token);
    void obey(const jobs::Claim &claim, Token token);
    void noteDuration(async::Duration elapsed);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    const WorkerOptions &m_options;
    Runner &m_runner;
    Reporter &m_reporter;
    Capacity &m_capacity;
    OutputAppender m_appender;
    std::function<void()> m_onEnded;

    bool m_abandoning = false;
    qint64 m_keptReported = 0;
    std::map<Token, Begun> m_begun;
    std::optional<async::Duration> m_average;
    async::TaskGroup m_runs; // last: destroyed first
};

} // namespace drover::workers
