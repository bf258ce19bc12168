#include "recipes/simple_lock.h"

namespace drover::recipes {

async::Task<Lock> SimpleLock::acquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<Lock::Hold> hold = m_holds.of(owner))
        co_return Lock(std::move(hold));
    NamedNode node = co_await NamedNode::take(m_zk, m_path, about, NamedNode::epochBeside(m_path));
    co_return m_holds.add(std::move(node), std::move(owner));
}

async::Task<std::optional<Lock>> SimpleLock::tryAcquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<Lock::Hold> hold = m_holds.of(owner))
        co_return Lock(std::move(hold));
    NamedNode::Terms terms;
    terms.epoch = zk::Transaction::Check{NamedNode::epochBeside(m_path), zk::AnyVersion};
    NamedNode::Attempt attempt = co_await NamedNode::tryTake(m_zk, m_path, about, terms);
    if (!attempt.node)
        co_return std::nullopt;
    co_return m_holds.add(std::move(*attempt.node), std::move(owner));
}

} // namespace drover::recipes
