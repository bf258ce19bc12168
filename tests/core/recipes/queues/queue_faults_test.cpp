#include "recipes/queues/queue.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;
using async::Task;

namespace {

const zk::Path Directory("/queues/a");
const zk::Path Side("/queues/a.drover");

// What the participants know of the items.
struct Ledger {
    QByteArrayList acknowledged; // offered
    QByteArrayList unknown; // offered, perhaps
    QByteArrayList taken;
    QByteArrayList inDoubt;

    // Every acknowledged item came out once, or is in doubt; no other came out twice.
    bool holds() const
    {
        const auto once = [&](const QByteArray &item) {
            return taken.count(item) == 1 || (taken.count(item) == 0 && inDoubt.count(item) == 1);
        };
        return std::all_of(acknowledged.begin(), acknowledged.end(), once)
            && std::all_of(taken.begin(), taken.end(), [&](const QByteArray &item) {
                   return taken.count(item) == 1 && (acknowledged.contains(item) || unknown.contains(item));
               });
    }
};

Task<void> offerSome(zk::Client &zk, QByteArray name, int count, Ledger &ledger)
{
    Queue queue(zk, Directory);
    for (int i = 0; i < count; ++i) {
        QByteArrayList items;
        for (int k = 0; k <= i % 3; ++k)
            items.push_back(name + QByteArray::number(i) + '.' + QByteArray::number(k));
        bool lost = false;
        try {
            co_await queue.offerAll(items);
            ledger.acknowledged += items;
        } catch (const zk::SessionLost &) {
            lost = true;
        }
        if (lost) {
            ledger.unknown += items;
            co_return;
        }
    }
}

Task<void> takeSome(zk::Client &zk, int atMost, Ledger &ledger)
{
    Queue queue(zk, Directory);
    try {
        for (;;) {
            const QByteArrayList items = co_await queue.takeSome(atMost);
            ledger.taken += items;
        }
    } catch (const TakenOrNot &lost) {
        ledger.inDoubt += lost.items();
    } catch (const zk::SessionLost &) {
    }
}

// Offers items without receipts, and offers an item again after a lost reply.
Task<void> offerNaively(zk::Client &zk, QByteArray name, int count, Ledger &ledger)
{
    for (int i = 0; i < count; ++i) {
        const QByteArray item = name + QByteArray::number(i);
        for (bool done = false; !done;) {
            try {
                const auto created = co_await zk.create(Directory / "qn-", item, zk::CreateMode::PersistentSequential);
                done = created.ok();
            } catch (const zk::ConnectionLoss &) {
            }
            co_await zk.connected();
        }
        ledger.acknowledged.push_back(item);
    }
}

Task<void> takeNaively(zk::Client &zk, Ledger &ledger)
{
    for (;;) {
        try {
            const auto names = co_await zk.children(Directory);
            QByteArrayList order = names->names;
            std::sort(order.begin(), order.end());
            if (order.isEmpty()) {
                co_await async::sleepFor(zk.loop(), 10ms);
            } else {
                const zk::Path path = Directory / order.front();
                const auto node = co_await zk.get(path);
                const auto removed = co_await zk.remove(path);
                if (removed.ok())
                    ledger.taken.push_back(node->data);
            }
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

// Two producers and two takers of their own; the first of each meets `faults`.
void run(FaultInjector &faults, Ledger &ledger, bool naive)
{
    FakeCluster fake(2, {.latency = 2ms});
    fake.run(fake[0].ensurePath(Directory));
    for (int i = 0; i < 2; ++i)
        fake.add({.latency = 2ms, .faults = &faults});
    {
        async::TaskGroup tasks;
        if (naive) {
            tasks.spawn(offerNaively(fake[2], "a", 5, ledger));
            tasks.spawn(takeNaively(fake[3], ledger));
        } else {
            tasks.spawn(offerSome(fake[2], "a", 5, ledger));
            tasks.spawn(offerSome(fake[0], "b", 5, ledger));
            tasks.spawn(takeSome(fake[3], 3, ledger));
            tasks.spawn(takeSome(fake[1], 2, ledger));
        }
        fake.settle(60s);
        faults.heal();
        fake.settle(60s);
    }
    fake.settle(60s); // pending clean-ups
    async::TaskGroup rest;
    rest.spawn(takeSome(fake[1], 100, ledger));
    fake.settle(5s);
}

} // namespace

class QueueFaultsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyItemOnceWhicheverReplyIsLost_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("lost replies") << static_cast<int>(Fault::LoseReply);
        QTest::newRow("lost requests") << static_cast<int>(Fault::LoseRequest);
        QTest::newRow("outages") << static_cast<int>(Fault::Disconnect);
        QTest::newRow("expiries") << static_cast<int>(Fault::Expire);
        QTest::newRow("pauses") << static_cast<int>(Fault::Pause);
    }
    void everyItemOnceWhicheverReplyIsLost()
    {
        QFETCH(int, fault);
        quint64 n = 0;
        for (bool bites = true; bites && n < 80;) {
            FaultPlan plan;
            plan.scripted[++n] = static_cast<Fault>(fault);
            FaultInjector faults(plan);
            Ledger ledger;
            run(faults, ledger, false);
            bites = faults.log().total() > 0;
            QVERIFY2(ledger.holds(), qPrintable(QStringLiteral("operation %1").arg(n)));
            const bool session = fault == static_cast<int>(Fault::Expire) || fault == static_cast<int>(Fault::Pause)
                || fault == static_cast<int>(Fault::Disconnect);
            QVERIFY(session || (ledger.inDoubt.isEmpty() && ledger.acknowledged.size() == 18));
        }
        QVERIFY(n > 20);
    }

    // The check above sees what it is to see.
    void withoutReceiptsItemsAreLostOrDoubled()
    {
        int broken = 0;
        for (quint64 n = 1; n <= 20; ++n) {
            FaultPlan plan;
            plan.scripted[n] = Fault::LoseReply;
            FaultInjector faults(plan);
            Ledger ledger;
            run(faults, ledger, true);
            broken += ledger.holds() ? 0 : 1;
        }
        QVERIFY(broken > 0);
    }

    // Cancelled at each moment of its life, with each of its first messages lost or none: what was not handed out is
    // still in the queue, in its place, and nothing else stays.
    void aCancelledTakeLosesNothing_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("lost replies") << static_cast<int>(Fault::LoseReply);
        QTest::newRow("lost requests") << static_cast<int>(Fault::LoseRequest);
    }
    void aCancelledTakeLosesNothing()
    {
        QFETCH(int, fault);
        int cancelled = 0;
        for (quint64 lost = 0; lost <= 12; ++lost) {
            for (int ms = 1; ms <= 60; ++ms) {
                FaultPlan plan;
                if (lost > 0)
                    plan.scripted[lost] = static_cast<Fault>(fault);
                FaultInjector faults(plan);
                FakeCluster fake(1);
                fake.add({.latency = 5ms, .faults = &faults});
                Queue producer(fake[0], Directory);
                fake.run(producer.offerAll({"a", "b", "c", "d", "e"}));
                QByteArrayList got;
                {
                    Queue queue(fake[1], Directory);
                    async::TaskGroup taking;
                    const auto take = [&]() -> Task<void> { got = co_await queue.takeSome(3); };
                    taking.spawn(take());
                    fake.settle(std::chrono::milliseconds(ms));
                    cancelled += taking.empty() ? 0 : 1;
                }
                fake.settle(5s);
                QCOMPARE(got + fake.run(producer.pollSome(10)), (QByteArrayList{"a", "b", "c", "d", "e"}));
                QCOMPARE(fake[1].pendingCleanups(), 0);
                QVERIFY(fake.server.watches().empty());
                QCOMPARE(fake.childrenOf(Side).size(), 3); // a taker, and receipts of offers and takes
            }
        }
        QVERIFY(cancelled > 300);
    }

