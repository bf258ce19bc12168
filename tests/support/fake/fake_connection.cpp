#include "support/fake/fake_connection.h"

namespace drover::test {

async::TimePoint FakeConnection::toServer(std::function<void()> arrive, async::Duration delay)
{
    VirtualLoop &world = m_loop.world();
    m_lastToServer = std::max(world.now() + m_latency + delay, m_lastToServer);
    world.at(m_lastToServer, [self = shared_from_this(), arrive = std::move(arrive)] {
        if (self->m_serverOpen)
            arrive();
    });
    return m_lastToServer;
}

void FakeConnection::toClient(std::function<void()> arrive, async::Duration delay)
{
    if (!m_client)
        return;
    m_lastToClient = std::max(m_loop.now() + m_latency + delay, m_lastToClient);
    m_loop.at(m_lastToClient, [self = shared_from_this(), arrive = std::move(arrive)] {
        if (self->m_client)
            arrive();
    });
}

void FakeConnection::sever()
{
    m_serverOpen = false;
    m_client = nullptr;
}

} // namespace drover::test
