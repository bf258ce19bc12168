#include "recipes/locks/read_write_lock.h"

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

LineRules ReadWriteLock::behindWriters()
{
    return {.blocks = [](const QByteArray &name) { return !isReader(name); }};
}

LineRules ReadWriteLock::behindAll()
{
    return {.isFinal = [](const QByteArray &name) { return !isWriter(name); }};
}

async::Task<OwnNode> ReadWriteLock::Reader::take(QByteArray about, Owner owner)
{
    const std::shared_ptr<OwnNode> writing = m_writer.heldBy(owner); // must not be released before we have ours
    if (!writing)
        co_return co_await FairLock::take(about, owner);
    Ticket ticket = co_await Ticket::takeBeside(*writing, "__READ__", about);
    co_return std::move(ticket);
}

async::Task<std::optional<OwnNode>> ReadWriteLock::Reader::tryTake(QByteArray about, Owner owner)
{
    if (!m_writer.heldBy(owner))
        co_return co_await FairLock::tryTake(about, owner);
    co_return co_await take(about, owner);
}

void ReadWriteLock::Writer::refuseUpgrade(const Owner &owner) const
{
    if (m_reader.heldBy(owner))
        throw UpgradeRefused(path());
}

async::Task<OwnNode> ReadWriteLock::Writer::take(QByteArray about, Owner owner)
{
    refuseUpgrade(owner);
    co_return co_await FairLock::take(about, owner);
}

async::Task<std::optional<OwnNode>> ReadWriteLock::Writer::tryTake(QByteArray about, Owner owner)
{
    refuseUpgrade(owner);
    co_return co_await FairLock::tryTake(about, owner);
}

} // namespace drover::recipes
