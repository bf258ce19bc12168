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
//
// A record in the file says that its job has succeeded, whatever a later attempt says:
//
//     an attempt succeeds       reserve its record, and check the job's node at the attempt's version: an attempt that
//                               is no longer the job's reserves nothing
//     the last attempt fails    if an earlier one may have come as far: look for the record. It is in the file, and the
//                               job has succeeded; or it never will be, and the job has failed; or the file does not
//                               answer in time, and the job has failed in doubt
//     the last attempt is lost  the same, by each worker that finds the job; the first to have an answer ends it
//     its start is refused      the same, by the worker that has claimed it (the replay journal, JobPolicy)
//
// A job that no worker claims because no person vouches for it (JobVerifier) ends as refused, and no file is asked.
// What its node says of a file and of earlier attempts is not proven either. So its record says nothing of a file,
// whether its output is there or not. A job whose node is malformed names no file.
class OutputAppender
{
public:
    OutputAppender(jobs::Cluster cluster, QByteArray worker, const JobBounds &bounds, QStringList folders)
        : m_cluster(std::move(cluster)), m_worker(std::move(worker)), m_bounds(bounds), m_folders(std::move(folders))
    {
    }

    // Whether append() has to do with a file: the job's output belongs there, or that of an earlier attempt may be
    // there. It does nothing for other jobs.
    static bool needsFile(const ClaimedJob &job, const Outcome &outcome, const jobs::FinalRecord &record);

    // Returns when `output`, or that of an earlier attempt, is in the file. While the file cannot be written and may
    // get the record yet (AppendUnsettled), this retries with growing pauses. The job's claim says what it waits for.
    // An earlier attempt, or an earlier life of the worker, may have reserved the record. Then this also retries if the
    // path cannot be resolved here, or the file does not match its ledger: the record may be there.
    // If the file certainly does not get the record, the job has failed with code 74, which is not retried. Its record
    // says why, and how to append by hand. Output that was not kept whole (Outcome::outputTruncated) is not appended.
    // If the job is cancelled meanwhile, this returns with a record of that, even while the file hangs. Throws
    // SessionLost: the outcome is unknown.
    //
    // `record` is the job's end: a failed attempt is the last. If an earlier attempt has appended its output, `record`
    // becomes that of a job that has succeeded, and says so. The file is asked for up to 10 minutes. Then, or if the
    // ledger cannot be read, the job has failed, and `record` says that the file may have the output.
    async::Task<void> append(ClaimedJob job, Outcome outcome, QString output, jobs::FinalRecord &record);

private:
    enum class Place { Unknown, InFile, Nowhere }; // of the record; Nowhere: it never will be in the file

    async::Task<void> appendOutput(ClaimedJob job, Outcome outcome, QString output, jobs::FinalRecord &record);
    async::Task<void> askForEarlier(ClaimedJob job, jobs::FinalRecord &record);
    async::Task<void> untilPlaced(ClaimedJob job, std::optional<QString> output, Place &place);
    async::Task<void> placeNow(ClaimedJob job, std::optional<QString> output, Place &place, QString &trouble);
    async::Task<QString> tryToPlace(ClaimedJob job, std::optional<QString> output, bool mayBeThere, Place &place);
    async::Task<Place> placeOnce(ClaimedJob job, std::optional<QString> output);
    async::Task<void> untilTouched(ClaimedJob job);

    jobs::Cluster m_cluster;
    QByteArray m_worker;
    JobBounds m_bounds;
    QStringList m_folders; // the files have to be below, links resolved; empty: anywhere
    std::map<QString, std::shared_ptr<files::SharedFile>> m_files; // by the path as submitted
};

} // namespace drover::workers
