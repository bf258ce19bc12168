#include "recipes/owned_line.h"

namespace drover::recipes {

async::Task<Lock> OwnedLine::acquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<Lock::Hold> hold = heldBy(owner))
        co_return Lock(std::move(hold));
    Ticket ticket = co_await takeTurn(m_zk, m_directory, m_form, about, m_precedence);
    co_return add(std::move(ticket), std::move(owner));
}

async::Task<std::optional<Lock>> OwnedLine::tryAcquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<Lock::Hold> hold = heldBy(owner))
        co_return Lock(std::move(hold));
    std::optional<Ticket> ticket = co_await tryTurn(m_zk, m_directory, m_form, about, m_precedence);
    if (!ticket)
        co_return std::nullopt;
    co_return add(std::move(*ticket), std::move(owner));
}

} // namespace drover::recipes
