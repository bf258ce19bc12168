#pragma once

#include "jobs/model/final_record.h"
#include "workers/attempts/worker_options.h"
#include "workers/claims/claimed_job.h"
#include "workers/process/runner.h"

#include <optional>

namespace drover::workers {

// Translates between a job of the cluster and a command of Unix.

// The claim of a run as text (Command::keptClaim), without the spec. decodeClaim() returns nothing for malformed text.
// The text of an earlier version does not say which attempt it was: its number() is 0.
std::string encodeClaim(const ClaimedJob &job);
std::optional<ClaimedJob> decodeClaim(const std::string &keptClaim);

// The job's environment consists of:
//     the spec's variables and WorkerOptions::jobEnvironment
//     DROVER_JOB_ID, DROVER_QUEUE, DROVER_ATTEMPT, and DROVER_FENCE, a number that is greater for a later attempt
//     in the task of an array: DROVER_ARRAY_ID, DROVER_ARRAY_INDEX of the task, DROVER_ARRAY_COUNT, the number of tasks
//     the variables of its locks and of its place in a gang (GangMemberNode)
Command commandOf(const ClaimedJob &job, const WorkerOptions &options);

jobs::FinalRecord recordOf(const ClaimedJob &job, const WorkerOptions &options, const Outcome &outcome);

} // namespace drover::workers
