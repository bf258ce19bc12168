#include "core/recipes/items.h"
#include "recipes/queue.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;
using async::Task;

namespace {

const zk::Path Directory("/queues/a");
const zk::Path Side("/queues/a.drover");

Task<void> offerAll(zk::Coordinator &zk, QByteArrayList items)
{
    Queue queue(zk, Directory);
    co_await queue.offerAll(items);
}

Task<void> takeInto(zk::Coordinator &zk, int atMost, QByteArrayList &taken)
{
    Queue queue(zk, Directory);
    for (;;) {
        const QByteArrayList items = co_await queue.takeSome(atMost);
        taken += items;
    }
}

} // namespace

class QueueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTheOrderOfOffers()
    {
        FakeParty party(2);
        Queue producer(party[0], Directory);
        Queue consumer(party[1], Directory);
        QVERIFY(!party.run(consumer.peek()));
        QVERIFY(!party.run(consumer.poll()));
        QVERIFY_THROWS_EXCEPTION(QueueEmpty, party.run(consumer.element()));
        QVERIFY_THROWS_EXCEPTION(QueueEmpty, party.run(consumer.remove()));
        party.run(producer.offer("a"));
        party.run(producer.offerAll({"b", "c", "d"}));
        QCOMPARE(party.run(consumer.size()), qsizetype(4));
        QCOMPARE(party.run(consumer.element()), QByteArray("a"));
        QCOMPARE(party.run(consumer.peek()), std::optional(QByteArray("a")));
        QCOMPARE(party.run(consumer.remove()), QByteArray("a"));
        QCOMPARE(party.run(consumer.poll()), std::optional(QByteArray("b")));
        QCOMPARE(party.run(consumer.takeSome(10)), (QByteArrayList{"c", "d"}));
        QVERIFY(!party.run(consumer.poll(1s)));
        QVERIFY(party.childrenOf(Directory).isEmpty());
    }

    // What Java wrote, with what is not an item among it.
    void sharesItsDirectory()
    {
        FakeParty party(1);
        party.run(party[0].ensurePath(Directory / "foreign"));
        Queue queue(party[0], Directory);
        const auto write = [&]() -> Task<void> {
            const auto created =
                co_await party[0].create(Directory / "qn-", "java", zk::CreateMode::PersistentSequential);
            created.require();
        };
        party.run(write());
        party.run(queue.offer("ours"));
        QCOMPARE(party.childrenOf(Directory), (QByteArrayList{"foreign", "qn-0000000001", "qn-0000000002"}));
        QCOMPARE(party.run(queue.takeSome(10)), (QByteArrayList{"java", "ours"}));
        QCOMPARE(party.childrenOf(Directory), (QByteArrayList{"foreign"}));
    }

    void anOfferIsOneRoundTrip()
    {
        FakeParty party(1, {.latency = 5ms});
        Queue queue(party[0], Directory);
        party.run(queue.offer("first")); // makes the directories
        const async::TimePoint before = party.world.now();
        party.run(queue.offer("second"));
        QCOMPARE(party.world.now() - before, async::Duration(10ms));
        QCOMPARE(party.run(queue.size()), qsizetype(2));
    }

    void aTakeOfKnownItemsIsOneRoundTrip()
    {
        FakeParty party(2, {.latency = 5ms});
        party.run(offerAll(party[0], numbered(300)));
        Queue queue(party[1], Directory);
        party.run(queue.takeSome(20));
        const async::TimePoint before = party.world.now();
        const quint64 requestsBefore = party.requests();
        for (int i = 0; i < 10; ++i)
            party.run(queue.takeSome(20));
        QCOMPARE(party.world.now() - before, async::Duration(100ms));
        QVERIFY(party.requests() - requestsBefore <= 10 + 200); // a transaction each, and a read an item
    }

    void anItemWakesFew_data()
    {
        QTest::addColumn<int>("takers");
        QTest::newRow("8 takers") << 8;
        QTest::newRow("100 takers") << 100;
    }
    void anItemWakesFew()
    {
        QFETCH(int, takers);
        FakeParty party(takers + 1);
        QByteArrayList taken;
        async::TaskGroup waiting;
        for (int i = 1; i <= takers; ++i)
            waiting.spawn(takeInto(party[i], 1, taken));
        party.settle();
        Queue producer(party[0], Directory);
        for (int i = 0; i < 10; ++i) {
            const quint64 before = party.watchEvents();
            party.run(producer.offer(QByteArray::number(i)));
            party.settle();
            QCOMPARE(taken.size(), i + 1);
            // The queue changed for the first in line (and for one that had been alone); its leaving moves two.
            QVERIFY2(party.watchEvents() - before <= 4, qPrintable(QString::number(party.watchEvents() - before)));
        }
    }

    void severalTakersDivideTheItems()
    {
        constexpr int Takers = 5;
        FakeParty party(Takers + 1, {.latency = 5ms});
        party.run(offerAll(party[0], numbered(1000)));
        std::vector<QByteArrayList> taken(Takers);
        async::TaskGroup taking;
        const quint64 before = party.requests();
        for (int i = 0; i < Takers; ++i)
            taking.spawn(takeInto(party[i + 1], 10, taken[static_cast<std::size_t>(i)]));
        QVERIFY(party.world.runUntil([&] { return party.childrenOf(Directory).isEmpty(); }));
        party.settle();
        QByteArrayList all;
        for (const QByteArrayList &part : taken) {
            QVERIFY(part.size() > 40);
            all += part;
        }
        std::sort(all.begin(), all.end());
        QCOMPARE(all, numbered(1000));
        QVERIFY2(party.requests() - before <= 2500, qPrintable(QString::number(party.requests() - before)));
    }

    // Its holder may be at work on something else: a second later its share is the others'.
    void whatATakerLeavesLyingGoesToOthers()
    {
        FakeParty party(2);
        Queue busy(party[0], Directory);
        Queue eager(party[1], Directory);
        party.run(busy.offer("x"));
        QCOMPARE(party.run(busy.take()), QByteArray("x")); // now it is known as a taker
        party.run(busy.offerAll(numbered(100)));
        QByteArrayList taken;
        const auto takeAll = [&]() -> Task<void> {
            while (taken.size() < 100) {
                const QByteArrayList items = co_await eager.takeSome(7);
                taken += items;
            }
        };
        party.run(takeAll());
        std::sort(taken.begin(), taken.end());
        QCOMPARE(taken, numbered(100));
        QVERIFY(party.childrenOf(Directory).isEmpty());
    }

    void takesForOneCallerAtATime()
    {
        FakeParty party(1);
        Queue queue(party[0], Directory);
        async::TaskGroup waiting;
        const auto wait = [&]() -> Task<void> { const QByteArray item = co_await queue.take(); };
        waiting.spawn(wait());
        party.settle();
        QVERIFY_THROWS_EXCEPTION(std::logic_error, party.run(queue.poll()));
        waiting.cancelAll();
        party.run(queue.offer("a"));
        QCOMPARE(party.run(queue.poll()), std::optional(QByteArray("a")));
    }

    void tooLargeAnItemIsRefused()
    {
        FakeParty party(1);
        Queue queue(party[0], Directory);
        QVERIFY_THROWS_EXCEPTION(zk::RequestTooLarge, party.run(queue.offer(QByteArray(2 << 20, 'x'))));
        party.run(queue.offer(QByteArray(900'000, 'x')));
        party.run(queue.offer(QByteArray(900'000, 'y'))); // more than fits into one reply or transaction
        QCOMPARE(party.run(queue.takeSome(10)).size(), 1);
        QCOMPARE(party.run(queue.takeSome(10)).size(), 1);
    }

    void lesson09_aDirectoryThatVanishesIsMadeAgain()
    {
        FakeParty party(2);
        QByteArrayList taken;
        async::TaskGroup waiting;
        waiting.spawn(takeInto(party[0], 1, taken));
        party.settle();
        const auto remove = [&]() -> Task<void> {
            const auto removed = co_await party[1].remove(Directory);
            removed.require();
        };
        party.run(remove());
        party.settle();
        party.run(offerAll(party[1], {"a"}));
        party.settle();
        QCOMPARE(taken, (QByteArrayList{"a"}));
    }

    void lesson12_theOrderHoldsUpToTheLastNumber()
    {
        FakeParty party(1);
        party.run(party[0].ensurePath(Directory));
        party.server.tree().setNextSequence(Directory, zk::LastSequence - 2);
        Queue queue(party[0], Directory);
        party.run(queue.offer("a"));
        party.run(queue.offer("b"));
        party.run(queue.offer("c"));
        QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, party.run(queue.offer("d")));
        QCOMPARE(party.run(queue.takeSome(10)), (QByteArrayList{"a", "b", "c"}));
    }

    // Names as servers with a wrapping counter give them: after 2147483647 comes -2147483648.
    void lesson12_theOrderHoldsOverTheWrap()
    {
        FakeParty party(1);
        party.run(party[0].ensurePath(Directory / "qn--2147483648"));
        party.run(party[0].ensurePath(Directory / "qn-2147483647"));
        party.run(party[0].ensurePath(Directory / "qn--2147483647"));
        Queue queue(party[0], Directory);
        QStringList order;
        party.server.onCommit([&](const FakeZooKeeper::Commit &) {
            order.append(QString::number(party.childrenOf(Directory).size()) + QLatin1Char(':')
                         + QString::fromUtf8(party.childrenOf(Directory).join(' ')));
        });
        party.run(queue.poll());
        QVERIFY(order.last().startsWith(QStringLiteral("2:"))
                && !order.last().contains(QStringLiteral("qn-2147483647")));
        party.run(queue.poll());
        QCOMPARE(order.last(), QStringLiteral("1:qn--2147483647"));
    }

    void lesson14_aTakerGoesOnAfterARestart()
    {
        FakeParty party(3);
        QByteArrayList taken;
        async::TaskGroup waiting;
        waiting.spawn(takeInto(party[0], 1, taken));
        waiting.spawn(takeInto(party[1], 1, taken));
        party.settle();
        party.server.stop();
        party.settle(1s);
        party.server.start();
        party.settle(2s);
        party.run(offerAll(party[2], numbered(6)));
        party.settle(5s);
        std::sort(taken.begin(), taken.end());
        QCOMPARE(taken, numbered(6));
    }

    void lesson14_anExpiredTakerIsToldAndItsPlaceInLineIsFree()
    {
        FakeParty party(3);
        QByteArrayList lost;
        QByteArrayList taken;
        std::exception_ptr error;
        async::TaskGroup doomed([&](const std::exception_ptr &e) { error = e; });
        async::TaskGroup waiting;
        doomed.spawn(takeInto(party[0], 1, lost));
        party.settle();
        waiting.spawn(takeInto(party[1], 1, taken));
        party.settle();
        party.server.expire(party[0].sessionId());
        party.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
        party.run(offerAll(party[2], {"a"}));
        party.settle();
        QCOMPARE(taken, (QByteArrayList{"a"}));
    }

    void lesson15_aTimedPollLeavesNothingBehind()
    {
        FakeParty party(2);
        Queue alone(party[0], Directory);
        Queue inLine(party[1], Directory);
        for (int i = 0; i < 50; ++i) {
            QVERIFY(!party.run(alone.poll(10ms)));
            QVERIFY(!party.run(inLine.poll(10ms)));
        }
        party.settle();
        QVERIFY(party.server.watches().empty());
        QCOMPARE(party.childrenOf(Side).size(), 2); // the two takers, nobody in line
        QCOMPARE(party[0].obligations() + party[1].obligations(), 0);
    }
};

QTEST_GUILESS_MAIN(QueueTest)
#include "queue_test.moc"
