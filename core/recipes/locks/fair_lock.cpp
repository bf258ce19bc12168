#include "recipes/locks/fair_lock.h"

namespace drover::recipes {

async::Task<OwnNode> FairLock::take(QByteArray about, Owner)
{
    Ticket ticket = co_await takeTurn(m_zk, m_directory, m_form, about, m_rules);
    co_return std::move(ticket);
}

async::Task<std::optional<OwnNode>> FairLock::tryTake(QByteArray about, Owner)
{
    std::optional<Ticket> ticket = co_await tryTurn(m_zk, m_directory, m_form, about, m_rules);
    if (!ticket)
        co_return std::nullopt;
    co_return std::move(*ticket);
}

} // namespace drover::recipes
