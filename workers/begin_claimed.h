#pragma once

#include "workers/claimed_job.h"
#include "zk/coordinator.h"

namespace drover::workers {

// Begins a job that was claimed to wait (ClaimedJob::pending), so that only from now on it counts as an attempt:
//
//     1  read the claim: it is ours, and nobody has asked to end it
//     2  one transaction: set(job, "this claim has begun", version = attempt) ; set(claim, not pending, version read)
//     if the claim has changed: somebody has asked for something; again
//     if the reply was lost: sync, again; the claim that is no longer pending tells
//
// True when it is to run: `job` is then at the version that fences its end. False if it is not: it is cancelled, asked
// back, or another's; it is to be given back. `job` outlives the task, which is not to be cancelled while the session
// lives: nobody would know what became of the claim. Throws SessionLost.
async::Task<bool> beginClaimed(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob &job);

// Of a job that was claimed ahead of its slot (ClaimedJob::ahead) and runs: its claim no longer says so.
//
//     read the claim: it is ours, and has the mark ; set(claim, not ahead, version read)
//     if it has changed meanwhile: somebody has asked for something, which is kept; again
//
// It may be cancelled at any time. Throws SessionLost.
async::Task<void> sayThatItRuns(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob job);

// In the same way: what it waits for at its worker, for people to read.
async::Task<void> sayWhatItWaitsFor(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob job, QString waits);

} // namespace drover::workers
