#pragma once

#include "jobs/model/cluster.h"
#include "workers/claims/claimed_job.h"
#include "zk/client.h"

namespace drover::workers {

// Starts a job that was claimed to wait (ClaimedJob::pending). Only then does it count as an attempt:
//
//     1  read the claim: it is ours, and no client has asked to end it
//     2  one transaction: set(job, "this claim has started", the claim's version) ;
//         set(claim, not pending, version read)
//     if the claim has changed: a client has left a request there; repeat
//     if the reply was lost: sync, repeat; a claim that is not pending shows that the transaction was carried out
//
// True: the job is to run, and `job` is at the version that fences its end. False: it was cancelled, requeued or
// claimed by another worker, and is to be given back. `job` must outlive the task. The task must not be cancelled while
// the session lives, or the outcome would be unknown. Throws SessionLost.
async::Task<bool> startAttempt(jobs::Cluster cluster, ClaimedJob &job);

// Clears the mark ClaimedJob::prefetched in the claim of a job that runs:
//
//     read the claim: it is ours, and has the mark ; set(claim, without the mark, version read)
//     if the claim has changed meanwhile: a client has left a request there, which is kept; repeat
//
// The task may be cancelled at any time. Throws SessionLost.
async::Task<void> clearPrefetchMark(jobs::Cluster cluster, ClaimedJob job);

// Writes into the claim what the job waits for at its worker, for users to read. The steps are those above.
async::Task<void> publishWait(jobs::Cluster cluster, ClaimedJob job, QString waits);

} // namespace drover::workers
