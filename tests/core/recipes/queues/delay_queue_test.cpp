#include "recipes/queues/delay_queue.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;
using async::Task;

class DelayQueueTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/delayed"};

    static Task<void> work(DelayQueue &queue, QByteArrayList &done)
    {
        for (;;) {
            ClaimedItem claim = co_await queue.get();
            const QByteArray item = claim.data();
            auto consuming = claim.consume();
            const bool consumed = co_await consuming;
            if (consumed)
                done.push_back(item);
        }
    }

private Q_SLOTS:
    void itemsComeAtTheirTime()
    {
        FakeCluster fake(2);
        DelayQueue producer(fake[0], m_path);
        DelayQueue consumer(fake[1], m_path);
        QByteArrayList done;
        async::TaskGroup working;
        working.spawn(work(consumer, done));
        fake.settle();
        const async::TimePoint begin = fake.world.now();
        fake.run(producer.putIn("late", 60s));
        fake.run(producer.putIn("soon", 5s));
        fake.run(producer.putIn("now", 0s));
        fake.settle();
        QCOMPARE(done, (QByteArrayList{"now"}));
        QVERIFY(fake.world.runUntil([&] { return done.size() == 2; }));
        QVERIFY(fake.world.now() - begin >= 5s && fake.world.now() - begin < 5100ms);
        QVERIFY(fake.world.runUntil([&] { return done.size() == 3; }));
        QVERIFY(fake.world.now() - begin >= 60s && fake.world.now() - begin < 60100ms);
        QCOMPARE(done, (QByteArrayList{"now", "soon", "late"}));
    }

    void dueItemsComeInTheOrderOfTheirTimes()
    {
        FakeCluster fake(1);
        DelayQueue queue(fake[0], m_path);
        fake.run(queue.put("second", 2s));
        fake.run(queue.putAll({"third", "fourth"}, 3s));
        fake.run(queue.put("first", 1s));
        QByteArrayList done;
        async::TaskGroup working;
        working.spawn(work(queue, done));
        fake.settle();
        QCOMPARE(done, (QByteArrayList{"first", "second", "third", "fourth"}));
    }

    // Only the first in line keeps a timer and the watches.
    void waitingTakersDoNotAllWakeUp()
    {
        constexpr int Takers = 20;
        FakeCluster fake(Takers);
        std::vector<std::unique_ptr<DelayQueue>> queues;
        QByteArrayList done;
        async::TaskGroup working;
        for (int i = 0; i < Takers; ++i) {
            queues.push_back(std::make_unique<DelayQueue>(fake[i], m_path));
            working.spawn(work(*queues.back(), done));
        }
        fake.settle();
        DelayQueue producer(fake[0], m_path);
        fake.run(producer.putIn("a", 30s));
        fake.settle(1s);
        const quint64 before = fake.requests();
        fake.settle(25s);
        QVERIFY(fake.requests() - before < 50); // a look every ten seconds
        fake.settle(10s);
        QCOMPARE(done, (QByteArrayList{"a"}));
    }

    void theTimeOfDayMayBeSet()
    {
        FakeCluster fake(1);
        DelayQueue queue(fake[0], m_path);
        fake.run(queue.putIn("a", 24h));
        QByteArrayList done;
        async::TaskGroup working;
        working.spawn(work(queue, done));
        fake.settle(20s);
        QVERIFY(done.isEmpty());
        fake.world.setWallClock(fake.world.wallClock() + 24h);
        fake.settle(11s); // it looks every ten seconds
        QCOMPARE(done, (QByteArrayList{"a"}));
    }

    void timesOutOfRangeAreRefused()
    {
        FakeCluster fake(1);
        DelayQueue queue(fake[0], m_path);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(queue.put("a", -1ms)));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(queue.put("a", 10'000'000'000'000ms)));
    }

    void aClaimThatItsHolderLostIsHadAgain()
    {
        FakeCluster fake(2);
        DelayQueue first(fake[0], m_path);
        DelayQueue second(fake[1], m_path);
        fake.run(first.putIn("a", 1s));
        const ClaimedItem lost = fake.run(first.get());
        fake.server.expire(fake[0].sessionId());
        const ClaimedItem claim = fake.run(second.get());
        QCOMPARE(claim.data(), QByteArray("a"));
        QCOMPARE(claim.attempt(), 2);
    }
};

QTEST_GUILESS_MAIN(DelayQueueTest)
#include "delay_queue_test.moc"
