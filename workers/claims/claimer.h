#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"
#include "workers/claims/claimed_job.h"
#include "workers/claims/job_endings.h"
#include "workers/claims/job_verifier.h"
#include "workers/claims/refusals.h"
#include "zk/client.h"
#include "zk/server_clock.h"

#include <functional>
#include <optional>
#include <vector>

namespace drover::workers {

// A job that has used up its attempts, and its end. The last attempt may have appended its output before its worker was
// lost: then the job has succeeded.
struct GivenUpJob {
    ClaimedJob job; // not claimed
    jobs::FinalRecord record;
};

// A job that no worker may run, as it was read. Thousands of them may wait for their end, so its record is made only
// then.
struct RefusedJob {
    jobs::QueueEntry entry;
    qint32 version = 0; // of its node
    bool isSigned = false; // by a person of the cluster; or the cluster is open
    bool isMalformed = false;
};

struct QueuedRefusal {
    QByteArray queue;
    RefusedJob job;
};

// Jobs of a queue, with their specs.
struct Candidates {
    std::vector<ClaimedJob> jobs; // may be claimed
    std::vector<ClaimedJob> unsuitable; // of a newer format; have no spec here
    std::vector<GivenUpJob> givenUp; // to be ended by endGivenUp(), once the file of --append-to was asked
    std::vector<RefusedJob> refused; // to be ended by endRefused()
    std::vector<jobs::QueueEntry> blocked; // may not be read or ended, or have foreign znodes below: retry much later
    QString undecided; // not empty: why this machine cannot tell which signed jobs may run; they were left as they are
};

struct Claims {
    std::vector<ClaimedJob> jobs; // ours now
    std::vector<jobs::QueueEntry> blocked; // may not be changed: retry much later
    bool stale = false; // the queue's settings have changed
};

// Claims jobs for one worker.
//
//     read: the jobs' specs, in one flight
//     claim the jobs that the caller has chosen: one transaction for all: check(queue, its settings) ;
//         for each: setData(job, its spec, the version read) ; create ephemeral claims/<id>
//     if a job was claimed by another worker meanwhile:      repeat without that job
//     if a job may not be changed (no server says which):    a transaction for each
//     if the reply was lost: wait for the connection, sync, keep the jobs whose claims are of this session and attempt
//
// The transaction of a pending job (ClaimedJob::pending) counts that in its spec, and the claim says so. If the worker
// is lost before the job starts (startAttempt), the job has lost no attempt.
//
// In a closed cluster a JobVerifier decides first which jobs may run. The others are refused, and so are malformed
// ones. The caller has them ended beside its claims, many in a transaction (job_endings.h). They may come by the
// thousand: few unsigned ones have a log line and a final record (Refusals). The caller bounds the signed ones. What
// has a record is read once more for it, and stays if it may run by now. A refusal is final, and dates decide as
// well. So nothing is refused by a machine whose clock differs from the servers' (zk::ServerClock).
// Such jobs stay as they are, for other workers or until the clock is right. So do all jobs while the worker knows no
// revocation list (JobVerifier::undecided).
//
// A job is left alone while another program's znodes are below its own. ZooKeeper deletes no znode that has children,
// so the job's end could not be reported. They may come after the read. Then the attempt's result is void (Reporter),
// and the next worker to read the job leaves it alone. So it does with a job if an ACL refuses what a claim or an end
// needs. An administrator may mend that at any time.
//
// A job that must not run again is ended here: it is cancelled, or its attempts are used up. That is refused while
// another claim stands (endUnclaimed): the attempt under way may be the last one allowed. A job that is given up and
// appends to a file is left to the caller, who asks the file first. A spec of a newer format than this program knows is
// left to newer workers.
class Claimer
{
public:
    // If the cluster has credentials, no job is claimed that is not signed. `clock` may be null. Otherwise it must
    // outlive this object; each claim measures the clock. `spool`: see JobVerifier.
    Claimer(jobs::Cluster cluster, QString worker, zk::ServerClock *clock = nullptr, const QString &spool = {})
        : m_cluster(std::move(cluster)), m_worker(std::move(worker)), m_clock(clock), m_refusals(m_cluster.zk.loop())
    {
        if (m_cluster.credentials)
            m_verifier.emplace(m_cluster, spool, clock);
    }

    // Both wait for a lost connection to return, and throw SessionLost.
    async::Task<Candidates> read(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries);
    // `settings`: the jobs are claimed only while the queue's node has this version. All jobs are of one queue.
    async::Task<Claims> claim(std::vector<ClaimedJob> jobs, std::optional<qint32> settings = {});
    // Ends a job that read() has returned, unless its node has changed since. Returns true if it cannot be ended, as
    // `blocked` above: retry much later. Waits and throws as they do.
    async::Task<bool> endGivenUp(GivenUpJob givenUp);
    // Ends jobs that read() has refused, and counts them. All that are signed have a record. Returns what it could not
    // end. Waits and throws as they do.
    async::Task<std::vector<LeftJob>> endRefused(std::vector<QueuedRefusal> refused);

    // Notes that these jobs, which this worker has claimed, begin. `drop` gets the others: with a final
    // record, or without one to be given back.
    using Drop = std::function<void(const ClaimedJob &job, std::optional<jobs::FinalRecord> record)>;
    async::Task<std::vector<ClaimedJob>> noteStarts(std::vector<ClaimedJob> jobs, Drop drop);
    // Whether this machine's clock agrees with the servers'; true without a clock. Unless it is known
    // to agree, it is measured by a write to the worker's own node. Throws SessionLost.
    async::Task<bool> clockAgrees();
    // See JobVerifier::believe().
    void believe(const trust::Anchors &anchors)
    {
        if (m_verifier)
            m_verifier->believe(anchors);
    }
    // See JobVerifier; empty in an open cluster.
    QString journalTrouble() const { return m_verifier ? m_verifier->journalTrouble() : QString(); }
    async::Task<QString> tryJournal();

    // How many jobs it has refused to run, and ended.
    qint64 refused() const { return m_refusals.all(); }
    // One that noteStarts() has refused, once its record is stored.
    void countRefused() { m_refusals.count(); }

private:
    using Settings = std::optional<qint32>;

    struct Place {
        jobs::JobId id;
        jobs::QueueEntry entry;
    };
    struct Refused { // with their records, instead of Candidates::refused
        std::vector<JobEnding> endings;
        std::vector<jobs::JobId> blocked;
    };

    async::Task<Candidates> read(std::vector<Place> places, Refused *refused);
    async::Task<void> readSpecs(std::vector<ClaimedJob> jobs, Candidates &found, Refused *refused);
    async::Task<QString> clockTrouble();
    std::optional<jobs::FinalRecord> readSpec(ClaimedJob &job, JobVerifier::Verdict verdict);
    std::optional<jobs::FinalRecord> refuse(const ClaimedJob &job, const JobVerifier::Verdict &verdict);
    jobs::FinalRecord refusedRecord(const ClaimedJob &job, const jobs::JobSpec &spec, const QString &why);
    async::Task<bool> claimTogether(std::vector<ClaimedJob> &jobs, Settings settings, bool &stale);
    async::Task<bool> commit(std::vector<ClaimedJob> &jobs, Settings settings, bool &stale);
    async::Task<void> keepOwn(std::vector<ClaimedJob> &jobs);
    async::Task<void> end(JobEnding ending, Candidates &found);

    jobs::Cluster m_cluster;
    QString m_worker;
    zk::ServerClock *m_clock;
    Refusals m_refusals;
    std::optional<JobVerifier> m_verifier; // in a closed cluster
};

} // namespace drover::workers
