#include "workers/dispatch/prefetched_jobs.h"

#include "workers/claims/reporter.h"
#include "workers/dispatch/prefetch.h"

#include <algorithm>
#include <tuple>

namespace drover::workers {

PrefetchedJobs::PrefetchedJobs(async::Loop &loop, Capacity &capacity, Attempts &attempts, Reporter &reporter,
                               std::function<void()> onGivenBack)
    : m_loop(loop), m_capacity(capacity), m_attempts(attempts), m_reporter(reporter),
      m_onGivenBack(std::move(onGivenBack))
{
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

void PrefetchedJobs::settle()
{
    if (m_here.empty() && m_capacity.freeSlots() > 0)
        m_attempts.recall(); // they need not wait
    const bool moreToCome = count() > 0;
    m_reporter.expectMore(moreToCome);
    m_patience.cancel();
    if (moreToCome)
        m_patience = m_loop.after(Prefetch::patience(m_attempts.usual()), [this] { giveBack(); });
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
