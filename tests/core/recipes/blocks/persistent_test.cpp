#include "recipes/blocks/persistent.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// What an overloaded server has discarded is sent again. A client that did so at once would add to its load.
class PersistentTest : public QObject
{
    Q_OBJECT

    static constexpr quint64 Few = 100; // in a minute, with a second between most

    static FaultPlan overloaded()
    {
        FaultPlan plan;
        plan.throttle = 1;
        return plan;
    }

private Q_SLOTS:
    void anOverloadedServerIsAskedSeldom()
    {
        FaultInjector faults(overloaded());
        FakeCluster fake(1, {.latency = 1ms, .faults = &faults});
        async::TaskGroup asking;
        const auto ask = [](zk::Client &zk) -> async::Task<void> { co_await Persistent(zk).get(zk::Path("/")); };
        asking.spawn(ask(fake[0]));
        fake.settle(1min);
        QVERIFY(!asking.empty());
        QCOMPARE_GT(fake.requests(), 10u);
        QCOMPARE_LT(fake.requests(), Few);
    }

    void anOverloadedServerIsAskedSeldomToCleanUp()
    {
        FaultInjector faults(overloaded());
        FakeCluster fake(1, {.latency = 1ms, .faults = &faults});
        fake[0].discard(zk::Path("/a"));
        fake.settle(1min);
        QCOMPARE_GT(fake.requests(), 10u);
        QCOMPARE_LT(fake.requests(), Few);
    }
};

QTEST_GUILESS_MAIN(PersistentTest)
#include "persistent_test.moc"
