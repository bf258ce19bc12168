#pragma once

#include "recipes/elections/leader_latch.h"
#include "support/fake/fake_cluster.h"

namespace drover::test {

// What a participant's listener hears: "+" leading, "-" not.
struct Heard {
    QByteArray signs;
    recipes::LeaderLatch::Listener listener()
    {
        return [this](recipes::Leadership *leadership) { signs += leadership ? '+' : '-'; };
    }
};

inline async::Task<void> removeNode(zk::Client &zk, zk::Path path)
{
    const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
    removed.require();
}

// A directory and its children, at one blow.
inline async::Task<void> removeAll(zk::Client &zk, zk::Path directory)
{
    const zk::Answer<zk::Children> children = co_await zk.children(directory);
    zk::Transaction transaction;
    for (const QByteArray &name : children->names)
        transaction.remove(directory / name);
    transaction.remove(directory);
    const zk::Answer<zk::Committed> committed = co_await zk.commit(transaction);
    committed.require();
}

// Whether the server accepts a write to /decision under this fence.
inline async::Task<bool> guardedWrite(zk::Client &zk, recipes::Fence fence)
{
    zk::Transaction transaction;
    fence.guard(transaction).set(zk::Path("/decision"), "x");
    const zk::Answer<zk::Committed> committed = co_await zk.commit(transaction);
    co_return committed.ok();
}

} // namespace drover::test
