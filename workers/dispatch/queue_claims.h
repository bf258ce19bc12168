#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/attempts/machine_health.h"
#include "workers/attempts/outcome_reporter.h"
#include "workers/attempts/worker_conditions.h"
#include "workers/claims/claimer.h"
#include "workers/dispatch/claim_policy.h"
#include "workers/dispatch/refused_jobs.h"
#include "workers/dispatch/served_queues.h"

#include <optional>
#include <vector>

namespace drover::workers {

class Reporter;

// Claims jobs of the served queues. It hides from a queue's finder what cannot be claimed, and reports what must not
// begin. In a closed cluster a job begins only once its start is in the replay journal. Before a job with --append-to
// ends without a run here, its file is asked beside the claiming (OutputAppender). A job that is given up waits while
// many others are asked about. Belongs to the session's thread.
//
// A client that may create nodes in a queue can fill it with jobs that no worker may run. Each of them costs one look
// here, and a part of a transaction that goes on beside the claiming:
//
//     read as many jobs as are wanted
//     some were refused or may not be read, and none may run: read on, a flight at a time, up to MostLooks
//     claim what may run; hide what was refused
//     beside it: end what was refused (RefusedJobs)
class QueueClaims
{
public:
    using Queue = ServedQueues::Queue;

    // All arguments outlive this object.
    QueueClaims(jobs::Cluster cluster, const WorkerOptions &options, zk::ServerClock &clock, Reporter &reporter,
                OutcomeReporter &outcomes, MachineHealth &health, WorkerConditions &conditions);

    // Reads the next `count` jobs that the queue has listed. The queue outlives this object. Returns those that may be
    // claimed here. read() and claim() wait for a lost connection to return, and throw SessionLost.
    async::Task<std::vector<ClaimedJob>> read(Queue &queue, int count);
    // Claims what was selected, while the queue's node has this version. Returns the jobs that this worker has now. In
    // a closed cluster the plain ones are in the journal.
    async::Task<std::vector<ClaimedJob>> claim(Queue &queue, Selection &selection, qint32 version);
    // For claimed jobs that begin now: notes that in the journal of a closed cluster. Returns those that may begin.
    async::Task<std::vector<ClaimedJob>> noteStarts(std::vector<ClaimedJob> jobs);

    // See Claimer.
    async::Task<bool> clockAgrees() { return m_claimer.clockAgrees(); }
    async::Task<QString> tryJournal() { return m_claimer.tryJournal(); }
    void believe(const trust::Anchors &anchors) { m_claimer.believe(anchors); }

private:
    void tell();
    async::Task<void> endGivenUp(Queue &queue, GivenUpJob givenUp);
    async::Task<void> endRefused(ClaimedJob job, jobs::FinalRecord record);
    void take(Queue &queue, Candidates &found);
    void spareWornJobs(Queue &queue, std::vector<ClaimedJob> &jobs);

    async::Loop &m_loop;
    Reporter &m_reporter;
    OutcomeReporter &m_outcomes;
    MachineHealth &m_health;
    WorkerConditions &m_conditions;
    Claimer m_claimer;
    qint64 m_reported = 0; // refused jobs that `m_conditions` knows of
    bool m_hasTold = false; // it a moment ago
    async::Timer m_tellAgain;
    std::optional<async::TimePoint> m_triedWornJob; // see spareWornJobs()
    async::TaskGroup m_ending; // these are last: destroyed first
    RefusedJobs m_refused;
};

} // namespace drover::workers
