#pragma once

#include "files/shared_file.h"
#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"
#include "workers/attempts/worker_options.h"
#include "workers/claims/claimed_job.h"
#include "workers/process/runner.h"

namespace drover::workers {

// Appends the output of jobs to the files that their submitters named (JobSpec::appendTo), after the job has succeeded
// and before its end is reported. If the worker dies in between, the next attempt appends nothing, and the job ends
// once with its output in the file once. The key is the job's id, not the attempt.
class OutputAppender
{
public:
    OutputAppender(jobs::Cluster cluster, QByteArray worker, const JobBounds &bounds, QStringList folders)
        : m_cluster(std::move(cluster)), m_worker(std::move(worker)), m_bounds(bounds), m_folders(std::move(folders))
    {
    }

    // Whether the job's output belongs in a file. append() does nothing for other jobs.
    static bool appends(const ClaimedJob &job, const Outcome &outcome, const jobs::FinalRecord &record);

    // Returns when `output`, or that of an earlier attempt, is in the file. While the file cannot be written and may
    // get the record yet (AppendUnsettled), this retries with growing pauses. The job's claim says what it waits for.
    // An earlier attempt, or an earlier life of the worker, may have reserved the record. Then this also retries if the
    // path cannot be resolved here, or the file does not match its ledger: the record may be there.
    // If the file certainly does not get the record, the job has failed with code 74, which is not retried. Its record
    // says why, and how to append by hand. Output that was not kept whole (Outcome::outputTruncated) is not appended.
    // If the job is cancelled meanwhile, this returns with a record of that, even while the file hangs. Throws
    // SessionLost: the outcome is unknown.
    async::Task<void> append(ClaimedJob job, Outcome outcome, QString output, jobs::FinalRecord &record);

private:
    async::Task<void> appendNow(ClaimedJob job, QString output, bool &appended);
    async::Task<QString> tryToAppend(ClaimedJob job, QString output, bool mayBeThere);
    async::Task<void> appendOnce(QByteArray key, QString output, QString path);
    async::Task<void> untilTouched(ClaimedJob job);

    jobs::Cluster m_cluster;
    QByteArray m_worker;
    JobBounds m_bounds;
    QStringList m_folders; // the files have to be below, links resolved; empty: anywhere
    std::map<QString, std::shared_ptr<files::SharedFile>> m_files; // by the path as submitted
};

} // namespace drover::workers
