#include "jobs/model/job_state.h"

#include <array>

namespace drover::jobs {

bool isFinal(JobState state)
{
    return state >= JobState::Succeeded;
}

QString stateName(JobState state)
{
    constexpr std::array<const char *, 7> StateNames{"held",      "waiting", "ready",    "running",
                                                     "succeeded", "failed",  "cancelled"};
    return QLatin1String(StateNames[static_cast<std::size_t>(state)]);
}

JobState unclaimedState(QueueEntry::Class jobClass)
{
    switch (jobClass) {
    case QueueEntry::Class::Held:
        return JobState::Held;
    case QueueEntry::Class::Waiting:
        return JobState::Waiting;
    default:
        return JobState::Ready;
    }
}

} // namespace drover::jobs
