#pragma once

#include "recipes/lock.h"

namespace drover::recipes {

// The lock that everybody writes first: one ephemeral node, which all who wait watch. Kept to teach the herd effect and
// to be compared with; use Mutex.
//
//     <path>          ephemeral, data = what is said about it: held
//     <path>-epoch    persistent: its version counts the holders (the fence, see NamedNode)
//
//     acquire: multi(create the node, setData epoch)
//     if it exists: watch it; when it is gone, start again
//     release: multi(check epoch, delete it)
//
// A release wakes all N who wait; they send N creates of which one succeeds, and N - 1 reads to watch again: N waiters
// cost N * N messages until all have had it. No order: whoever is nearest to the server may have it again and again.
//
// The epoch is what the first draft of such a lock lacks: a check of the one node's name passes for whoever holds it
// next, so that a deposed holder's write is accepted, and its release takes the next one's node away. Programs that
// create the bare node are kept out, and not counted: the fence does not tell one of them from the holder before it.
//
// Lost reply: the node that exists is ours if the epoch has our mark. Suspended, expired: as in Mutex. Its parent is
// made when it is missing. Node deleted by another hand: the next one has it, and our fence fails from then on. There
// are no numbers to be used up but the 2^31 of the epoch. Two contenders of one session are two.
class SimpleLock final : public Lockable
{
public:
    SimpleLock(zk::Coordinator &zk, zk::Path path) : m_zk(zk), m_path(std::move(path)) { }

    const zk::Path &path() const override { return m_path; }
    async::Task<Lock> acquire(QByteArray about = {}, Owner owner = Owner()) override;
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about = {}, Owner owner = Owner()) override;

private:
    zk::Coordinator &m_zk;
    zk::Path m_path;
    Holds m_holds;
};

} // namespace drover::recipes
