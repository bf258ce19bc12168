#include "core/recipes/queues/items.h"
#include "recipes/queues/queue.h"
#include "support/fake/fake_cluster.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;
using async::Task;

namespace {

const zk::Path Directory("/queues/a");
const zk::Path Side("/queues/a.drover");

Task<void> offerAll(zk::Client &zk, QByteArrayList items)
{
    Queue queue(zk, Directory);
    co_await queue.offerAll(items);
}

Task<void> takeInto(zk::Client &zk, int atMost, QByteArrayList &taken)
{
    Queue queue(zk, Directory);
    for (;;) {
        const QByteArrayList items = co_await queue.takeSome(atMost);
        taken += items;
    }
}

Task<void> create(zk::Client &zk, zk::Path path, QByteArray data)
{
    const zk::Answer<zk::Created> created = co_await zk.create(path, data);
    created.require();
}

} // namespace

class QueueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTheOrderOfOffers()
    {
        FakeCluster fake(2);
        Queue producer(fake[0], Directory);
        Queue consumer(fake[1], Directory);
        QVERIFY(!fake.run(consumer.peek()));
        QVERIFY(!fake.run(consumer.poll()));
        QVERIFY_THROWS_EXCEPTION(QueueEmpty, fake.run(consumer.element()));
        QVERIFY_THROWS_EXCEPTION(QueueEmpty, fake.run(consumer.remove()));
        fake.run(producer.offer("a"));
        fake.run(producer.offerAll({"b", "c", "d"}));
        QCOMPARE(fake.run(consumer.size()), qsizetype(4));
        QCOMPARE(fake.run(consumer.element()), QByteArray("a"));
        QCOMPARE(fake.run(consumer.peek()), std::optional(QByteArray("a")));
        QCOMPARE(fake.run(consumer.remove()), QByteArray("a"));
        QCOMPARE(fake.run(consumer.poll()), std::optional(QByteArray("b")));
        QCOMPARE(fake.run(consumer.takeSome(10)), (QByteArrayList{"c", "d"}));
        QVERIFY(!fake.run(consumer.poll(1s)));
        QVERIFY(fake.childrenOf(Directory).isEmpty());
    }

    // What Java wrote, with what is not an item among it.
    void sharesItsDirectory()
    {
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(Directory / "foreign"));
        Queue queue(fake[0], Directory);
        const auto write = [&]() -> Task<void> {
            const auto created =
                co_await fake[0].create(Directory / "qn-", "java", zk::CreateMode::PersistentSequential);
            created.require();
        };
        fake.run(write());
        fake.run(queue.offer("ours"));
        QCOMPARE(fake.childrenOf(Directory), (QByteArrayList{"foreign", "qn-0000000001", "qn-0000000002"}));
        QCOMPARE(fake.run(queue.takeSome(10)), (QByteArrayList{"java", "ours"}));
        QCOMPARE(fake.childrenOf(Directory), (QByteArrayList{"foreign"}));
    }

    void anOfferIsOneRoundTrip()
    {
        FakeCluster fake(1, {.latency = 5ms});
        Queue queue(fake[0], Directory);
        fake.run(queue.offer("first")); // makes the directories
        const async::TimePoint before = fake.world.now();
        fake.run(queue.offer("second"));
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
        QCOMPARE(fake.run(queue.size()), qsizetype(2));
    }

    void aTakeOfKnownItemsIsOneRoundTrip()
    {
        FakeCluster fake(2, {.latency = 5ms});
        fake.run(offerAll(fake[0], numbered(300)));
        Queue queue(fake[1], Directory);
        fake.run(queue.takeSome(20));
        const async::TimePoint before = fake.world.now();
        const quint64 requestsBefore = fake.requests();
        for (int i = 0; i < 10; ++i)
            fake.run(queue.takeSome(20));
        QCOMPARE(fake.world.now() - before, async::Duration(100ms));
        QVERIFY(fake.requests() - requestsBefore <= 10 + 200); // a transaction each, and a read an item
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
        FakeCluster fake(takers + 1);
        QByteArrayList taken;
        async::TaskGroup waiting;
        for (int i = 1; i <= takers; ++i)
            waiting.spawn(takeInto(fake[i], 1, taken));
        fake.settle();
        Queue producer(fake[0], Directory);
        for (int i = 0; i < 10; ++i) {
            const quint64 before = fake.watchEvents();
            fake.run(producer.offer(QByteArray::number(i)));
            fake.settle();
            QCOMPARE(taken.size(), i + 1);
            // The queue changed for the first in line (and for one that had been alone); its leaving moves two.
            QVERIFY2(fake.watchEvents() - before <= 4, qPrintable(QString::number(fake.watchEvents() - before)));
        }
    }

    void severalTakersDivideTheItems()
    {
        constexpr int Takers = 5;
        FakeCluster fake(Takers + 1, {.latency = 5ms});
        fake.run(offerAll(fake[0], numbered(1000)));
        std::vector<QByteArrayList> taken(Takers);
        async::TaskGroup taking;
        const quint64 before = fake.requests();
        for (int i = 0; i < Takers; ++i)
            taking.spawn(takeInto(fake[i + 1], 10, taken[static_cast<std::size_t>(i)]));
        QVERIFY(fake.world.runUntil([&] { return fake.childrenOf(Directory).isEmpty(); }));
        fake.settle();
        QByteArrayList all;
        for (const QByteArrayList &part : taken) {
            QVERIFY(part.size() > 40);
            all += part;
        }
        std::sort(all.begin(), all.end());
        QCOMPARE(all, numbered(1000));
        QVERIFY2(fake.requests() - before <= 2500, qPrintable(QString::number(fake.requests() - before)));
    }

    // Its holder may be at work on something else: a second later its share is the others'.
    void itemsThatATakerDoesNotTakeGoToOthers()
    {
        FakeCluster fake(2);
        Queue busy(fake[0], Directory);
        Queue eager(fake[1], Directory);
        fake.run(busy.offer("x"));
        QCOMPARE(fake.run(busy.take()), QByteArray("x")); // now it is known as a taker
        fake.run(busy.offerAll(numbered(100)));
        QByteArrayList taken;
        const auto takeAll = [&]() -> Task<void> {
            while (taken.size() < 100) {
                const QByteArrayList items = co_await eager.takeSome(7);
                taken += items;
            }
        };
        fake.run(takeAll());
        std::sort(taken.begin(), taken.end());
        QCOMPARE(taken, numbered(100));
        QVERIFY(fake.childrenOf(Directory).isEmpty());
    }

    void takesForOneCallerAtATime()
    {
        FakeCluster fake(1);
        Queue queue(fake[0], Directory);
        async::TaskGroup waiting;
        const auto wait = [&]() -> Task<void> { const QByteArray item = co_await queue.take(); };
        waiting.spawn(wait());
        fake.settle();
        QVERIFY_THROWS_EXCEPTION(std::logic_error, fake.run(queue.poll()));
        waiting.cancelAll();
        fake.run(queue.offer("a"));
        QCOMPARE(fake.run(queue.poll()), std::optional(QByteArray("a")));
    }

    void tooLargeAnItemIsRefused()
    {
        FakeCluster fake(1);
        Queue queue(fake[0], Directory);
        QVERIFY_THROWS_EXCEPTION(zk::RequestTooLarge, fake.run(queue.offer(QByteArray(2 << 20, 'x'))));
        fake.run(queue.offer(QByteArray(900'000, 'x')));
        fake.run(queue.offer(QByteArray(900'000, 'y'))); // more than fits into one reply or transaction
        QCOMPARE(fake.run(queue.takeSome(10)).size(), 1);
        QCOMPARE(fake.run(queue.takeSome(10)).size(), 1);
    }

    // 300 items of 20 KB, of which a transaction takes 26.
    void largeItemsAreNotAllReadAhead()
    {
        FakeCluster fake(2);
        Queue queue(fake[0], Directory);
        fake.run(queue.offerAll(QByteArrayList(300, QByteArray(20'000, 'x'))));
        Queue taker(fake[1], Directory);
        QCOMPARE(fake.run(taker.takeSome(500)).size(), 26);
        QVERIFY2(fake[1].counters().requests < 200, QByteArray::number(fake[1].counters().requests));
        const quint64 before = fake[1].counters().requests;
        for (int i = 0; i < 4; ++i)
            QCOMPARE(fake.run(taker.takeSome(500)).size(), 26);
        QVERIFY2(fake[1].counters().requests - before < 200, QByteArray::number(fake[1].counters().requests - before));
    }

    // Java and Python store items that are larger than a request that writes them again may be.
    void anItemThatCouldNotBePutBackStaysWhereItIs()
    {
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("qn-0000000000 stays where it is")));
        FakeCluster fake(1);
        Queue queue(fake[0], Directory);
        const QByteArray large(zk::MaxRequestSize - 500, 'x');
        QVERIFY_THROWS_EXCEPTION(zk::RequestTooLarge, fake.run(queue.offer(large)));
        fake.run(fake[0].ensurePath(Directory));
        fake.run(create(fake[0], Directory / "qn-0000000000", large));
        QCOMPARE(fake.run(queue.poll()), std::nullopt);
        fake.run(create(fake[0], Directory / "qn-0000000001", "small"));
        QCOMPARE(fake.run(queue.take()), QByteArray("small"));
        QCOMPARE(fake.run(queue.poll()), std::nullopt);
        QCOMPARE(fake.childrenOf(Directory), (QByteArrayList{"qn-0000000000"}));
    }

    void aDirectoryThatVanishesIsMadeAgain()
    {
        FakeCluster fake(2);
        QByteArrayList taken;
        async::TaskGroup waiting;
        waiting.spawn(takeInto(fake[0], 1, taken));
        fake.settle();
        fake.get(fake[1].remove(Directory)).require();
        fake.settle();
        fake.run(offerAll(fake[1], {"a"}));
        fake.settle();
        QCOMPARE(taken, (QByteArrayList{"a"}));
    }

    void theOrderHoldsUpToTheLastNumber()
    {
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(Directory));
        fake.server.tree().setNextSequence(Directory, zk::LastSequence - 2);
        Queue queue(fake[0], Directory);
        fake.run(queue.offer("a"));
        fake.run(queue.offer("b"));
        fake.run(queue.offer("c"));
        QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, fake.run(queue.offer("d")));
        QCOMPARE(fake.run(queue.takeSome(10)), (QByteArrayList{"a", "b", "c"}));
    }

    // Names as servers with a wrapping counter give them: after 2147483647 comes -2147483648.
    void theOrderHoldsOverTheWrap()
    {
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(Directory / "qn--2147483648"));
        fake.run(fake[0].ensurePath(Directory / "qn-2147483647"));
        fake.run(fake[0].ensurePath(Directory / "qn--2147483647"));
        Queue queue(fake[0], Directory);
        QStringList order;
        fake.server.onCommit([&](const FakeZooKeeper::Commit &) {
            order.append(QString::number(fake.childrenOf(Directory).size()) + QLatin1Char(':')
                         + QString::fromUtf8(fake.childrenOf(Directory).join(' ')));
        });
        fake.run(queue.poll());
        QVERIFY(order.last().startsWith(QStringLiteral("2:"))
                && !order.last().contains(QStringLiteral("qn-2147483647")));
        fake.run(queue.poll());
        QCOMPARE(order.last(), QStringLiteral("1:qn--2147483647"));
    }

    void aTakerGoesOnAfterARestart()
    {
        FakeCluster fake(3);
        QByteArrayList taken;
        async::TaskGroup waiting;
        waiting.spawn(takeInto(fake[0], 1, taken));
        waiting.spawn(takeInto(fake[1], 1, taken));
        fake.settle();
        fake.server.stop();
        fake.settle(1s);
        fake.server.start();
        fake.settle(2s);
        fake.run(offerAll(fake[2], numbered(6)));
        fake.settle(5s);
        std::sort(taken.begin(), taken.end());
        QCOMPARE(taken, numbered(6));
    }

    void anExpiredTakerGetsSessionLostAndItsPlaceInLineIsFree()
    {
        FakeCluster fake(3);
        QByteArrayList lost;
        QByteArrayList taken;
        std::exception_ptr error;
        async::TaskGroup doomed([&](const std::exception_ptr &e) { error = e; });
        async::TaskGroup waiting;
        doomed.spawn(takeInto(fake[0], 1, lost));
        fake.settle();
        waiting.spawn(takeInto(fake[1], 1, taken));
        fake.settle();
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
        fake.run(offerAll(fake[2], {"a"}));
        fake.settle();
        QCOMPARE(taken, (QByteArrayList{"a"}));
    }

    void aTimedPollLeavesNothingBehind()
    {
        FakeCluster fake(2);
        Queue alone(fake[0], Directory);
        Queue inLine(fake[1], Directory);
        for (int i = 0; i < 50; ++i) {
            QVERIFY(!fake.run(alone.poll(10ms)));
            QVERIFY(!fake.run(inLine.poll(10ms)));
        }
        fake.settle();
        QVERIFY(fake.server.watches().empty());
        QCOMPARE(fake.childrenOf(Side).size(), 2); // the two takers, and an empty line
        QCOMPARE(fake[0].pendingCleanups() + fake[1].pendingCleanups(), 0);
    }
};

QTEST_GUILESS_MAIN(QueueTest)
#include "queue_test.moc"
