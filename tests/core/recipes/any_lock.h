#pragma once

#include "recipes/mutex.h"
#include "recipes/read_write_lock.h"
#include "recipes/simple_lock.h"
#include "support/fake_party.h"

namespace drover::test {

// An exclusive lock of the kind that a test's data row names.
class AnyLock
{
public:
    static constexpr const char *Kinds[] = {"mutex", "zookeeper", "writer", "slow"};
    static bool standsInLine(const QByteArray &kind) { return kind != "slow"; }

    AnyLock(const QByteArray &kind, zk::Coordinator &zk, const zk::Path &path)
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
    static qsizetype nodes(const QByteArray &kind, const FakeParty &party, const zk::Path &path)
    {
        if (standsInLine(kind))
            return party.childrenOf(path).size();
        return party.server.tree().find(path) ? 1 : 0;
    }

private:
    std::unique_ptr<recipes::Lockable> m_own;
    std::unique_ptr<recipes::ReadWriteLock> m_readWrite;
};

} // namespace drover::test
