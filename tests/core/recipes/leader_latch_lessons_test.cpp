#include "core/recipes/election_party.h"
#include "recipes/line.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class LeaderLatchLessonsTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/master"};

    int creates(const FakeParty &party) const
    {
        return int(std::count_if(party.server.log().begin(), party.server.log().end(), [](const auto &commit) {
            return commit.call && std::holds_alternative<zk::CreateRequest>(commit.call->request)
                && zk::pathOf(commit.call->request).bytes().contains("latch-");
        }));
    }

private Q_SLOTS:
    // CURATOR-604, 696: granted on the node of a session that has expired.
    void lesson04_anExpiredWaiterIsNotElected()
    {
        FakeParty party(3);
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
        LeaderLatch third(party[2], m_path);
        std::optional<Leadership> leadership = party.run(first.campaign("one"));
        Heard two;
        Heard three;
        std::exception_ptr error;
        async::TaskGroup tasks([&](const std::exception_ptr &e) { error = e; });
        tasks.spawn(second.participate("two", two.listener()));
        party.settle();
        tasks.spawn(third.participate("three", three.listener()));
        party.settle();
        party.process(1).freeze();
        party.world.runFor(20s); // expires, and does not know it when the leader goes
        leadership.reset();
        party.process(1).thaw();
        party.settle(1s);
        QCOMPARE(two.signs, QByteArray());
        QCOMPARE(three.signs, QByteArray("+"));
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }

    // CURATOR-504, 644, 645: a predecessor that has gone makes nobody create a node anew.
    void lesson05_aVanishedPredecessorMakesNoNewNode()
    {
        constexpr int Size = 10;
        FakeParty party(Size);
        async::TaskGroup tasks([](const std::exception_ptr &) {});
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<Heard> heard(Size);
        for (int i = 0; i < Size; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(party[i], m_path));
            tasks.spawn(latches.back()->participate("x", heard[std::size_t(i)].listener()));
            party.settle();
        }
        const int before = creates(party);
        for (int i = Size - 2; i >= 0; --i)
            party.server.expire(party[i].sessionId());
        party.settle(10s);
        QCOMPARE(heard.back().signs, QByteArray("+"));
        QCOMPARE(creates(party), before);
    }

    // CURATOR-498, 653: what a cancelled campaign left to be deleted is not the next one's node.
    void lesson06_aCancelledCampaignSparesTheNextOne()
    {
        for (int delay = 0; delay < 40; ++delay) {
            FakeParty party(1, {.latency = 5ms});
            LeaderLatch latch(party[0], m_path);
            async::TaskGroup cancelled;
            Heard first;
            Heard second;
            async::TaskGroup standing;
            cancelled.spawn(latch.participate("one", first.listener()));
            party.settle(std::chrono::milliseconds(delay));
            if (delay % 2 == 1) // the reply to the create is lost as well
                party.session(0).disconnectFor(50ms);
            cancelled.cancelAll();
            standing.spawn(latch.participate("two", second.listener()));
            party.settle(3s);
            QCOMPARE(party.childrenOf(m_path).size(), 1);
            QCOMPARE(party.run(latch.leader())->data, QByteArray("two"));
            QVERIFY(second.signs.endsWith('+'));
        }
    }

    // CURATOR-537: a fence that is looked up when it is needed is the successor's.
    void lesson07_theFenceIsThatOfTheGrant()
    {
        FakeParty party(2);
        party.run(party[0].ensurePath(zk::Path("/decision")));
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
        std::optional<Leadership> leadership = party.run(first.campaign("one"));
        const Fence granted = leadership->fence();
        leadership->resign();
        const Leadership successor = party.run(second.campaign("two"));
        QCOMPARE(leadership->fence().czxid, granted.czxid);
        QVERIFY(!party.run(guardedWrite(party[0], leadership->fence())));
        const Fence lookedUp = party.run(first.leader())->fence;
        QVERIFY(party.run(guardedWrite(party[0], lookedUp))); // the broken variant: the deposed leader writes
        QVERIFY(successor.fence().czxid > granted.czxid);
    }

    // CURATOR-18: closed while the create is under way.
    void lesson08_closedAtAnyMomentItLeavesNothing()
    {
        for (int delay = 0; delay < 60; ++delay) {
            FakeParty party(1, {.latency = 5ms});
            LeaderLatch latch(party[0], m_path);
            async::TaskGroup tasks;
            Heard heard;
            tasks.spawn(latch.participate("one", heard.listener()));
            party.settle(std::chrono::milliseconds(delay));
            tasks.cancelAll();
            party.settle(1s);
            QVERIFY(party.childrenOf(m_path).isEmpty());
            QCOMPARE(party[0].obligations(), 0);
            QVERIFY(party.server.watches().empty());
        }
    }

    // CURATOR-724, 308: the directory goes, with everybody's nodes.
    void lesson09_theDirectoryIsDeletedUnderEverybody()
    {
        FakeParty party(4);
        async::TaskGroup tasks;
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<Heard> heard(3);
        for (int i = 0; i < 3; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(party[i], m_path));
            tasks.spawn(latches.back()->participate(QByteArray::number(i), heard[std::size_t(i)].listener()));
            party.settle();
        }
        party.run(removeAll(party[3], m_path));
        party.settle(1s);
        QCOMPARE(party.childrenOf(m_path).size(), 3);
        const QByteArray leader = party.run(latches[0]->leader())->data;
        for (int i = 0; i < 3; ++i)
            QCOMPARE(heard[std::size_t(i)].signs.endsWith('+'), QByteArray::number(i) == leader);
    }

    // CURATOR-688, kazoo #730: at the end of the numbers nobody is elected beside the leader, nor again and again.
    void lesson12_theNumbersAreUsedUp()
    {
        FakeParty party(2);
        party.run(party[0].ensurePath(m_path));
        party.server.tree().setNextSequence(m_path, zk::LastSequence - 1);
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
        const Leadership leadership = party.run(first.campaign("one"));
        const int before = creates(party);
        QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, party.run(second.campaign("two")));
        party.settle();
        QCOMPARE(creates(party), before + 1);
        QVERIFY(leadership.certain());
        QCOMPARE(party.run(second.leader())->data, QByteArray("one"));
    }

    // Curator's and older servers' numbers turn negative after 2^31; who is negative came later.
    void lesson12_theOrderSurvivesTheWrap()
    {
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        const auto create = [&](QByteArray name) -> async::Task<void> {
            const zk::Answer<zk::Created> created = co_await party[0].create(m_path / name, name);
            created.require();
        };
        const QByteArray late = "_c_a-latch--2147483648";
        const QByteArray early = "_c_b-latch-2147483646";
        party.run(create(late));
        party.run(create(early));
        LeaderLatch latch(party[0], m_path);
        QCOMPARE(party.run(latch.leader())->data, early);
        QCOMPARE(party.run(latch.participants()).back().data, late);
    }

    // CURATOR-495, 472: from inside the listener, which the session's event has called.
    void lesson13_resigningInTheListenerPassesItOn()
    {
        FakeParty party(2, {.latency = 5ms});
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
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
        party.settle(1s);
        QCOMPARE(order.size(), 10);
        QVERIFY(order.contains("12") && order.contains("21"));
    }
};

QTEST_GUILESS_MAIN(LeaderLatchLessonsTest)
#include "leader_latch_lessons_test.moc"
