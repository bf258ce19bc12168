#pragma once

#include "zk/coordinator.h"

namespace drover::recipes {

// The recipe that a znode belongs to, as far as its name tells. Recipes that do not see each other's nodes are
// different kinds: Curator's mutex and its read-write lock may be held side by side in one directory.
enum class NodeKind {
    Other, // none of these; so are members of groups and double barriers
    Mutex, // lock-: Curator's InterProcessMutex and LeaderSelector
    ReadWriteLock, // __READ__, __WRIT__: Curator's InterProcessReadWriteLock
    Latch, // latch-: Curator's LeaderLatch
    Semaphore, // locks, leases, and lease- below them: Curator's InterProcessSemaphoreV2
    Barrier, // ready: Curator's and kazoo's double barriers
    WriteLock, // x-<session>-: ZooKeeper's own lock
    KazooLock, // __lock__: kazoo's Lock, its WriteLock and its Election
    KazooReadLock, // __rlock__
    KazooSemaphore, // 32 hexadecimal digits
    Party, // __party__: kazoo's Party
    Queue, // qn-: ZooKeeper's DistributedQueue, Curator's SimpleDistributedQueue
    CuratorQueue, // queue-: Curator's DistributedQueue and its kin
    KazooQueue, // entry-, entries, taken: kazoo's Queue and LockingQueue
};

NodeKind kindOf(const QByteArray &name);

// Whether the name may stand in the directory of a line of such nodes: theirs, and others that no line counts.
bool standsInLineOf(NodeKind kind, const QByteArray &name);

// Whose nodes these are: "Curator's InterProcessMutex or LeaderSelector".
QString describe(NodeKind kind);

using AcceptsName = bool (*)(const QByteArray &name);

// The directory holds a node of a recipe that does not see our nodes, or whose nodes we would misread.
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

// Throws OtherLayout about one of the `names` that `accepts` refuses: one that tells its recipe, if any does.
void requireOnly(const zk::Path &directory, const QByteArrayList &names, AcceptsName accepts);

// The same of the children that the directory has now. A look alone decides nothing: another may come behind it.
// Throws SessionLost too.
async::Task<void> requireOnly(zk::Coordinator &zk, zk::Path directory, AcceptsName accepts);

} // namespace drover::recipes
