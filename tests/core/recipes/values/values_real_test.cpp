#include "recipes/barriers/barrier.h"
#include "recipes/barriers/double_barrier.h"
#include "recipes/blocks/tree_watch.h"
#include "recipes/values/counter.h"
#include "support/session_fixture.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// Barriers, counters and the local copy on a real server: what the in-memory one shows holds there as well.
class ValuesRealTest : public QObject
{
    Q_OBJECT

    static constexpr int Members = 5;
    static constexpr int Rounds = 4;
    static constexpr int Adds = 10;

    const zk::Path m_barrier{"/rounds/real"};
    const zk::Path m_counter{"/counters/real"};

    // In each round all add, and each sees in between what all have added.
    async::Task<void> takePart(zk::Client &zk, int &right)
    {
        DoubleBarrier barrier(zk, m_barrier, Members);
        Counter counter(zk, m_counter);
        for (int round = 1; round <= Rounds; ++round) {
            BarrierEntry begin = co_await barrier.enter();
            for (int i = 0; i < Adds; ++i)
                co_await counter.add(1);
            co_await begin.leave();
            const qint64 sum = co_await counter.get();
            right += sum >= Members * Adds * round ? 1 : 0;
        }
    }

private Q_SLOTS:
    void membersAddInRounds()
    {
        SessionFixture fixture;
        fixture.server.start();
        std::vector<std::unique_ptr<zk::Session>> sessions;
        for (int i = 0; i < Members; ++i)
            sessions.push_back(fixture.connected(fixture.options()));
        TreeWatch watch(m_counter, 0);
        async::TaskGroup watching;
        watching.spawn(watch.run(*sessions[0]));
        int right = 0;
        std::exception_ptr error;
        async::TaskGroup members([&](const std::exception_ptr &e) { error = e; });
        for (const auto &session : sessions)
            members.spawn(takePart(*session, right));
        QVERIFY(QTest::qWaitFor([&] { return members.empty(); }, 60000));
        QVERIFY2(!error, error ? qPrintable(async::describe(error)) : "");
        QCOMPARE(right, Members * Rounds);
        Counter counter(*sessions[1], m_counter);
        QCOMPARE(await(counter.get()), Members * Rounds * Adds);
        const auto caughtUp = [&] {
            const zk::Node *node = watch.find(m_counter);
            return node && node->data == Counter::encode(Members * Rounds * Adds);
        };
        QVERIFY(QTest::qWaitFor(caughtUp, 60000));
        const auto list = [&]() -> async::Task<QByteArrayList> {
            const zk::Answer<zk::Children> children = co_await sessions[0]->children(m_barrier);
            co_return children->names;
        };
        QCOMPARE(await(list()), QByteArrayList());
    }

    // A relay that cuts the connection loses replies for real.
    void addsAreAppliedOnceOverACutConnection()
    {
        SessionFixture fixture;
        fixture.server.start();
        app::DelayRelay relay(fixture.server.port(), 5ms);
        const auto session = fixture.connected(fixture.options(relay));
        const auto onlooker = fixture.connected(fixture.options());
        Counter counter(*session, m_counter);
        qint64 last = 0;
        const auto addAll = [&]() -> async::Task<void> {
            for (int i = 0; i < 60; ++i)
                last = co_await counter.add(1);
        };
        std::exception_ptr error;
        async::TaskGroup adding([&](const std::exception_ptr &e) { error = e; });
        adding.spawn(addAll());
        for (qint64 cutAt : {10, 20, 30, 40, 50}) {
            QVERIFY(QTest::qWaitFor([&] { return last >= cutAt || error; }, 60000));
            relay.dropConnections();
        }
        QVERIFY(QTest::qWaitFor([&] { return adding.empty(); }, 60000));
        QVERIFY2(!error, error ? qPrintable(async::describe(error)) : "");
        Counter other(*onlooker, m_counter);
        QCOMPARE(await(other.get()), 60);
    }

    void conditionsAndBarriersHold()
    {
        SessionFixture fixture;
        fixture.server.start();
        const auto session = fixture.connected(fixture.options());
        Value value(*session, m_counter);
        QCOMPARE(await(value.setIf(std::nullopt, "a")), std::optional<qint32>(0));
        QCOMPARE(await(value.setIf(0, "b")), std::optional<qint32>(1));
        QCOMPARE(await(value.setIf(0, "c")), std::optional<qint32>());
        Barrier barrier(*session, m_barrier);
        await(barrier.close());
        await(barrier.open());
        await(barrier.wait());
    }
};

QTEST_GUILESS_MAIN(ValuesRealTest)
#include "values_real_test.moc"
