#include "jobs/model/job_notes.h"

namespace drover::jobs {

AttemptCount AttemptCount::fromVersion(qint32 version, const JobNotes &notes)
{
    if (version <= 0)
        return {};
    const qint32 uncancelled = notes.cancelled ? version - 1 : version;
    const bool isStart = notes.lastStarted > 0 && notes.lastStarted == uncancelled - 1; // not a claim raised it last
    const qint32 claimVersion = isStart ? notes.lastStarted : uncancelled;
    const qint32 started = uncancelled - 2 * notes.returned - notes.pending;
    return {claimVersion, claimVersion - started};
}

AttemptCount AttemptCount::ofNextClaim(qint32 version, const JobNotes &notes)
{
    const qint32 claimVersion = version + 1;
    return {claimVersion, claimVersion - (fromVersion(version, notes).number() + 1)};
}

} // namespace drover::jobs
