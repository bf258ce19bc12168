#pragma once

#include "recipes/lock.h"

namespace drover::recipes {

// The lock that everybody writes first: one ephemeral node, which all who wait watch. Kept to teach the herd effect and
// to be compared with; use Mutex.
//
//     <path>          ephemeral, data = "<uuid> <about>": held
//
//     acquire: create the node
//     if it exists: watch it; when it is gone, start again
//     release: delete it
//
// A release wakes all N who wait; they send N creates of which one succeeds, and N - 1 reads to watch again: N waiters
// cost N * N messages until all have had it. No order: whoever is nearest to the server may have it again and again.
//
// Lost reply: the node that exists is ours if it has our uuid. Suspended, expired: as in Mutex. Its parent is made when
// it is missing. There are no numbers to be used up. Two contenders of one session are told apart by the uuid. What
// Mutex has and this cannot: after the node was deleted by another hand its name may be a successor's, whom a release
// by the unsuspecting holder then deprives of it.
class SimpleLock final : public Lockable
{
public:
    SimpleLock(zk::Coordinator &zk, zk::Path path) : m_zk(zk), m_path(std::move(path)) { }

    const zk::Path &path() const override { return m_path; }
    async::Task<Lock> acquire(QByteArray about = {}, Owner owner = Owner()) override;
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about = {}, Owner owner = Owner()) override;

private:
    async::Task<std::optional<Ticket>> attempt(QByteArray about, zk::Watch &watch);

    zk::Coordinator &m_zk;
    zk::Path m_path;
    Holds m_holds;
};

} // namespace drover::recipes
