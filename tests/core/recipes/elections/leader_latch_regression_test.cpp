#include "core/recipes/elections/election_helpers.h"
#include "recipes/blocks/line.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class LeaderLatchRegressionTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/master"};

    int creates(const FakeCluster &fake) const
    {
        return int(std::count_if(fake.server.log().begin(), fake.server.log().end(), [](const auto &commit) {
            return commit.call && std::holds_alternative<zk::CreateRequest>(commit.call->request)
                && zk::pathOf(commit.call->request).bytes().contains("latch-");
        }));
    }

private Q_SLOTS:
    // CURATOR-604, 696: granted on the node of a session that has expired.
    void anExpiredWaiterIsNotElected()
    {
        FakeCluster fake(3);
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        LeaderLatch third(fake[2], m_path);
        std::optional<Leadership> leadership = fake.run(first.campaign("one"));
        Heard two;
        Heard three;
        std::exception_ptr error;
        async::TaskGroup tasks([&](const std::exception_ptr &e) { error = e; });
        tasks.spawn(second.participate("two", two.listener()));
        fake.settle();
        tasks.spawn(third.participate("three", three.listener()));
        fake.settle();
        fake.process(1).freeze();
        fake.world.runFor(20s); // expires, and does not know it when the leader goes
        leadership.reset();
        fake.process(1).thaw();
        fake.settle(1s);
        QCOMPARE(two.signs, QByteArray());
        QCOMPARE(three.signs, QByteArray("+"));
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }

    // CURATOR-504, 644, 645: no candidate creates a new node because its predecessor has gone.
    void aVanishedPredecessorMakesNoNewNode()
    {
        constexpr int Size = 10;
        FakeCluster fake(Size);
        async::TaskGroup tasks([](const std::exception_ptr &) {});
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<Heard> heard(Size);
        for (int i = 0; i < Size; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(fake[i], m_path));
            tasks.spawn(latches.back()->participate("x", heard[std::size_t(i)].listener()));
            fake.settle();
        }
        const int before = creates(fake);
        for (int i = Size - 2; i >= 0; --i)
            fake.server.expire(fake[i].sessionId());
        fake.settle(10s);
        QCOMPARE(heard.back().signs, QByteArray("+"));
        QCOMPARE(creates(fake), before);
    }

    // CURATOR-498, 653: what a cancelled campaign left to be deleted is not the next one's node.
    void aCancelledCampaignSparesTheNextOne()
    {
        for (int delay = 0; delay < 40; ++delay) {
            FakeCluster fake(1, {.latency = 5ms});
            LeaderLatch latch(fake[0], m_path);
            async::TaskGroup cancelled;
            Heard first;
            Heard second;
            async::TaskGroup standing;
            cancelled.spawn(latch.participate("one", first.listener()));
            fake.settle(std::chrono::milliseconds(delay));
            if (delay % 2 == 1) // the reply to the create is lost as well
                fake.session(0).disconnectFor(50ms);
            cancelled.cancelAll();
            standing.spawn(latch.participate("two", second.listener()));
            fake.settle(3s);
            QCOMPARE(fake.childrenOf(m_path).size(), 1);
            QCOMPARE(fake.run(latch.leader())->data, QByteArray("two"));
            QVERIFY(second.signs.endsWith('+'));
        }
    }

    // CURATOR-537: a fence that is looked up when it is needed is the successor's.
    void theFenceIsThatOfTheGrant()
    {
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(zk::Path("/decision")));
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        std::optional<Leadership> leadership = fake.run(first.campaign("one"));
        const Fence granted = leadership->fence();
        leadership->resign();
        const Leadership successor = fake.run(second.campaign("two"));
        QCOMPARE(leadership->fence().czxid, granted.czxid);
        QVERIFY(!fake.run(guardedWrite(fake[0], leadership->fence())));
        const Fence lookedUp = fake.run(first.leader())->fence;
        QVERIFY(fake.run(guardedWrite(fake[0], lookedUp))); // the broken variant: the deposed leader writes
        QVERIFY(successor.fence().czxid > granted.czxid);
    }

    // CURATOR-18: closed while the create is under way.
    void closedAtAnyMomentItLeavesNothing()
    {
        for (int delay = 0; delay < 60; ++delay) {
            FakeCluster fake(1, {.latency = 5ms});
            LeaderLatch latch(fake[0], m_path);
            async::TaskGroup tasks;
            Heard heard;
            tasks.spawn(latch.participate("one", heard.listener()));
            fake.settle(std::chrono::milliseconds(delay));
            tasks.cancelAll();
            fake.settle(1s);
            QVERIFY(fake.childrenOf(m_path).isEmpty());
            QCOMPARE(fake[0].pendingCleanups(), 0);
            QVERIFY(fake.server.watches().empty());
        }
    }

    // CURATOR-724, 308: the directory goes, with everybody's nodes.
    void theDirectoryIsDeletedUnderAllClients()
    {
        FakeCluster fake(4);
        async::TaskGroup tasks;
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<Heard> heard(3);
        for (int i = 0; i < 3; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(fake[i], m_path));
            tasks.spawn(latches.back()->participate(QByteArray::number(i), heard[std::size_t(i)].listener()));
            fake.settle();
        }
        fake.run(removeAll(fake[3], m_path));
        fake.settle(1s);
        QCOMPARE(fake.childrenOf(m_path).size(), 3);
        const QByteArray leader = fake.run(latches[0]->leader())->data;
        for (int i = 0; i < 3; ++i)
            QCOMPARE(heard[std::size_t(i)].signs.endsWith('+'), QByteArray::number(i) == leader);
    }

    // CURATOR-688, kazoo #730: at the end of the numbers no second leader is elected, and no candidate tries again and
    // again.
    void theNumbersAreUsedUp()
    {
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(m_path));
        fake.server.tree().setNextSequence(m_path, zk::LastSequence - 1);
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        const Leadership leadership = fake.run(first.campaign("one"));
        const int before = creates(fake);
        QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, fake.run(second.campaign("two")));
        fake.settle();
        QCOMPARE(creates(fake), before + 1);
        QVERIFY(leadership.isCertain());
        QCOMPARE(fake.run(second.leader())->data, QByteArray("one"));
    }

    // Curator's and older servers' numbers turn negative after 2^31; who is negative came later.
    void theOrderSurvivesTheWrap()
    {
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        const auto create = [&](QByteArray name) -> async::Task<void> {
            const zk::Answer<zk::Created> created = co_await fake[0].create(m_path / name, name);
            created.require();
        };
        const QByteArray late = "_c_a-latch--2147483648";
        const QByteArray early = "_c_b-latch-2147483646";
        fake.run(create(late));
        fake.run(create(early));
        LeaderLatch latch(fake[0], m_path);
        QCOMPARE(fake.run(latch.leader())->data, early);
        QCOMPARE(fake.run(latch.participants()).back().data, late);
    }

    // CURATOR-495, 472: from inside the listener, which the session's event has called.
    void resigningInTheListenerPassesItOn()
    {
        FakeCluster fake(2, {.latency = 5ms});
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        QByteArray order;
        const auto resignAfter = [&](char who) {
            return [&order, who](Leadership *leadership) {
                if (leadership && order.size() < 10) {
                    order += who;
                    leadership->resign();
                }
            };
        };
        async::TaskGroup tasks;
        tasks.spawn(first.participate("one", resignAfter('1')));
        tasks.spawn(second.participate("two", resignAfter('2')));
        fake.settle(1s);
        QCOMPARE(order.size(), 10);
        QVERIFY(order.contains("12") && order.contains("21"));
    }
};

QTEST_GUILESS_MAIN(LeaderLatchRegressionTest)
#include "leader_latch_regression_test.moc"
