#include "workers/dispatch/prefetched_jobs.h"

#include "workers/claims/reporter.h"

#include <algorithm>
#include <tuple>

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration Horizon = 20ms;
constexpr async::Duration Shortest = 100us;
constexpr async::Duration Patience = 100ms;
constexpr int ClaimsInHorizon = 2;
constexpr int MostPrefetched = 64;
constexpr int WorthIt = 100; // prefetch if a claim takes over 1/100 of a job

} // namespace

PrefetchedJobs::PrefetchedJobs(async::Loop &loop, Capacity &capacity, Attempts &attempts, Reporter &reporter,
                               std::function<void()> onGivenBack)
    : m_loop(loop), m_capacity(capacity), m_attempts(attempts), m_reporter(reporter),
      m_onGivenBack(std::move(onGivenBack))
{
}

int PrefetchedJobs::wanted() const
{
    const std::optional<async::Duration> expected = m_attempts.expected(); // how long a job takes here
    if (!expected)
        return 0;
    const async::Duration each = std::max(*expected, Shortest) / m_capacity.slotCount(); // until a slot comes free
    const auto begun = std::min<qint64>(std::max(Horizon, ClaimsInHorizon * m_claim) / each, MostPrefetched);
    const bool isOneWorthIt = each <= Patience && m_claim * WorthIt >= *expected;
    return std::max(static_cast<int>(begun), isOneWorthIt ? 1 : 0);
}

void PrefetchedJobs::putBack(ClaimedJob job)
{
    const auto isLater = [&job](const ClaimedJob &other) {
        return std::tie(job.claimZxid, job.entry) < std::tie(other.claimZxid, other.entry);
    };
    m_here.insert(std::find_if(m_here.begin(), m_here.end(), isLater), std::move(job));
}

Capacity PrefetchedJobs::left() const
{
    Capacity left = m_capacity;
    for (const ClaimedJob &job : m_here)
        left.take(job.spec.needs);
    return left;
}

bool PrefetchedJobs::startFirst()
{
    if (m_here.empty())
        return false;
    if (Capacity::Reservation room = m_capacity.reserve(m_here.front().spec.needs))
        m_attempts.begin(takeFirst(), std::move(room));
    else if (m_attempts.canEnqueueBehind())
        m_attempts.enqueueBehind(takeFirst());
    else
        return false;
    return true;
}

ClaimedJob PrefetchedJobs::takeFirst()
{
    ClaimedJob job = std::move(m_here.front());
    m_here.pop_front();
    return job;
}

void PrefetchedJobs::recallLate()
{
    if (m_here.empty() && m_capacity.freeSlots() > 0)
        m_attempts.recall(); // they need not wait
    const bool moreToCome = count() > 0;
    m_reporter.expectMore(moreToCome);
    m_patience.cancel();
    const async::Duration usual = m_attempts.usual().value_or(async::Duration::zero());
    if (moreToCome)
        m_patience = m_loop.after(std::clamp(2 * usual, Patience, 3 * Patience), [this] { giveBack(); });
}

void PrefetchedJobs::giveBack(const QByteArray &queue)
{
    const auto isMeant = [&](const ClaimedJob &job) { return queue.isEmpty() || job.id.queue == queue; };
    for (const ClaimedJob &job : m_here) {
        if (isMeant(job))
            m_reporter.giveBackUnstarted(job);
    }
    if (std::erase_if(m_here, isMeant) > 0)
        m_onGivenBack();
    m_attempts.recall(queue);
}

} // namespace drover::workers
