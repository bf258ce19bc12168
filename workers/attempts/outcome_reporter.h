#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"
#include "workers/attempts/output_appender.h"
#include "workers/attempts/worker_conditions.h"
#include "workers/attempts/worker_options.h"
#include "workers/claims/claimed_job.h"
#include "workers/process/runner.h"
#include "zk/server_clock.h"

namespace drover::workers {

class Reporter;

// Reports the ends of runs whose jobs are not given back. First the output goes to the file that the submitter named.
// Then the attempt is finished, or the job is to be tried again. The runner keeps each end until the cluster has
// answered.
// Belongs to the session's thread.
class OutcomeReporter
{
public:
    // All arguments must outlive this object.
    OutcomeReporter(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
                    zk::ServerClock &clock, WorkerConditions &conditions);

    // False: abandon() or the session's end came before the output was in its file. The end is not reported then.
    async::Task<bool> report(ClaimedJob job, Outcome outcome);

    // For a job that ends as failed without a run here. Asks the file of --append-to whether an earlier attempt has
    // appended its output. Changes `record` as OutputAppender::append() does. False as above.
    async::Task<bool> askFile(ClaimedJob job, jobs::FinalRecord &record);

    // Both report ends that the runner has kept, if the attempt is still the job's current one: no worker has claimed
    // the job since. Its own worker may have given it back. Other ends are void. Both throw SessionLost.
    //
    // Call this before the worker joins. While the servers know its last session, no other worker can claim the jobs.
    // It takes two or three round trips for up to 16 ends. It leaves ends whose output is to be appended, which may
    // take long. It also leaves retries, if the last session has left no node to measure the clock by.
    async::Task<void> reportKeptAtOnce();
    // All others. If output cannot be appended soon, that report goes on in the background.
    async::Task<void> reportKept();
    // How many of the kept ends were still current.
    qint64 keptReported() const { return m_keptReported; }
    // Returns when no kept end is being reported.
    async::Task<void> drained() { return m_kept.drained(); }

    // Waits for no output from now on: report() returns false for each job that waits for its output to be appended.
    // Its end is kept. The caller gives the job back at no cost. A later life of this worker reports the end if no
    // worker has claimed the job since, whether the give-back was carried out or not.
    void abandon() { m_abandoned.set(); }
    bool isAbandoned() const { return m_abandoned.isSet(); }

private:
    struct KeptEnd {
        ClaimedJob job;
        Outcome outcome;
    };

    bool runsAgain(const ClaimedJob &job, const jobs::FinalRecord &record) const;
    void finish(const ClaimedJob &job, const jobs::FinalRecord &record, RunId runId);
    async::Task<bool> append(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record);
    async::Task<void> appendNow(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record, bool &settled);
    async::Task<void> retryLater(ClaimedJob job, jobs::FinalRecord record, RunId runId);
    async::Task<std::vector<KeptEnd>> currentEnds();
    void reportAgain(const KeptEnd &end);
    async::Task<void> reportKeptEnd(KeptEnd end);

    jobs::Cluster m_cluster;
    const WorkerOptions &m_options;
    Runner &m_runner;
    Reporter &m_reporter;
    zk::ServerClock &m_clock;
    WorkerConditions &m_conditions;
    OutputAppender m_appender;
    async::Event m_abandoned;
    qint64 m_keptReported = 0;
    async::TaskGroup m_kept; // last: destroyed first
};

} // namespace drover::workers