    void aCancelledOfferIsThereOnceOrNot()
    {
        for (int ms = 0; ms <= 20; ++ms) {
            FakeCluster fake(1, {.latency = 5ms});
            fake.run(fake[0].ensurePath(Directory));
            Queue queue(fake[0], Directory);
            fake.run(queue.offer("a"));
            async::TaskGroup offering;
            offering.spawn(queue.offer("b"));
            offering.spawn(queue.offer("c")); // waits for b's transaction
            fake.settle(std::chrono::milliseconds(ms));
            const bool sent = ms >= 10;
            offering.cancelAll();
            fake.settle(1s);
            fake.run(queue.offer("d"));
            const QByteArrayList items = fake.run(queue.takeSome(10));
            QCOMPARE(items, sent ? (QByteArrayList{"a", "b", "c", "d"}) : (QByteArrayList{"a", "b", "d"}));
        }
    }

    // Items that are put back go to the end of another directory of the same name.
    void anItemThatIsPutBackDoesNotBlockANewDirectory()
    {
        FakeCluster fake(2, {.latency = 5ms});
        Queue producer(fake[0], Directory);
        fake.run(producer.offerAll({"1", "2", "3"}));
        {
            Queue earlier(fake[0], Directory);
            QCOMPARE(fake.run(earlier.takeSome(3)).size(), 3);
        }
        fake.run(producer.offerAll({"a", "b"})); // numbers that the new directory has yet to give out
        {
            Queue queue(fake[1], Directory);
            async::TaskGroup taking;
            const auto take = [&]() -> Task<void> { const QByteArrayList never = co_await queue.takeSome(3); };
            taking.spawn(take());
            QVERIFY(fake.world.runUntil([&] { return fake.childrenOf(Directory).isEmpty(); })); // reply under way
            fake.session(1).disconnect();
        }
        const auto replace = [&]() -> Task<void> {
            const auto removed = co_await fake[0].remove(Directory);
            removed.require();
            co_await fake[0].ensurePath(Directory);
        };
        fake.run(replace());
        fake.session(1).reconnect();
        fake.settle(1s);
        for (int i = 0; i < 5; ++i)
            fake.run(producer.offer(QByteArray::number(i)));
        QCOMPARE(fake.run(producer.takeSome(10)), (QByteArrayList{"a", "b", "0", "1", "2", "3", "4"}));
    }

    void aDeletedReceiptIsMadeAgain()
    {
        FakeCluster fake(1);
        Queue queue(fake[0], Directory);
        fake.run(queue.offer("a"));
        fake.get(fake[0].remove(Side / fake.childrenOf(Side).front())).require();
        fake.get(fake[0].remove(Side)).require();
        fake.run(queue.offer("b"));
        QCOMPARE(fake.run(queue.takeSome(10)), (QByteArrayList{"a", "b"}));
    }

    void theLastProducersAndTakersLeaveNoNode()
    {
        FakeCluster fake(1);
        {
            Queue queue(fake[0], Directory);
            fake.run(queue.offer("a"));
            fake.run(queue.take());
        }
        fake.settle();
        QVERIFY(fake.childrenOf(Side).isEmpty());
    }
};

QTEST_GUILESS_MAIN(QueueFaultsTest)
#include "queue_faults_test.moc"
