#include "recipes/mutex.h"

#include "recipes/line.h"

namespace drover::recipes {

async::Task<Lock> Mutex::acquire(QByteArray about)
{
    Ticket::Taken taken = co_await Ticket::take(m_zk, m_directory, "lock-", about);
    co_await awaitTurn(taken.ticket, std::move(taken.line));
    co_return Lock(std::move(taken.ticket));
}

} // namespace drover::recipes
