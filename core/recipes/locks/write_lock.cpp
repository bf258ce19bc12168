#include "recipes/locks/write_lock.h"

#include "recipes/blocks/follow.h"
#include "recipes/blocks/line.h"

namespace drover::recipes {

void WriteLock::lock(QByteArray about)
{
    if (!std::exchange(m_inLine, true))
        m_standing.spawn(stand(about));
}

void WriteLock::unlock()
{
    m_standing.cancelAll();
    leave(nullptr);
}

async::Task<void> WriteLock::stand(QByteArray about)
{
    Ticket::Taken taken = co_await Ticket::take(m_zk, m_directory, Mutex::zooKeeper(), about);
    m_ticket.emplace(std::move(taken.ticket));
    co_await awaitTurn(*m_ticket, std::move(taken.line));
    m_owner = true;
    m_guard.post(m_zk.loop(), [this] {
        if (m_owner && m_listener.acquired)
            m_listener.acquired();
    });
    const zk::Path path = m_ticket->path();
    const std::function<void(const zk::Node *)> mustExist = [path](const zk::Node *node) {
        if (!node)
            throw TicketRevoked(path);
    };
    co_await followData(m_zk, path, mustExist);
}

void WriteLock::leave(const std::exception_ptr &reason)
{
    if (!std::exchange(m_inLine, false))
        return;
    m_owner = false;
    m_ticket.reset();
    m_guard.post(m_zk.loop(), [this, reason] {
        if (m_listener.released)
            m_listener.released(reason);
    });
}

} // namespace drover::recipes
