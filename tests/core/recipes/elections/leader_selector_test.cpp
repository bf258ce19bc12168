#include "recipes/elections/leader_selector.h"
#include "recipes/locks/mutex.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class LeaderSelectorTest : public QObject
{
    Q_OBJECT

    using Requeue = LeaderSelector::Requeue;
    const zk::Path m_path{"/leader"};

    static async::Task<void> leadFor(async::Loop &loop, async::Duration duration)
    {
        co_await async::sleepFor(loop, duration);
    }

    // A leader that writes all the time and does not care for lost connections.
    static async::Task<void> write(zk::Client &zk, int &writes)
    {
        for (;;) {
            const zk::Answer<zk::Stat> stat = co_await zk.set(zk::Path("/log"), "x");
            stat.require();
            ++writes;
        }
    }

    static async::Task<void> ignore(async::Task<bool> task)
    {
        const bool ended = co_await task;
        Q_UNUSED(ended)
    }

private Q_SLOTS:
    void eachLeadsInTurnForAsLongAsItsTaskLasts()
    {
        FakeCluster fake(3);
        std::vector<std::unique_ptr<LeaderSelector>> selectors;
        async::TaskGroup tasks;
        QByteArray order;
        int leading = 0;
        const auto lead = [&](int who) -> LeaderSelector::TakeLeadership {
            return [&, who](Leadership &) -> async::Task<void> {
                order += QByteArray::number(who);
                leading += 1;
                co_await async::sleepFor(fake.process(who), 1s);
                leading -= 1;
            };
        };
        const LeaderSelector::TakeLeadership leads[] = {lead(0), lead(1), lead(2)};
        for (int i = 0; i < 3; ++i) {
            selectors.push_back(std::make_unique<LeaderSelector>(fake[i], m_path));
            tasks.spawn(ignore(selectors.back()->run(QByteArray::number(i), leads[i], Requeue::Always)));
            fake.settle(1ms);
        }
        for (int i = 0; i < 59; ++i) {
            fake.settle();
            QVERIFY(leading <= 1);
        }
        QCOMPARE(order, QByteArray("012012"));
        const std::vector<Participant> participants = fake.run(selectors[0]->participants());
        QCOMPARE(participants.size(), std::size_t(3));
        QCOMPARE(participants.front().data, QByteArray("2"));
        QVERIFY(selectors[2]->leads());
        QVERIFY(!selectors[1]->leads());
        QCOMPARE(fake.run(selectors[0]->leader())->data, QByteArray("2"));
    }

    void withoutRequeueItEndsWithItsTask()
    {
        FakeCluster fake(1);
        LeaderSelector selector(fake[0], m_path);
        const auto lead = [&](Leadership &) { return leadFor(fake.process(0), 1s); };
        QVERIFY(fake.run(selector.run("one", lead)));
        fake.settle();
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        QVERIFY(!selector.leads());
    }

    // Its line has the layout of a lock's line, so other kinds of node may stand in it.
    void aMutexAndASelectorExcludeEachOther()
    {
        FakeCluster fake(2);
        Mutex mutex(fake[0], m_path);
        std::optional<Lock> lock = fake.run(mutex.acquire());
        LeaderSelector selector(fake[1], m_path);
        async::TaskGroup tasks;
        const auto lead = [&](Leadership &) { return leadFor(fake.process(1), 1s); };
        tasks.spawn(ignore(selector.run("one", lead)));
        fake.settle(1s);
        QVERIFY(!selector.leads());
        lock.reset();
        fake.settle();
        QVERIFY(selector.leads());
    }

    // What the task has under way fails with the connection; that is the doubt, not an error of the task.
    void suspensionEndsTheTaskAndItStandsAgain()
    {
        FakeCluster fake(1, {.latency = 5ms});
        fake.run(fake[0].ensurePath(zk::Path("/log")));
        LeaderSelector selector(fake[0], m_path);
        std::exception_ptr error;
        async::TaskGroup tasks([&](const std::exception_ptr &e) { error = e; });
        int terms = 0;
        int writes = 0;
        std::vector<Fence> fences;
        const auto lead = [&](Leadership &leadership) {
            ++terms;
            fences.push_back(leadership.fence());
            return write(fake[0], writes);
        };
        tasks.spawn(ignore(selector.run("one", lead, Requeue::Always)));
        fake.settle(1s);
        QVERIFY(selector.leads());
        fake.session(0).disconnect();
        fake.settle();
        QVERIFY(!selector.leads());
        const int before = writes;
        fake.session(0).reconnect();
        fake.settle(2s);
        QVERIFY(!error);
        QCOMPARE(terms, 2);
        QVERIFY(writes > before);
        QVERIFY(fences[0].czxid < fences[1].czxid); // lesson 7: each term has its own
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
    }

    void cutOffWithoutRequeueItSaysSo()
    {
        FakeCluster fake(1);
        LeaderSelector selector(fake[0], m_path);
        std::optional<bool> ended;
        async::TaskGroup tasks;
        const auto stand = [&]() -> async::Task<void> {
            const auto lead = [&](Leadership &) { return leadFor(fake.process(0), 1h); };
            ended = co_await selector.run("one", lead);
        };
        tasks.spawn(stand());
        fake.settle();
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QCOMPARE(ended, false);
    }

    void anErrorOfTheTaskIsTheCallers()
    {
        FakeCluster fake(1);
        LeaderSelector selector(fake[0], m_path);
        const auto lead = [](Leadership &) -> async::Task<void> {
            throw std::domain_error("no plan");
            co_return;
        };
        QVERIFY_THROWS_EXCEPTION(std::domain_error, fake.run(selector.run("one", lead, Requeue::Always)));
        fake.settle();
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

    // CURATOR-498: each requeue is a node of its own, and the one before is gone.
    void aHundredTermsLeaveOneNode()
    {
        FakeCluster fake(1, {.latency = 1ms});
        LeaderSelector selector(fake[0], m_path);
        async::TaskGroup tasks;
        int terms = 0;
        const auto lead = [&](Leadership &) {
            ++terms;
            return leadFor(fake.process(0), 10ms);
        };
        tasks.spawn(ignore(selector.run("one", lead, Requeue::Always)));
        fake.world.runUntil([&] { return terms == 100; });
        fake.settle(5ms);
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
        tasks.cancelAll();
        fake.settle();
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        QVERIFY(fake.server.watches().empty());
    }

    // CURATOR-495, 472: the leader's task resigns, which destroys it.
    void theTaskMayResign()
    {
        FakeCluster fake(1);
        LeaderSelector selector(fake[0], m_path);
        async::TaskGroup tasks;
        int terms = 0;
        const auto lead = [&](Leadership &leadership) {
            ++terms;
            leadership.resign();
            return leadFor(fake.process(0), 1h);
        };
        tasks.spawn(ignore(selector.run("one", lead, Requeue::Always)));
        fake.world.runUntil([&] { return terms == 5; }, 1s);
        QCOMPARE(terms, 5);
    }

    // CURATOR-308: the node goes by another hand.
    void aDeletedNodeEndsTheTerm()
    {
        FakeCluster fake(2);
        LeaderSelector selector(fake[0], m_path);
        async::TaskGroup tasks;
        int terms = 0;
        const auto lead = [&](Leadership &) {
            ++terms;
            return leadFor(fake.process(0), 1h);
        };
        tasks.spawn(ignore(selector.run("one", lead, Requeue::Always)));
        fake.settle();
        const zk::Path node = m_path / fake.childrenOf(m_path).front();
        fake.get(fake[1].remove(node)).require();
        fake.get(fake[1].remove(m_path)).require();
        fake.settle();
        QCOMPARE(terms, 2);
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
    }
};

QTEST_GUILESS_MAIN(LeaderSelectorTest)
#include "leader_selector_test.moc"
