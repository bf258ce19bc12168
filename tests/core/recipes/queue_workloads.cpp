#include "async/or_timeout.h"
#include "core/recipes/workload.h"
#include "recipes/queues/delay_queue.h"
#include "recipes/queues/id_queue.h"
#include "recipes/queues/queue.h"

#include <algorithm>

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/workload/queue");

// What the participants know of the items.
class Ledger
{
public:
    // The name of an item that is about to be put.
    QByteArray put(const Process &process)
    {
        m_inDoubt.push_back(process.name() + '.' + QByteArray::number(m_items++));
        return m_inDoubt.back();
    }
    void acknowledge(const QByteArray &item)
    {
        m_inDoubt.removeOne(item);
        m_acknowledged.push_back(item);
    }
    void done(const QByteArray &item) { m_done.push_back(item); }
    void perhapsDone(const QByteArray &item) { m_perhapsDone.push_back(item); }

    // Counts items that were deleted without being done. Without a count the session ended meanwhile, and the number is
    // unknown.
    void removed(std::optional<int> count) { m_removed += count.value_or(m_items); }
    bool knows(const QByteArray &item) const { return m_acknowledged.contains(item) || m_inDoubt.contains(item); }

    // When the queue is empty: each acknowledged item was done once, or that was left open; no other was done twice.
    void check(InvariantChecker &checker, int mayBeLost = 0) const
    {
        mayBeLost += m_removed;
        for (const QByteArray &item : m_acknowledged) {
            if (!m_done.contains(item) && !m_perhapsDone.contains(item))
                checker.require(mayBeLost-- > 0, QStringLiteral("an item was lost"));
        }
        for (const QByteArray &item : m_done) {
            checker.require(m_done.count(item) == 1, QStringLiteral("an item was done twice"));
            checker.require(knows(item), QStringLiteral("an item was done that was never put"));
        }
    }

private:
    int m_items = 0;
    int m_removed = 0; // at most
    QByteArrayList m_acknowledged;
    QByteArrayList m_inDoubt;
    QByteArrayList m_done;
    QByteArrayList m_perhapsDone;
};

class QueueWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        Queue queue(*process.zk, Place);
        while (process.rounds > 0) {
            --process.rounds;
            co_await process.rest(100ms);
            if (process.random.chance(0.5)) {
                const QByteArray item = m_ledger.put(process);
                co_await queue.offer(item);
                m_ledger.acknowledge(item);
            } else {
                co_await take(*process.zk, queue, process.some(1s));
            }
            ++process.held;
        }
    }

    Task<void> finish(zk::Client &zk, InvariantChecker &checker) override
    {
        Queue queue(zk, Place);
        for (bool more = true; more;) {
            const qsizetype before = co_await queue.size();
            co_await take(zk, queue, 5s);
            more = before > 0;
        }
        const auto ended = [](const QPointer<zk::Client> &session) {
            return !session || session->state() != zk::Client::State::Connected;
        };
        m_ledger.check(checker, static_cast<int>(std::count_if(m_gaveUp.begin(), m_gaveUp.end(), ended)));
    }

private:
    Task<void> take(zk::Client &zk, Queue &queue, async::Duration limit)
    {
        try {
            const std::optional<QByteArray> item = co_await queue.poll(limit);
            if (item)
                m_ledger.done(*item);
            else
                m_gaveUp.push_back(&zk);
        } catch (const TakenOrNot &lost) {
            for (const QByteArray &item : lost.items())
                m_ledger.perhapsDone(item);
            throw;
        }
    }

    Ledger m_ledger;
    // Takes whose time was up put back what they had taken, unless the session ended first.
    std::vector<QPointer<zk::Client>> m_gaveUp;
};

