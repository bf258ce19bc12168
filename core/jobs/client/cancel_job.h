#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/model/job_spec.h"

namespace drover::jobs {

enum class CancelResult {
    Cancelled, // it was not running and never will
    Asked, // its worker must kill it; the final record follows
    // An array that has begun: the master ends its tasks, and then the array; the final record follows.
    Marked,
    MarkedWithoutMaster, // as Marked, but there is no master now: the next one acts
};

// Cancels a job.
//
//     not running: one transaction: delete the job (at the version read), create done/<id>
//     running:     set the job's "cancelled" (at the version read) ; set the claim's: its worker watches it and kills
//                  the job ; create cancels/<id>: if that worker is lost before it has, the master ends the job as
//                  cancelled once the claim has gone, or the next worker that would claim it does
//     an array that has begun: set the array's "cancelled" (at the version read), tell the master
//     if that no longer fits, the job has moved on: look again
//
// Safe to repeat, and noted in the audit. Throws WrongState if the job has ended or another program has made a znode
// below its own. Also throws NotFound, SessionLost, AccessDenied.
async::Task<CancelResult> cancel(Cluster cluster, JobId id);
// Cancels a job for the cluster itself: without a note, and does nothing if it has ended or does not exist. False: a
// znode below its own keeps it. Throws SessionLost, AccessDenied.
async::Task<bool> cancelIfThere(Cluster cluster, JobId id);

// The directory of notes about jobs that workers were asked to kill. The master removes the notes (CancelSweeper).
zk::Path cancelNotes(const Layout &layout);

// Cancels the tasks of an array with indices from `first` to `last` that have not been expanded. They never will be,
// and count as cancelled. Returns how many tasks that are. One write at the version of the array that was read, noted
// in the audit; safe to repeat. Throws NotFound if there is no such array, and SessionLost. Throws WrongState if it is
// a gang, or holds too many such ranges that it has not reached.
async::Task<qint32> cancelUnexpandedTasks(Cluster cluster, JobId array, qint32 first, qint32 last);

// The reason in the record of a job that was cancelled while it did not run; it depends on what the job was at
// `version`.
QString reasonOfCancel(const JobSpec &spec, qint32 version);

// Adds the operations that cancel a job, as it was read, to a transaction, which is refused if the job has moved on.
// The job must not be an array, and must not have been asked to end already. `reason` and `now` are for the record of a
// job that does not run.
void addCancel(zk::Transaction &transaction, const Layout &layout, const JobView &job, const QString &reason,
               std::chrono::milliseconds now);

} // namespace drover::jobs
