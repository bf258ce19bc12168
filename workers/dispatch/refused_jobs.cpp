#include "workers/dispatch/refused_jobs.h"

#include <QScopeGuard>

#include <map>

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration BetweenSigned = 1s;
constexpr async::Duration BetweenFew = 100ms; // unsigned ones: a server writes each transaction to its disk
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
    const auto isLongAgo = [this](const std::optional<async::TimePoint> &last, async::Duration pause) {
        return !last || m_loop.now() - *last >= pause;
    };
    if (!m_signed.empty() && isLongAgo(m_signedAt, BetweenSigned))
        return &m_signed;
    const bool areMany = m_unsigned.size() >= MostEndedTogether;
    return areMany || (!m_unsigned.empty() && isLongAgo(m_unsignedAt, BetweenFew)) ? &m_unsigned : nullptr;
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

// The oldest, of whatever queues: those that come to many queues have no larger part of a second.
async::Task<void> RefusedJobs::endSome(std::deque<Waiting> &waiting)
{
    (&waiting == &m_signed ? m_signedAt : m_unsignedAt) = m_loop.now();
    std::map<QByteArray, Queue *> queues;
    std::vector<QueuedRefusal> some;
    while (!waiting.empty() && some.size() < MostEndedTogether) {
        const Waiting &first = waiting.front();
        queues.emplace(first.queue->name(), first.queue);
        some.push_back({first.queue->name(), first.job});
        waiting.pop_front();
    }
    const std::vector<LeftJob> left = co_await m_claimer.endRefused(std::move(some));
    for (const LeftJob &job : left) {
        WorkFinder &finder = queues.at(job.id.queue)->finder;
        if (job.why == Ended::Changed)
            finder.show(job.entry);
        else if (job.why == Ended::Blocked)
            finder.setAside({job.entry});
    }
    m_ended();
}

} // namespace drover::workers
