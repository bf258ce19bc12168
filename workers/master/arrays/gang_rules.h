#pragma once

#include "jobs/model/final_record.h"
#include "jobs/model/gang.h"
#include "workers/master/arrays/gang_round_node.h"
#include "workers/master/arrays/task_outcomes.h"

namespace drover::workers {

// The decisions about the rounds of a gang. They depend on nothing but the arguments.

// The tasks of a gang that have ended, each with its outcome.
using MemberOutcomes = std::vector<std::pair<qint32, TaskOutcome>>;

// Sets the fate of an open round: the first member that failed or was cancelled decides it, otherwise the member that
// is lost. A member that was given back takes precedence: others may have failed because of the same stop or outage.
void decideFate(jobs::GangRounds &rounds, const jobs::JobSpec &gang, const MemberOutcomes &outcomes,
                const std::optional<GangRoundNode::Lost> &lost);

// The round that follows the present one, which has ended; nothing if the gang is not tried again. `now` counts from
// the Unix epoch. `random` is a number from 0 to 1 that spreads the delays of retries.
std::optional<jobs::GangRounds> roundAfter(const jobs::GangRounds &rounds, const jobs::JobSpec &gang,
                                           std::chrono::milliseconds now, double random);

// The final record of a gang that is not tried again after these rounds.
jobs::FinalRecord recordOf(const jobs::GangRounds &rounds, const jobs::JobId &id, const jobs::JobSpec &gang,
                           std::chrono::milliseconds now);

} // namespace drover::workers
