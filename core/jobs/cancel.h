#pragma once

#include "jobs/job_lookup.h"

namespace drover::jobs {

enum class CancelResult {
    Cancelled, // it was not running and never will
    Asked, // its worker has been asked to kill it; the final record follows
    Marked, // an array that has begun: the master ends its tasks, and then it; the final record follows
    MarkedWithoutMaster, // the same, and there is no master now: the next one will
};

// Cancels a job.
//
//     not running: one transaction: delete the job (at the version read), create done/<id>
//     running:     set the job's "cancelled" (at the version read) ; set the claim's: its worker watches it and kills
//                  the job ; create cancels/<id>: if that worker is lost before it has, the master ends the job as
//                  cancelled once the claim has gone, or whoever would claim it next
//     an array that has begun: set the array's "cancelled" (at the version read), tell the master
//     if that no longer fits, the job has moved on: look again
//
// Safe to repeat. Throws WrongState if the job has ended, NotFound, SessionLost, AccessDenied. After a lost reply it
// looks again, and a job that was cancelled by the lost request is reported as Cancelled.
async::Task<CancelResult> cancel(zk::Coordinator &zk, Layout layout, JobId id);
// The same, and nothing if it has ended or is not there. Throws SessionLost, AccessDenied.
async::Task<void> cancelIfThere(zk::Coordinator &zk, Layout layout, JobId id);

// Where jobs are noted that their workers were asked to kill. The master removes the notes (CancelSweeper).
zk::Path cancelNotes(const Layout &layout);

// Of the tasks of an array whose indices are from `first` to `last`: those that have not been unfolded never will be,
// and count as cancelled. Returns how many of them that holds for. One write at the version of the array that was read;
// safe to repeat. Throws NotFound if there is no such array, WrongState if it is a gang or holds too many such ranges,
// SessionLost.
async::Task<qint32> cancelUnfoldedLater(zk::Coordinator &zk, Layout layout, JobId array, qint32 first, qint32 last);

// What the record says of a job that was cancelled while it did not run, by what it was at that version.
QString reasonOfCancel(const JobSpec &spec, qint32 version);

// What cancels a job that is no array and that has not been asked to end already, as it was read: part of a transaction
// with others, which is refused if the job has moved on. `reason` and `now` are for the record of one that is not
// running.
void addCancel(zk::Transaction &transaction, const Layout &layout, const JobView &job, const QString &reason,
               std::chrono::milliseconds now);

} // namespace drover::jobs
