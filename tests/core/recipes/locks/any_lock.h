#pragma once

#include "recipes/blocks/named_node.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/simple_lock.h"
#include "support/fake_cluster.h"

namespace drover::test {

// An exclusive lock of the kind that a test's data row names.
class AnyLock
{
public:
    static constexpr const char *Kinds[] = {"mutex", "zookeeper", "writer", "slow"};
    static bool standsInLine(const QByteArray &kind) { return kind != "slow"; }

    AnyLock(const QByteArray &kind, zk::Client &zk, const zk::Path &path)
    {
        using namespace recipes;
        if (kind == "mutex")
            m_own = std::make_unique<Mutex>(zk, path);
        else if (kind == "zookeeper")
            m_own = std::make_unique<Mutex>(zk, path, Mutex::zooKeeper());
        else if (kind == "slow")
            m_own = std::make_unique<SimpleLock>(zk, path);
        else
            m_readWrite = std::make_unique<ReadWriteLock>(zk, path);
    }

    recipes::Lockable &operator*() { return m_own ? *m_own : m_readWrite->writer(); }
    recipes::Lockable *operator->() { return &**this; }

    // The persistent node that it needs, and leaves.
    static zk::Path furniture(const QByteArray &kind, const zk::Path &path)
    {
        return standsInLine(kind) ? path : recipes::NamedNode::epochBeside(path);
    }

    // How many hold or wait, as the znodes say.
    static qsizetype nodes(const QByteArray &kind, const FakeCluster &fake, const zk::Path &path)
    {
        if (standsInLine(kind))
            return fake.childrenOf(path).size();
        return fake.server.tree().find(path) ? 1 : 0;
    }

private:
    std::unique_ptr<recipes::Lockable> m_own;
    std::unique_ptr<recipes::ReadWriteLock> m_readWrite;
};

} // namespace drover::test
