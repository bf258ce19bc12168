#include "recipes/delay_queue.h"
#include "support/fake_party.h"

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
            Claim claim = co_await queue.get();
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
        FakeParty party(2);
        DelayQueue producer(party[0], m_path);
        DelayQueue consumer(party[1], m_path);
        QByteArrayList done;
        async::TaskGroup working;
        working.spawn(work(consumer, done));
        party.settle();
        const async::TimePoint begin = party.world.now();
        party.run(producer.putIn("late", 60s));
        party.run(producer.putIn("soon", 5s));
        party.run(producer.putIn("now", 0s));
        party.settle();
        QCOMPARE(done, (QByteArrayList{"now"}));
        QVERIFY(party.world.runUntil([&] { return done.size() == 2; }));
        QVERIFY(party.world.now() - begin >= 5s && party.world.now() - begin < 5100ms);
        QVERIFY(party.world.runUntil([&] { return done.size() == 3; }));
        QVERIFY(party.world.now() - begin >= 60s && party.world.now() - begin < 60100ms);
        QCOMPARE(done, (QByteArrayList{"now", "soon", "late"}));
    }

    void whatIsDueComesInTheOrderOfItsTimes()
    {
        FakeParty party(1);
        DelayQueue queue(party[0], m_path);
        party.run(queue.put("second", 2s));
        party.run(queue.putAll({"third", "fourth"}, 3s));
        party.run(queue.put("first", 1s));
        QByteArrayList done;
        async::TaskGroup working;
        working.spawn(work(queue, done));
        party.settle();
        QCOMPARE(done, (QByteArrayList{"first", "second", "third", "fourth"}));
    }

    // Only the first in line keeps a timer and the watches.
    void waitingTakersDoNotAllWakeUp()
    {
        constexpr int Takers = 20;
        FakeParty party(Takers);
        std::vector<std::unique_ptr<DelayQueue>> queues;
        QByteArrayList done;
        async::TaskGroup working;
        for (int i = 0; i < Takers; ++i) {
            queues.push_back(std::make_unique<DelayQueue>(party[i], m_path));
            working.spawn(work(*queues.back(), done));
        }
        party.settle();
        DelayQueue producer(party[0], m_path);
        party.run(producer.putIn("a", 30s));
        party.settle(1s);
        const quint64 before = party.requests();
        party.settle(25s);
        QVERIFY(party.requests() - before < 50); // a look every ten seconds
        party.settle(10s);
        QCOMPARE(done, (QByteArrayList{"a"}));
    }

    void theTimeOfDayMayBeSet()
    {
        FakeParty party(1);
        DelayQueue queue(party[0], m_path);
        party.run(queue.putIn("a", 24h));
        QByteArrayList done;
        async::TaskGroup working;
        working.spawn(work(queue, done));
        party.settle(20s);
        QVERIFY(done.isEmpty());
        party.world.setWallClock(party.world.wallClock() + 24h);
        party.settle(11s); // it looks every ten seconds
        QCOMPARE(done, (QByteArrayList{"a"}));
    }

    void timesOutOfRangeAreRefused()
    {
        FakeParty party(1);
        DelayQueue queue(party[0], m_path);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, party.run(queue.put("a", -1ms)));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, party.run(queue.put("a", 10'000'000'000'000ms)));
    }

    void aClaimThatItsHolderLostIsHadAgain()
    {
        FakeParty party(2);
        DelayQueue first(party[0], m_path);
        DelayQueue second(party[1], m_path);
        party.run(first.putIn("a", 1s));
        const Claim lost = party.run(first.get());
        party.server.expire(party[0].sessionId());
        const Claim claim = party.run(second.get());
        QCOMPARE(claim.data(), QByteArray("a"));
        QCOMPARE(claim.attempt(), 2);
    }
};

QTEST_GUILESS_MAIN(DelayQueueTest)
#include "delay_queue_test.moc"
