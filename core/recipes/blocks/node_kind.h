#pragma once

#include "zk/client.h"

namespace drover::recipes {

// The recipe that a znode belongs to, judged by its name. Recipes that ignore each other's nodes are different kinds:
// Curator's mutex and its read-write lock can be held at one time in one directory.
enum class NodeKind {
    Other, // no kind below; also members of groups and double barriers
    Mutex, // lock-: Curator's InterProcessMutex and LeaderSelector
    ReadWriteLock, // __READ__, __WRIT__: Curator's InterProcessReadWriteLock
    Latch, // latch-: Curator's LeaderLatch
    Semaphore, // locks, leases, lease-: Curator's InterProcessSemaphoreV2
    Barrier, // ready: Curator's and kazoo's double barriers
    WriteLock, // x-<session>-: ZooKeeper's own lock
    KazooLock, // __lock__: kazoo's Lock, its WriteLock and its Election
    KazooReadLock, // __rlock__
    KazooSemaphore, // 32 hexadecimal digits
    Party, // __party__: kazoo's Party
    Queue, // qn-: ZooKeeper's and Curator's (Simple)DistributedQueue
    CuratorQueue, // queue-: Curator's DistributedQueue and its kin
    KazooQueue, // entry-, entries, taken: kazoo's Queue and LockingQueue
};

NodeKind kindOf(const QByteArray &name);

// Whether the name may stand in the directory of a line of such nodes: a node of that kind, or one that no line counts.
bool standsInLineOf(NodeKind kind, const QByteArray &name);

// The recipe for people: "Curator's InterProcessMutex or LeaderSelector".
QString describe(NodeKind kind);

using AcceptsName = bool (*)(const QByteArray &name);

// The directory holds a node of a recipe that ignores our nodes, or whose nodes we would misread.
class OtherLayout : public std::runtime_error
{
public:
    OtherLayout(const zk::Path &directory, const QByteArray &name);
    NodeKind kind() const { return m_kind; }
    const zk::Path &directory() const { return m_directory; }

private:
    zk::Path m_directory;
    NodeKind m_kind;
};

// Throws OtherLayout if `accepts` refuses one of the `names`. The message prefers a name that shows its recipe.
void requireOnly(const zk::Path &directory, const QByteArrayList &names, AcceptsName accepts);

// Checks the present children of the directory. Another node may be created right after the check. Also throws
// SessionLost.
async::Task<void> requireOnly(zk::Client &zk, zk::Path directory, AcceptsName accepts);

} // namespace drover::recipes
