#include "core/recipes/queues/items.h"
#include "recipes/queues/locking_queue.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;
using async::Task;

namespace {

const zk::Path Directory("/queues/jobs");

zk::Path entry(const QByteArray &name)
{
    return Directory / "entries" / name;
}

// What became of the items.
struct Ledger {
    QByteArrayList consumed;
    QByteArrayList unknown; // the session ended while they were being consumed
    int refused = 0;
};

Task<void> workOff(zk::Client &zk, int atMost, async::Duration each, Ledger &ledger)
{
    LockingQueue queue(zk, Directory);
    QByteArray item;
    try {
        for (;;) {
            item.clear();
            std::vector<ClaimedItem> claims = co_await queue.getSome(atMost);
            for (ClaimedItem &claim : claims) {
                co_await async::sleepFor(zk.loop(), each);
                item = claim.data();
                auto consuming = claim.consume();
                const bool consumed = co_await consuming;
                if (consumed)
                    ledger.consumed.push_back(item);
                else
                    ++ledger.refused;
                item.clear();
            }
        }
    } catch (const zk::SessionLost &) {
        if (!item.isEmpty())
            ledger.unknown.push_back(item);
    }
}

} // namespace

class LockingQueueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theHighestPriorityComesFirst()
    {
        FakeCluster fake(1);
        LockingQueue queue(fake[0], Directory);
        fake.run(queue.put("c"));
        fake.run(queue.putAll({"d", "e"}, 500));
        fake.run(queue.put("a", 0));
        fake.run(queue.put("b", 5));
        QCOMPARE(fake.childrenOf(Directory / "entries"),
                 (QByteArrayList{"entry-000-0000000003", "entry-005-0000000004", "entry-100-0000000000",
                                 "entry-500-0000000001", "entry-500-0000000002"}));
        QCOMPARE(fake.run(queue.size()), qsizetype(5));
        for (const char *expected : {"a", "b", "c", "d", "e"}) {
            ClaimedItem claim = fake.run(queue.get());
            QCOMPARE(claim.data(), QByteArray(expected));
            QVERIFY(fake.run(claim.consume()));
        }
        QCOMPARE(fake.run(queue.size()), qsizetype(0));
        QVERIFY(fake.childrenOf(Directory / "taken").isEmpty());
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(queue.put("x", 1000)));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(queue.put("x", -1)));
    }

    // As kazoo writes it: `taken` holds the id of the client, 32 hexadecimal digits, and belongs to its session.
    void aClaimIsKazoosTakenNode()
    {
        FakeCluster fake(2);
        LockingQueue queue(fake[0], Directory);
        fake.run(queue.put("a"));
        ClaimedItem claim = fake.run(queue.get());
        const FakeTree::Znode *taken = fake.server.tree().find(Directory / "taken" / "entry-100-0000000000");
        QVERIFY(taken);
        QCOMPARE(taken->data.size(), 32);
        QCOMPARE(taken->stat.ephemeralOwner, fake[0].sessionId());
        QCOMPARE(claim.fence().czxid, taken->stat.czxid);
        QCOMPARE(claim.fence().path, Directory / "taken" / "entry-100-0000000000");
        QCOMPARE(claim.attempt(), 1);
        LockingQueue other(fake[1], Directory);
        QVERIFY(!fake.run(other.get(1s)));
        QVERIFY(fake.run(claim.holdsLock()));
        claim.release();
        QVERIFY(!fake.run(claim.holdsLock()));
        QVERIFY(!fake.run(claim.consume()));
        const std::optional<ClaimedItem> again = fake.run(other.get(1s));
        QVERIFY(again);
        QCOMPARE(again->attempt(), 2);
        QVERIFY(again->fence().czxid > claim.fence().czxid);
    }

    void anItemOfADestroyedClaimIsAvailableAtOnce()
    {
        FakeCluster fake(2);
        LockingQueue first(fake[0], Directory);
        LockingQueue second(fake[1], Directory);
        fake.run(first.put("a"));
        {
            const ClaimedItem claim = fake.run(first.get());
        }
        QCOMPARE(fake.run(second.get()).data(), QByteArray("a"));
        fake.settle();
        QVERIFY(fake.childrenOf(Directory / "taken").isEmpty());
        QCOMPARE(fake.run(second.size()), qsizetype(1));
    }

    void aClaimOfKnownItemsIsOneRoundTrip()
    {
        FakeCluster fake(1, {.latency = 5ms});
        LockingQueue queue(fake[0], Directory);
        fake.run(queue.putAll(numbered(100)));
        std::vector<ClaimedItem> claims = fake.run(queue.getSome(10));
        const async::TimePoint before = fake.world.now();
        for (int i = 0; i < 5; ++i) {
            claims = fake.run(queue.getSome(10));
            QCOMPARE(claims.size(), std::size_t(10));
        }
        QCOMPARE(fake.world.now() - before, async::Duration(50ms));
    }

    // Seen from outside its transaction it may well look ours: kazoo asks there (holds_lock), we do not.
    void aLostClaimNeitherConsumesNorReleases()
    {
        FakeCluster fake(3);
        LockingQueue first(fake[0], Directory);
        LockingQueue second(fake[1], Directory);
        fake.run(first.put("a"));
        ClaimedItem lost = fake.run(first.get());
        fake.get(fake[2].remove(lost.fence().path)).require();
        const ClaimedItem claim = fake.run(second.get());
        QVERIFY(!fake.run(lost.holdsLock()));
        QVERIFY(!fake.run(lost.consume()));
        fake.settle();
        QVERIFY(fake[1].sessionId() == fake.server.tree().find(claim.fence().path)->stat.ephemeralOwner);
        QCOMPARE(fake.run(second.size()), qsizetype(1));
    }

    void theZombiesWriteIsRefused()
    {
        FakeCluster fake(2);
        LockingQueue first(fake[0], Directory);
        LockingQueue second(fake[1], Directory);
        fake.run(fake[1].ensurePath(zk::Path("/result")));
        fake.run(first.put("a"));
        const ClaimedItem zombie = fake.run(first.get());
        fake.process(0).freeze();
        fake.server.expire(fake[0].sessionId());
        ClaimedItem claim = fake.run(second.get()); // has a node of the same name
        zk::Transaction late;
        zombie.fence().guard(late).set(zk::Path("/result"), "late");
        const auto write = [&]() -> Task<bool> {
            const auto committed = co_await fake[1].commit(late);
            co_return committed.ok();
        };
        QVERIFY(!fake.run(write()));
        QVERIFY(fake.run(claim.consume()));
        QVERIFY(!fake.run(write()));
        fake.process(0).thaw();
        fake.settle();
    }

    void timedGetsLeaveNothingBehind()
    {
        FakeCluster fake(2);
        LockingQueue first(fake[0], Directory);
        LockingQueue second(fake[1], Directory);
        fake.run(first.put("a"));
        const ClaimedItem held = fake.run(first.get());
        for (int i = 0; i < 50; ++i) {
            QVERIFY(!fake.run(second.get(10ms)));
            QVERIFY(!fake.run(first.get(10ms)));
        }
        fake.settle();
        QVERIFY(fake.server.watches().empty());
        QCOMPARE(fake.childrenOf(Directory / "drover").size(), 4); // two takers, two receipts, and an empty line
    }

    void vanishedDirectoriesAreMadeAgain()
    {
        FakeCluster fake(2);
        Ledger ledger;
        async::TaskGroup working;
        working.spawn(workOff(fake[0], 1, 0ms, ledger));
        fake.settle();
        fake.get(fake[1].remove(Directory / "entries")).require();
        fake.get(fake[1].remove(Directory / "taken")).require();
        fake.settle();
        LockingQueue queue(fake[1], Directory);
        fake.run(queue.put("a"));
        fake.settle();
        QCOMPARE(ledger.consumed, (QByteArrayList{"a"}));
    }

    void numbersMayWrap()
    {
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(entry("entry-100--2147483648")));
        fake.run(fake[0].ensurePath(entry("entry-100-2147483647")));
        fake.run(fake[0].ensurePath(entry("entry-5x0-0000000001"))); // not ours
        LockingQueue queue(fake[0], Directory);
        ClaimedItem first = fake.run(queue.get());
        ClaimedItem second = fake.run(queue.get());
        QCOMPARE(first.name(), QByteArray("entry-100-2147483647"));
        QCOMPARE(second.name(), QByteArray("entry-100--2147483648"));
        QVERIFY(!fake.run(queue.get(1s)));
    }

    void aChangeWakesFew_data()
    {
        QTest::addColumn<int>("takers");
        QTest::newRow("8 takers") << 8;
        QTest::newRow("100 takers") << 100;
    }
    void aChangeWakesFew()
    {
        QFETCH(int, takers);
        FakeCluster fake(takers + 1);
        Ledger ledger;
        async::TaskGroup working;
        for (int i = 1; i <= takers; ++i)
            working.spawn(workOff(fake[i], 1, 1ms, ledger));
        fake.settle();
        LockingQueue producer(fake[0], Directory);
        for (int i = 0; i < 10; ++i) {
            const quint64 before = fake.watchEvents();
            fake.run(producer.put(QByteArray::number(i)));
            fake.settle();
            QCOMPARE(ledger.consumed.size(), i + 1);
            // Put, claimed, consumed: three changes, each seen by the first in line and by one that had been alone, in
            // two directories; the first one's leaving moves two.
            QVERIFY(fake.watchEvents() - before <= 12);
        }
    }

    void everyItemIsConsumedOnceWhateverIsLost_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("lost replies") << static_cast<int>(Fault::LoseReply);
        QTest::newRow("lost requests") << static_cast<int>(Fault::LoseRequest);
        QTest::newRow("expiries") << static_cast<int>(Fault::Expire);
        QTest::newRow("anything") << -1;
    }
    void everyItemIsConsumedOnceWhateverIsLost()
    {
        QFETCH(int, fault);
        quint64 bites = 0;
        for (quint64 n = 1; n <= 80; ++n) {
            FaultPlan plan = FaultPlan::everything(n, fault < 0 ? 0.05 : 0);
            if (fault >= 0)
                plan.scripted[n] = static_cast<Fault>(fault);
            FaultInjector faults(plan);
            FakeCluster fake(2, {.latency = 2ms});
            fake.add({.latency = 2ms, .faults = &faults});
            Ledger ledger;
            {
                async::TaskGroup working;
                LockingQueue queue(fake[0], Directory);
                for (int k = 0; k < 4; ++k)
                    fake.run(queue.putAll(numbered(20).mid(5 * k, 5), 100 + k));
                working.spawn(workOff(fake[2], 3, 3ms, ledger));
                working.spawn(workOff(fake[1], 2, 3ms, ledger));
                fake.settle(60s);
                faults.heal();
                fake.settle(60s);
            }
            bites += faults.log().total();
            std::sort(ledger.consumed.begin(), ledger.consumed.end());
            QByteArrayList all = ledger.consumed;
            for (const QByteArray &item : ledger.unknown) {
                if (!all.contains(item))
                    all.push_back(item);
            }
            std::sort(all.begin(), all.end());
            QVERIFY2(all == numbered(20),
                     qPrintable(QStringLiteral("%1: %2").arg(n).arg(QString::fromUtf8(all.join(' ')))));
            QVERIFY(std::adjacent_find(ledger.consumed.begin(), ledger.consumed.end()) == ledger.consumed.end());
            QVERIFY(fake.childrenOf(Directory / "entries").isEmpty());
            fake.settle();
            QVERIFY(fake.childrenOf(Directory / "taken").isEmpty());
        }
        QVERIFY(bites > 20);
    }

    void aPutThatIsAllOrNothingHappensOnce()
    {
        for (quint64 n = 1; n <= 12; ++n) {
            FaultPlan plan;
            plan.scripted[n] = Fault::LoseReply;
            FaultInjector faults(plan);
            FakeCluster fake(1, {.latency = 2ms, .faults = &faults});
            LockingQueue queue(fake[0], Directory);
            fake.run(queue.putAll({"a", "b"}));
            fake.run(queue.put("c"));
            fake.run(queue.put("d"));
            QCOMPARE(fake.run(queue.size()), qsizetype(4));
        }
    }

    // Both read the entry at one version, so that the claim of either gives it the same next one.
    void aCancelledGetLeavesTheClaimOfAFasterTaker()
    {
        int claimed = 0;
        for (int start = 0; start <= 30; start += 2) {
            for (int end = start + 1; end <= start + 30; ++end) {
                FakeCluster fake(1, {.latency = 1ms});
                fake.add({.latency = 5ms});
                LockingQueue fast(fake[0], Directory);
                LockingQueue slow(fake[1], Directory);
                fake.run(fast.put("a"));
                std::optional<ClaimedItem> claim;
                const auto take = [](LockingQueue &queue, std::optional<ClaimedItem> &result) -> Task<void> {
                    ClaimedItem got = co_await queue.get();
                    result = std::move(got);
                };
                async::TaskGroup working;
                std::optional<ClaimedItem> other;
                std::optional<async::TaskGroup> cancelled(std::in_place);
                cancelled->spawn(take(slow, other));
                fake.settle(std::chrono::milliseconds(start));
                working.spawn(take(fast, claim));
                fake.settle(std::chrono::milliseconds(end - start));
                cancelled.reset();
                fake.settle(1s);
                if (!claim || other)
                    continue;
                ++claimed;
                QVERIFY(fake.run(claim->holdsLock()));
            }
        }
        QVERIFY(claimed > 100);
    }

    // A get or consume is cancelled at each moment, with replies lost or not. Another client can take the item while
    // the session lives on.
    void aCancelledGetOrConsumeHoldsNothing()
    {
        int cancelled = 0;
        for (quint64 lost = 0; lost <= 10; ++lost) {
            for (int ms = 1; ms <= 70; ms += 3) {
                FaultPlan plan;
                if (lost > 0)
                    plan.scripted[lost] = Fault::LoseReply;
                FaultInjector faults(plan);
                FakeCluster fake(1);
                fake.add({.latency = 5ms, .faults = &faults});
                LockingQueue producer(fake[0], Directory);
                fake.run(producer.putAll({"a", "b", "c"}));
                Ledger ledger;
                {
                    async::TaskGroup working;
                    working.spawn(workOff(fake[1], 2, 1ms, ledger));
                    fake.settle(std::chrono::milliseconds(ms));
                    cancelled += working.empty() ? 0 : 1;
                }
                fake.settle(5s);
                QVERIFY(fake.childrenOf(Directory / "taken").isEmpty());
                QCOMPARE(fake[1].pendingCleanups(), 0);
                QVERIFY(ledger.consumed.size() + fake.childrenOf(Directory / "entries").size() <= 3);
                QVERIFY(ledger.consumed.size() + fake.childrenOf(Directory / "entries").size() >= 2);
            }
        }
        QVERIFY(cancelled > 100);
    }
};

QTEST_GUILESS_MAIN(LockingQueueTest)
#include "locking_queue_test.moc"
