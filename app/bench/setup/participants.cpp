#include "app/bench/setup/participants.h"

namespace drover::app {

namespace {

zk::Client::Counters sentBy(const std::vector<zk::Client *> &sessions)
{
    zk::Client::Counters total;
    for (const zk::Client *session : sessions) {
        total.requests += session->counters().requests;
        total.watchEvents += session->counters().watchEvents;
    }
    return total;
}

} // namespace

void Participants::Span::addTo(Figures &figures, std::size_t count, QAnyStringView requests,
                               QAnyStringView wakeups) const
{
    const auto rounds = static_cast<double>(std::max<std::size_t>(count, 1));
    figures.add("requests", static_cast<double>(sent.requests) / rounds, requests);
    figures.add("wakeups", static_cast<double>(sent.watchEvents) / rounds, wakeups);
}

void Participants::noteWarm()
{
    if (++m_warm == m_size)
        m_allWarm.set();
}

async::Task<void> Participants::end()
{
    m_over = true;
    co_await m_tasks.drained();
    if (m_failure)
        std::rethrow_exception(m_failure);
}

void Participants::fail(const std::exception_ptr &error)
{
    if (!m_failure)
        m_failure = error;
    m_over = true;
    m_allWarm.set();
}

async::Task<Participants::Span> Participants::measure(std::vector<zk::Client *> sessions, async::Duration duration,
                                                      std::function<void(bool)> measuring)
{
    async::Loop &loop = sessions.front()->loop();
    const zk::Client::Counters before = sentBy(sessions);
    const async::TimePoint begin = loop.now();
    measuring(true);
    co_await async::sleepFor(loop, duration);
    measuring(false);
    Span span{loop.now() - begin, sentBy(sessions)};
    span.sent.requests -= before.requests;
    span.sent.watchEvents -= before.watchEvents;
    co_await end();
    co_return span;
}

} // namespace drover::app
