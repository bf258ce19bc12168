#include "app/bench/crew.h"

namespace drover::app {

namespace {

zk::Coordinator::Counters sentBy(const std::vector<zk::Coordinator *> &sessions)
{
    zk::Coordinator::Counters total;
    for (const zk::Coordinator *session : sessions) {
        total.requests += session->counters().requests;
        total.watchEvents += session->counters().watchEvents;
    }
    return total;
}

} // namespace

void Crew::noteWarm()
{
    if (++m_warm == m_size)
        m_allWarm.set();
}

async::Task<void> Crew::warm()
{
    co_await m_allWarm.wait();
}

async::Task<void> Crew::end()
{
    m_over = true;
    co_await m_tasks.drained();
    if (m_failure)
        std::rethrow_exception(m_failure);
}

void Crew::fail(const std::exception_ptr &error)
{
    if (!m_failure)
        m_failure = error;
    m_over = true;
    m_allWarm.set();
}

async::Task<Crew::Span> Crew::measure(std::vector<zk::Coordinator *> sessions, async::Duration duration,
                                      std::function<void(bool)> measuring)
{
    async::Loop &loop = sessions.front()->loop();
    const zk::Coordinator::Counters before = sentBy(sessions);
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
