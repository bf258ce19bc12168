#include "recipes/locks/multi_lock.h"

#include <algorithm>

namespace drover::recipes {

zk::Transaction &MultiHold::guard(zk::Transaction &transaction) const
{
    for (const Lock &lock : m_locks)
        lock.fence().guard(transaction);
    return transaction;
}

MultiLock::MultiLock(std::vector<Lockable *> locks) : m_locks(std::move(locks))
{
    std::sort(m_locks.begin(), m_locks.end(),
              [](const Lockable *a, const Lockable *b) { return a->path() < b->path(); });
    const auto twice = std::adjacent_find(m_locks.begin(), m_locks.end(),
                                          [](const Lockable *a, const Lockable *b) { return a->path() == b->path(); });
    if (twice != m_locks.end())
        throw std::invalid_argument("lock " + (*twice)->path().bytes().toStdString()
                                    + " is listed twice: it would wait for itself");
}

async::Task<MultiHold> MultiLock::acquire(QByteArray about, Owner owner, Turn onTurn)
{
    std::vector<Lock> held;
    for (Lockable *lockable : m_locks) {
        if (onTurn)
            onTurn(lockable->path());
        Lock lock = co_await lockable->acquire(about, owner);
        held.push_back(std::move(lock));
    }
    co_return MultiHold(std::move(held));
}

async::Task<std::optional<MultiHold>> MultiLock::tryAcquire(QByteArray about, Owner owner)
{
    std::vector<Lock> held;
    for (Lockable *lockable : m_locks) {
        std::optional<Lock> lock = co_await lockable->tryAcquire(about, owner);
        if (!lock)
            co_return std::nullopt;
        held.push_back(std::move(*lock));
    }
    co_return MultiHold(std::move(held));
}

} // namespace drover::recipes
