#pragma once

#include "jobs/job_lookup.h"

namespace drover::jobs {

enum class CancelResult {
    Cancelled, // it was not running and never will
    Asked, // its worker has been asked to kill it; the final record follows
};

// Cancels a job.
//
//     not running: one transaction: delete the job (at the version read), create done/<id>
//     running:     set the job's "cancelled" (at the version read) ; set the claim's: its worker watches it and kills
//                  the job. If that worker is lost before it has, whoever claims the job next ends it as cancelled
//     if that no longer fits, the job has moved on: look again
//
// Safe to repeat. Throws WrongState if the job has ended, NotFound, SessionLost. After a lost reply it looks again, and
// a job that was cancelled by the lost request is reported as Cancelled.
async::Task<CancelResult> cancel(zk::Coordinator &zk, Layout layout, JobId id);

} // namespace drover::jobs