// Items that stay until their work is done: by one at a time, and accepted once.
template <typename T>
class ClaimWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        T queue(*process.zk, Place);
        while (process.rounds > 0) {
            --process.rounds;
            co_await process.rest(100ms);
            if constexpr (std::is_same_v<T, IdQueue>)
                co_await findOrRemove(process, queue);
            if (process.random.chance(0.5)) {
                const QByteArray item = m_ledger.put(process);
                co_await putInto(queue, item, process.random.below(3));
                m_ledger.acknowledge(item);
            } else {
                co_await work(process, queue);
            }
            ++process.held;
        }
    }

    Task<void> finish(zk::Client &zk, InvariantChecker &checker) override
    {
        T queue(zk, Place);
        for (bool more = true; more;) {
            std::optional<ClaimedItem> claim = co_await queue.get(5s);
            more = claim.has_value();
            if (more)
                co_await consume(std::move(*claim));
        }
        const qsizetype left = co_await queue.size();
        checker.require(left == 0, QStringLiteral("an item cannot be taken"));
        m_ledger.check(checker);
    }

private:
    Task<void> work(Process &process, T &queue)
    {
        const async::Duration limit = process.some(1s);
        std::optional<ClaimedItem> claim;
        if (process.random.chance(0.2)) {
            try {
                ClaimedItem got = co_await async::orTimeout(process.loop, queue.get(), limit);
                claim = std::move(got);
            } catch (const async::Timeout &) {
            }
        } else {
            std::optional<ClaimedItem> got = co_await queue.get(limit);
            claim = std::move(got);
        }
        if (!claim)
            co_return;
        std::optional<InvariantChecker::Hold> hold;
        hold.emplace(process.checker, claim->data(), claim->fence(), *process.zk);
        co_await process.rest(300ms);
        if (process.random.chance(0.05))
            process.loop.freezeFor(process.some(15s));
        co_await process.rest(50ms);
        hold.reset();
        if (process.random.chance(0.8)) {
            const bool consumed = co_await consume(std::move(*claim));
            process.refused += !consumed;
        }
    }

    // By one of the ids, now and then.
    Task<void> findOrRemove(Process &process, IdQueue &queue)
    {
        const QByteArray id = idOf(process.random.below(3));
        if (process.random.chance(0.3)) {
            const QByteArrayList found = co_await queue.find(id);
            for (const QByteArray &item : found) {
                process.checker.require(m_ledger.knows(item), QStringLiteral("an item was found that was never put"));
                process.checker.require(found.count(item) == 1, QStringLiteral("an item was found twice"));
                process.checker.require(m_ids.value(item) == id, QStringLiteral("an item was found under another id"));
            }
        }
        if (!process.random.chance(0.15))
            co_return;
        try {
            const int removed = co_await queue.remove(id);
            m_ledger.removed(removed);
        } catch (const zk::SessionLost &) {
            m_ledger.removed(std::nullopt);
            throw;
        }
    }

    Task<bool> consume(ClaimedItem claim)
    {
        const QByteArray item = claim.data();
        try {
            const bool consumed = co_await claim.consume();
            if (consumed)
                m_ledger.done(item);
            co_return consumed;
        } catch (const zk::SessionLost &) {
            m_ledger.perhapsDone(item);
            throw;
        }
    }

    static QByteArray idOf(int lot) { return "id/" + QByteArray::number(lot); }

    Task<void> putInto(LockingQueue &queue, QByteArray item, int lot) { return queue.put(item, 100 + lot); }
    Task<void> putInto(DelayQueue &queue, QByteArray item, int lot) { return queue.putIn(item, lot * 300ms); }
    Task<void> putInto(IdQueue &queue, QByteArray item, int lot)
    {
        m_ids.insert(item, idOf(lot));
        return queue.put(idOf(lot), item);
    }

    Ledger m_ledger;
    QHash<QByteArray, QByteArray> m_ids;
};

} // namespace

std::vector<WorkloadKind> queueWorkloads()
{
    const QByteArrayList furniture = {"/workload/queue", "/workload/queue/entries", "/workload/queue/taken"};
    return {
        {.name = "Queue", .make = makeWorkload<QueueWorkload>, .rounds = 6, .furniture = furniture},
        {.name = "LockingQueue",
         .make = makeWorkload<ClaimWorkload<LockingQueue>>,
         .rounds = 6,
         .furniture = furniture},
        {.name = "DelayQueue", .make = makeWorkload<ClaimWorkload<DelayQueue>>, .rounds = 6, .furniture = furniture},
        {.name = "IdQueue", .make = makeWorkload<ClaimWorkload<IdQueue>>, .rounds = 6, .furniture = furniture},
    };
}

} // namespace drover::test
