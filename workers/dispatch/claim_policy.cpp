#include "workers/dispatch/claim_policy.h"

#include "workers/claims/job_locks.h"
#include "workers/dispatch/session_load.h"

namespace drover::workers {

namespace {

// If this claim were lost before the job has begun, the job would be given up without having had its last attempt.
bool isLastAttempt(const ClaimedJob &job)
{
    return job.spec.attemptsLost(job.attempts.claimVersion - 1) + 1 >= job.spec.maxAttempts;
}

// Whether a free slot is all that the job needs.
bool isPlain(const jobs::JobSpec &spec, const QStringList &locks)
{
    return Capacity::isOneSlot(spec.needs) && spec.gang == 0 && locks.isEmpty();
}

} // namespace

ClaimPolicy::ClaimPolicy(jobs::Layout layout, Situation situation)
    : m_layout(std::move(layout)), m_now(std::move(situation)), m_leftForMembers(m_now.left)
{
    for (const jobs::Needs &needs : m_now.gangMembers)
        m_leftForMembers.take(needs);
}

Decision ClaimPolicy::decide(const ClaimedJob &job, bool leftByOthers)
{
    const jobs::Needs &needs = job.spec.needs;
    const qsizetype load = SessionLoad::of(m_layout, job.id, job.spec, m_now.queueLimit);
    if (!m_now.left.suits(needs) || load > SessionLoad::Most)
        return Decision::Unsuitable;
    if (m_now.sessionLoad + load > SessionLoad::Most)
        return Decision::NoRoomNow;
    const QStringList locks = LockRequests::namesOf(job.spec, m_now.queueLimit);
    const bool plain = isPlain(job.spec, locks);
    if (!mayBackfill(job, plain))
        return Decision::NoRoomNow;
    if (!plain) {
        if (const std::optional<Decision> refusal = objection(job, locks, leftByOthers))
            return *refusal;
        m_now.waiting.add(locks);
    }
    const bool beginsAtOnce = m_now.slotsAreOurs && m_now.left.hasRoomFor(needs);
    m_now.left.take(needs);
    m_leftForMembers.take(needs);
    m_now.sessionLoad += load;
    if (job.spec.gang > 0)
        return Decision::Claim;
    if (!plain || isLastAttempt(job))
        return Decision::ClaimToWait;
    return beginsAtOnce ? Decision::Claim : Decision::Prefetch;
}

Selection ClaimPolicy::select(std::vector<ClaimedJob> jobs,
                              const std::function<bool(const jobs::QueueEntry &)> &leftByOthers)
{
    Selection selection;
    for (ClaimedJob &job : jobs) {
        switch (decide(job, leftByOthers(job.entry))) {
        case Decision::ClaimToWait:
            job.pending = true;
            selection.toClaim.push_back(std::move(job));
            break;
        case Decision::Prefetch:
            job.prefetched = true;
            [[fallthrough]];
        case Decision::Claim:
            selection.toClaim.push_back(std::move(job));
            break;
        case Decision::NoRoomNow:
            selection.noRoomNow.push_back(job.entry);
            break;
        case Decision::TooManyWait:
            selection.tooManyWait.push_back(std::move(job));
            break;
        case Decision::Unsuitable:
            selection.unsuitable.push_back(std::move(job));
            break;
        }
    }
    return selection;
}

bool ClaimPolicy::mayBackfill(const ClaimedJob &job, bool plain) const
{
    return !m_now.backfill
        || (plain && !isLastAttempt(job) && m_now.left.hasRoomFor(job.spec.needs)
            && m_now.backfill->mayBackfill(job.spec));
}

// Why a job that is not plain is not claimed.
std::optional<Decision> ClaimPolicy::objection(const ClaimedJob &job, const QStringList &locks, bool leftByOthers)
{
    if (!m_now.waiting.firstSaturated(locks).isEmpty())
        return Decision::TooManyWait;
    if ((job.spec.gang > 0 ? m_leftForMembers : m_now.left).hasRoomFor(job.spec.needs))
        return std::nullopt;
    if (m_keepsRoom || !leftByOthers)
        return Decision::NoRoomNow;
    m_keepsRoom = true;
    return std::nullopt;
}

} // namespace drover::workers
