#pragma once

#include "workers/attempts/capacity.h"
#include "workers/claims/claimed_job.h"
#include "workers/claims/lock_contention.h"
#include "workers/dispatch/backfill.h"

#include <functional>
#include <optional>
#include <vector>

namespace drover::workers {

// The worker's decision about a job whose spec it has read.
enum class Decision {
    Claim, // it starts at once; a gang's member with all others
    Prefetch, // claimed before its slot is free
    ClaimToWait, // it waits here for locks or room; no attempt yet
    NoRoomNow, // left to other workers for a moment
    TooManyWait, // enough jobs wait here for its lock or limit
    Unsuitable, // this worker can never run it
};

// The decisions about the jobs of one listing.
struct Selection {
    std::vector<ClaimedJob> toClaim;
    std::vector<jobs::QueueEntry> noRoomNow;
    std::vector<ClaimedJob> tooManyWait;
    std::vector<ClaimedJob> unsuitable;
};

// Decides which jobs of one listing a worker claims. Each decision includes the needs of the jobs chosen before.
//
//     never fits here (slots, memory, labels, session)            Unsuitable
//     the session is full now                                     NoRoomNow
//     room is kept for another job, and this job is not a plain
//         one that ends before that room is free (Backfill)       NoRoomNow
//     needs locks or limits for which enough wait                 TooManyWait
//     needs more than a free slot, and there is no room           NoRoomNow. If no other worker took it: ClaimToWait,
//                                                                 and all room that becomes free is for it
//     needs more than a free slot, or has its last attempt        ClaimToWait; a member of a gang: Claim
//     plain                                                       Claim if a slot is free, otherwise Prefetch
class ClaimPolicy
{
public:
    // The worker and the queue when the decisions are made.
    struct Situation {
        Capacity left; // free, and not promised to a claimed job
        std::vector<jobs::Needs> gangMembers{}; // needs of gang members that wait for room
        LockContention waiting{}; // the jobs that wait here for locks and limits
        qsizetype sessionLoad = 0; // bytes
        bool queueLimit = false; // the queue has a limit
        bool slotsAreOurs = true; // no claimed job waits for a slot
        std::optional<Backfill> backfill{}; // set: room is kept for a job
    };

    ClaimPolicy(jobs::Layout layout, Situation situation);

    // `leftByOthers`: it was left to other workers a moment ago, and none has claimed it.
    Decision decide(const ClaimedJob &job, bool leftByOthers);
    Selection select(std::vector<ClaimedJob> jobs, const std::function<bool(const jobs::QueueEntry &)> &leftByOthers);

private:
    bool mayBackfill(const ClaimedJob &job, bool plain) const;
    std::optional<Decision> objection(const ClaimedJob &job, const QStringList &locks, bool leftByOthers);

    jobs::Layout m_layout;
    Situation m_now;
    // Room for members of gangs. A member without room would take its permits and keep its gang waiting.
    Capacity m_leftForMembers;
    bool m_keepsRoom = false; // for a job of this listing that has no room yet
};

} // namespace drover::workers
