#include "app/bench/crew.h"

namespace drover::app {

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

zk::Coordinator::Counters Traffic::sofar() const
{
    zk::Coordinator::Counters now = sum();
    now.requests -= m_before.requests;
    now.watchEvents -= m_before.watchEvents;
    return now;
}

zk::Coordinator::Counters Traffic::sum() const
{
    zk::Coordinator::Counters total;
    for (const zk::Coordinator *session : m_sessions) {
        total.requests += session->counters().requests;
        total.watchEvents += session->counters().watchEvents;
    }
    return total;
}

} // namespace drover::app
