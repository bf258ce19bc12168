#include "workers/dispatch/refused_jobs.h"

#include <QScopeGuard>

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration BetweenSigned = 1s;
constexpr async::Duration LookAgain = 100ms; // while nothing else is to be ended

} // namespace

void RefusedJobs::add(Queue &queue, const std::vector<RefusedJob> &jobs)
{
    std::vector<jobs::QueueEntry> hidden;
    std::vector<jobs::QueueEntry> later;
    for (const RefusedJob &job : jobs) {
        const bool hasRoom = m_signed.size() + m_unsigned.size() < Most;
        (hasRoom ? hidden : later).push_back(job.entry);
        if (hasRoom)
            (job.isSigned ? m_signed : m_unsigned).push_back({&queue, job});
    }
    queue.finder.hideRefused(hidden);
    queue.finder.passOver(later);
    if (!hidden.empty() && !std::exchange(m_isEnding, true))
        m_ending.spawn(endAll());
}

// Null if there are none that may be ended now.
std::deque<RefusedJobs::Waiting> *RefusedJobs::next()
{
    if (!m_signed.empty() && (!m_signedAt || m_loop.now() - *m_signedAt >= BetweenSigned))
        return &m_signed;
    return m_unsigned.empty() ? nullptr : &m_unsigned;
}

// What this worker does not come to is refused by the next one, or in its next life.
async::Task<void> RefusedJobs::endAll()
{
    const auto end = qScopeGuard([this] { m_isEnding = false; });
    try {
        while (!m_signed.empty() || !m_unsigned.empty()) {
            std::deque<Waiting> *const waiting = next();
            if (waiting)
                co_await endSome(*waiting);
            else
                co_await async::sleepFor(m_loop, LookAgain);
        }
    } catch (const zk::SessionLost &) {
    }
}

async::Task<void> RefusedJobs::endSome(std::deque<Waiting> &waiting)
{
    if (&waiting == &m_signed)
        m_signedAt = m_loop.now();
    Queue &queue = *waiting.front().queue;
    std::vector<RefusedJob> some;
    while (!waiting.empty() && waiting.front().queue == &queue && some.size() < MostEndedTogether) {
        some.push_back(waiting.front().job);
        waiting.pop_front();
    }
    const std::vector<LeftJob> left = co_await m_claimer.endRefused(queue.name(), std::move(some));
    for (const LeftJob &job : left) {
        if (job.why == Ended::Changed)
            queue.finder.show(job.entry);
        else if (job.why == Ended::Blocked)
            queue.finder.setAside({job.entry});
    }
    m_ended();
}

} // namespace drover::workers
