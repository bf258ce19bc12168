#pragma once

#include "core/recipes/workload.h"
#include "recipes/blocks/child_nodes.h"
#include "recipes/blocks/ticket.h"

namespace drover::test {

// A workload in which the first process does not run but deletes the recipe's directory under the others, at one blow
// and as often as it has rounds. A process that loses its place gets an error or finds its fence refused. No process
// waits for ever, and the recipe makes its directory anew.
template <typename T>
class Undermined final : public Workload
{
public:
    explicit Undermined(zk::Path directory) : m_directory(std::move(directory)) { }

    async::Task<void> run(Process &process) override
    {
        while (process.rounds > 0) {
            try {
                if (process.number == 0)
                    co_await undermine(process);
                else
                    co_await m_workload.run(process);
            } catch (const recipes::TicketRevoked &) {
                --process.rounds;
            }
        }
    }

    void committed(const FakeTree &tree) override { m_workload.committed(tree); }
    async::Task<void> finish(zk::Client &zk, InvariantChecker &checker) override
    {
        return m_workload.finish(zk, checker);
    }

private:
    async::Task<void> undermine(Process &process)
    {
        using namespace std::chrono_literals;
        co_await process.rest(1s);
        --process.rounds;
        process.checker.mayDelete(process.zk->sessionId());
        for (bool removed = false; !removed;)
            removed = co_await removeAll(*process.zk);
    }

    // Returns false if a process came or went meanwhile, or if the outcome is unknown.
    async::Task<bool> removeAll(zk::Client &zk)
    {
        zk::Transaction transaction;
        const QByteArrayList children = co_await recipes::childNames(zk, m_directory);
        for (const QByteArray &child : children) {
            const QByteArrayList grandchildren = co_await recipes::childNames(zk, m_directory / child);
            for (const QByteArray &grandchild : grandchildren)
                transaction.remove(m_directory / child / grandchild);
            transaction.remove(m_directory / child);
        }
        transaction.remove(m_directory);
        try {
            const zk::Answer<zk::Committed> removed = co_await zk.commit(transaction);
            co_return removed.ok() || (children.isEmpty() && removed.is(zk::Code::NoNode));
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
        co_return false;
    }

    zk::Path m_directory;
    T m_workload;
};

template <typename T>
std::unique_ptr<Workload> undermine(const zk::Path &directory)
{
    return std::make_unique<Undermined<T>>(directory);
}

} // namespace drover::test
