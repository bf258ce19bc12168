#include "recipes/read_write_lock.h"

#include <algorithm>

namespace drover::recipes {

UpgradeRefused::UpgradeRefused(const zk::Path &directory)
    : std::logic_error(QStringLiteral("%1: this owner reads and cannot write before it has stopped; release the read "
                                      "lock first, or acquire the write lock from the beginning")
                           .arg(directory.toString())
                           .toStdString())
{
}

qsizetype ReadWriteLock::holders(const QByteArrayList &order)
{
    const auto firstOther = std::find_if_not(order.begin(), order.end(), &ReadWriteLock::isReader);
    return std::max<qsizetype>(firstOther - order.begin(), order.isEmpty() ? 0 : 1);
}

Precedence ReadWriteLock::behindWriters()
{
    return {.blocks = [](const QByteArray &name) { return !isReader(name); }};
}

Precedence ReadWriteLock::behindAll()
{
    return {.isFinal = [](const QByteArray &name) { return !isWriter(name); }};
}

async::Task<Lock> ReadWriteLock::Reader::acquire(QByteArray about, Owner owner)
{
    const std::shared_ptr<Lock::Hold> writing = m_writing.heldBy(owner); // not to be released before we have ours
    if (!writing || m_reading.heldBy(owner)) {
        Lock lock = co_await m_reading.acquire(about, owner);
        co_return lock;
    }
    const Ticket &writers = std::get<Ticket>(writing->place);
    Ticket ticket = co_await Ticket::takeBeside(writers, "__READ__", about);
    co_return m_reading.add(std::move(ticket), std::move(owner));
}

async::Task<std::optional<Lock>> ReadWriteLock::Reader::tryAcquire(QByteArray about, Owner owner)
{
    if (!m_writing.heldBy(owner)) {
        std::optional<Lock> lock = co_await m_reading.tryAcquire(about, owner);
        co_return lock;
    }
    Lock lock = co_await acquire(about, owner);
    co_return lock;
}

void ReadWriteLock::Writer::refuseUpgrade(const Owner &owner) const
{
    if (m_reading.heldBy(owner) && !m_writing.heldBy(owner))
        throw UpgradeRefused(path());
}

async::Task<Lock> ReadWriteLock::Writer::acquire(QByteArray about, Owner owner)
{
    refuseUpgrade(owner);
    Lock lock = co_await m_writing.acquire(about, owner);
    co_return lock;
}

async::Task<std::optional<Lock>> ReadWriteLock::Writer::tryAcquire(QByteArray about, Owner owner)
{
    refuseUpgrade(owner);
    std::optional<Lock> lock = co_await m_writing.tryAcquire(about, owner);
    co_return lock;
}

} // namespace drover::recipes
