#pragma once

#include "recipes/blocks/named_node.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/semaphore.h"
#include "recipes/locks/simple_lock.h"
#include "support/fake/fake_cluster.h"

namespace drover::test {

// A semaphore with one permit, as a lock. It ignores the owner: a second acquire takes a second permit.
class OnePermit final : public recipes::Lockable
{
public:
    OnePermit(zk::Client &zk, const zk::Path &path) : m_path(path), m_semaphore(zk, path, 1) { }

    const zk::Path &path() const override { return m_path; }
    async::Task<recipes::Lock> acquire(QByteArray about, recipes::Owner) override
    {
        std::vector<recipes::Lease> leases = co_await m_semaphore.acquire(1, about);
        co_return std::move(leases.front());
    }
    async::Task<std::optional<recipes::Lock>> tryAcquire(QByteArray about, recipes::Owner) override
    {
        std::optional<std::vector<recipes::Lease>> leases = co_await m_semaphore.tryAcquire(1, about);
        if (!leases)
            co_return std::nullopt;
        co_return std::move(leases->front());
    }

private:
    zk::Path m_path;
    recipes::Semaphore m_semaphore;
};

// A lock of the kind that a test's data row names.
class AnyLock
{
public:
    // The exclusive locks that are re-entrant by owner. "reader" and "semaphore" (one permit) are kinds, too.
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
        else if (kind == "semaphore")
            m_own = std::make_unique<OnePermit>(zk, path);
        else
            m_readWrite = std::make_unique<ReadWriteLock>(zk, path);
        m_reads = kind == "reader";
    }

    recipes::Lockable &operator*()
    {
        if (m_own)
            return *m_own;
        return m_reads ? m_readWrite->reader() : m_readWrite->writer();
    }
    recipes::Lockable *operator->() { return &**this; }

    // The persistent node that it needs, and leaves.
    static zk::Path furniture(const QByteArray &kind, const zk::Path &path)
    {
        return standsInLine(kind) ? path : recipes::NamedNode::epochBeside(path);
    }

    // The ephemeral znodes of those that hold or wait.
    static qsizetype nodes(const QByteArray &kind, const FakeCluster &fake, const zk::Path &path)
    {
        if (kind == "semaphore")
            return fake.childrenOf(path / "locks").size() + fake.childrenOf(path / "leases").size();
        if (standsInLine(kind))
            return fake.childrenOf(path).size();
        return fake.server.tree().find(path) ? 1 : 0;
    }

private:
    std::unique_ptr<recipes::Lockable> m_own;
    std::unique_ptr<recipes::ReadWriteLock> m_readWrite;
    bool m_reads = false;
};

} // namespace drover::test
