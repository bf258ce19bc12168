#pragma once

#include "jobs/model/queue_entry.h"

#include <QString>

namespace drover::jobs {

enum class JobState { Held, Waiting, Ready, Running, Succeeded, Failed, Cancelled };

bool isFinal(JobState state);
QString stateName(JobState state); // "held", "waiting", ...
// The state of a job that has such an entry in its queue and no claim. An array that is being expanded is ready.
JobState unclaimedState(QueueEntry::Class jobClass);

} // namespace drover::jobs
