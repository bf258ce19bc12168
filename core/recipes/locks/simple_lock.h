#pragma once

#include "recipes/locks/lock.h"

namespace drover::recipes {

// The lock that beginners write first: one ephemeral node, which all waiters watch. It exists to teach the herd effect
// and for comparison; use Mutex.
//
//     <path>          ephemeral: the lock is held; data = text about the holder
//     <path>-epoch    persistent: its version counts the holders (the fence, see NamedNode)
//
//     acquire: multi(create the node, setData epoch)
//     if it exists: watch it; when it is gone, start again
//     release: multi(check epoch, delete it)
//
// A release wakes all N waiters. They send N creates, of which one succeeds, and N - 1 reads to watch again. So N
// waiters cost N * N messages until each has held the lock. There is no order: the client nearest to the server may win
// every time.
//
// Naive versions of this lock have no epoch. Then a check of the node's path also passes for a later holder. A deposed
// holder's write is accepted, and its release deletes the next holder's node. A program that creates the bare node is
// excluded, but does not change the epoch. The fence cannot tell it from the holder before it.
//
// Lost reply: the node is ours if the epoch has our uuid. Suspended, expired: as in Mutex. A missing parent is created.
// Node deleted by another program: a waiter gets the lock, and our fence fails from then on. The epoch's version allows
// 2^31 holders. Two contenders of one session are distinct.
class SimpleLock final : public ReentrantLock
{
public:
    SimpleLock(zk::Client &zk, zk::Path path) : m_zk(zk), m_path(std::move(path)) { }

    const zk::Path &path() const override { return m_path; }

private:
    async::Task<OwnNode> take(QByteArray about, Owner owner) override;
    async::Task<std::optional<OwnNode>> tryTake(QByteArray about, Owner owner) override;

    zk::Client &m_zk;
    zk::Path m_path;
};

} // namespace drover::recipes
