#include "recipes/leader_latch.h"
#include "support/fake_party.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class LeaderLatchTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/master"};

    // What a participant's listener hears: "+" leading, "-" not.
    struct Heard {
        QByteArray signs;
        LeaderLatch::Listener listener()
        {
            return [this](Leadership *leadership) { signs += leadership ? '+' : '-'; };
        }
    };

    static async::Task<void> removeAll(zk::Coordinator &zk, zk::Path directory)
    {
        const zk::Answer<zk::Children> children = co_await zk.children(directory);
        zk::Transaction transaction;
        for (const QByteArray &name : children->names)
            transaction.remove(directory / name);
        transaction.remove(directory);
        const zk::Answer<zk::Committed> committed = co_await zk.commit(transaction);
        committed.require();
    }

    static async::Task<bool> guardedWrite(zk::Coordinator &zk, Fence fence)
    {
        zk::Transaction late;
        fence.guard(late).set(zk::Path("/decision"), "late");
        const zk::Answer<zk::Committed> committed = co_await zk.commit(late);
        co_return committed.ok();
    }

    int creates(const FakeParty &party) const
    {
        return int(std::count_if(party.server.log().begin(), party.server.log().end(), [](const auto &commit) {
            return commit.call && std::holds_alternative<zk::CreateRequest>(commit.call->request)
                && zk::pathOf(commit.call->request).bytes().contains("latch-");
        }));
    }

private Q_SLOTS:
    void theFirstLeadsAndAllSeeIt()
    {
        FakeParty party(2);
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
        QVERIFY(!party.run(second.leader()));
        const Leadership leadership = party.run(first.campaign("one"));
        QVERIFY(leadership.certain());
        const std::optional<Participant> leader = party.run(second.leader());
        QVERIFY(leader);
        QCOMPARE(leader->id, QByteArray("one"));
        QCOMPARE(leader->fence.czxid, leadership.fence().czxid);
    }

    void theNextLeadsWhenTheLeaderResignsOrExpires()
    {
        FakeParty party(3);
        std::vector<QByteArray> elected;
        std::vector<std::optional<Leadership>> held(3);
        async::TaskGroup campaigns;
        const auto campaign = [&](int who) -> async::Task<void> {
            LeaderLatch latch(party[who], m_path);
            Leadership leadership = co_await latch.campaign(QByteArray::number(who));
            elected.push_back(QByteArray::number(who));
            held[static_cast<std::size_t>(who)].emplace(std::move(leadership));
        };
        for (int i = 0; i < 3; ++i) {
            campaigns.spawn(campaign(i));
            party.settle();
        }
        QCOMPARE(elected, (std::vector<QByteArray>{"0"}));
        held[0]->resign();
        party.settle();
        QCOMPARE(elected.back(), QByteArray("1"));
        party.server.expire(party[1].sessionId());
        party.settle();
        QCOMPARE(elected.back(), QByteArray("2"));
    }

    void aSuspendedLeaderIsNotCertain()
    {
        FakeParty party(1);
        LeaderLatch latch(party[0], m_path);
        const Leadership leadership = party.run(latch.campaign("one"));
        party.session(0).disconnect();
        party.settle();
        QVERIFY(!leadership.certain());
        party.session(0).reconnect();
        party.settle(1s);
        QVERIFY(leadership.certain());
    }

    // CURATOR-696: a leader deposed while it was paused must not write as one.
    void theDeposedLeadersWriteIsRefused()
    {
        FakeParty party(2);
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
        const Leadership zombie = party.run(first.campaign("one"));
        party.process(0).freeze();
        party.world.runFor(20s); // the session expires while the process stands still
        const Leadership successor = party.run(second.campaign("two"));
        zk::Transaction late;
        zombie.fence().guard(late).create(zk::Path("/decision"), "late");
        const auto write = [&]() -> async::Task<bool> {
            const zk::Answer<zk::Committed> committed = co_await party[1].commit(late);
            co_return committed.ok();
        };
        QVERIFY(!party.run(write()));
        QVERIFY(successor.fence().czxid > zombie.fence().czxid);
    }

    void participantsAreListedInOrder()
    {
        FakeParty party(3);
        async::TaskGroup campaigns;
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<Heard> heard(3);
        for (int i = 0; i < 3; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(party[i], m_path));
            campaigns.spawn(latches.back()->participate(QByteArray::number(i), heard[std::size_t(i)].listener()));
            party.settle();
        }
        const std::vector<Participant> participants = party.run(latches[2]->participants());
        QCOMPARE(participants.size(), std::size_t(3));
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(participants[std::size_t(i)].id, QByteArray::number(i));
            QCOMPARE(participants[std::size_t(i)].fence.session, party[i].sessionId());
        }
        QCOMPARE(party.run(latches[0]->leader())->id, QByteArray("0"));
        QCOMPARE(heard[0].signs, QByteArray("+"));
        QCOMPARE(heard[1].signs, QByteArray());
    }

    void doubtComesWithSuspensionAndGoesWithTheSamePlace()
    {
        FakeParty party(2);
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
        Heard one;
        Heard two;
        async::TaskGroup tasks([](const std::exception_ptr &) {});
        tasks.spawn(first.participate("one", one.listener()));
        party.settle();
        tasks.spawn(second.participate("two", two.listener()));
        party.settle();
        const QByteArrayList before = party.childrenOf(m_path);
        party.session(0).disconnect();
        party.settle();
        QCOMPARE(one.signs, QByteArray("+-")); // at once, not when the session has expired
        party.session(0).reconnect();
        party.settle(2s);
        QCOMPARE(one.signs, QByteArray("+-+"));
        QCOMPARE(two.signs, QByteArray());
        QCOMPARE(party.childrenOf(m_path), before);
        party.server.expire(party[0].sessionId());
        party.settle(10s);
        QCOMPARE(one.signs, QByteArray("+-+-"));
        QCOMPARE(two.signs, QByteArray("+"));
    }

    void closingIsSilentOrNot_data()
    {
        QTest::addColumn<bool>("notify");
        QTest::addColumn<QByteArray>("heard");
        QTest::newRow("silent") << false << QByteArray("+");
        QTest::newRow("notify the leader") << true << QByteArray("+-");
    }
    void closingIsSilentOrNot()
    {
        QFETCH(bool, notify);
        QFETCH(QByteArray, heard);
        FakeParty party(2);
        LeaderLatch first(party[0], m_path);
        LeaderLatch second(party[1], m_path);
        const auto mode = notify ? LeaderLatch::CloseMode::NotifyLeader : LeaderLatch::CloseMode::Silent;
        Heard leader;
        Heard standby;
        async::TaskGroup leading;
        async::TaskGroup standing;
        leading.spawn(first.participate("one", leader.listener(), mode));
        party.settle();
        standing.spawn(second.participate("two", standby.listener(), mode));
        party.settle();
        standing.cancelAll();
        leading.cancelAll();
        party.settle();
        QCOMPARE(leader.signs, heard);
        QCOMPARE(standby.signs, QByteArray()); // never led: nothing to tell
        QVERIFY(party.childrenOf(m_path).isEmpty());
        QVERIFY(party.server.watches().empty());
    }

    void endedSaysWhy()
    {
        using End = Leadership::End;
        FakeParty party(2);
        LeaderLatch latch(party[0], m_path);
        async::TaskGroup tasks;
        std::optional<End> end;
        const auto note = [&](async::Task<End> ended) -> async::Task<void> { end = co_await ended; };

        std::optional<Leadership> leadership = party.run(latch.campaign("one"));
        tasks.spawn(note(leadership->ended()));
        leadership.reset();
        party.settle();
        QCOMPARE(end, End::GivenUp);

        leadership = party.run(latch.campaign("one"));
        tasks.spawn(note(leadership->ended()));
        party.run(removeAll(party[1], m_path));
        party.settle();
        QCOMPARE(end, End::Deleted);

        leadership = party.run(latch.campaign("one"));
        tasks.spawn(note(leadership->ended()));
        party.server.expire(party[0].sessionId());
        party.settle(10s);
        QCOMPARE(end, End::SessionLost);
        QVERIFY(!leadership->certain());
    }

    void aReleaseWakesTwoWhoeverStandsBy()
    {
        constexpr int Size = 50;
        FakeParty party(Size);
        async::TaskGroup campaigns;
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<std::optional<Leadership>> held(Size);
        const auto campaign = [&](int who) -> async::Task<void> {
            Leadership leadership = co_await latches[std::size_t(who)]->campaign("x");
            held[std::size_t(who)].emplace(std::move(leadership));
        };
        for (int i = 0; i < Size; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(party[i], m_path));
            campaigns.spawn(campaign(i));
            party.settle(1ms);
        }
        const auto events = [&] {
            quint64 sum = 0;
            for (int i = 0; i < Size; ++i)
                sum += party[i].counters().watchEvents;
            return sum;
        };
        for (std::size_t i = 0; i + 1 < Size; ++i) {
            const quint64 before = events();
            held[i]->resign();
            party.settle();
            QVERIFY(held[i + 1]);
            QVERIFY(events() - before <= 2);
        }
    }

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
            QCOMPARE(party.run(latch.leader())->id, QByteArray("two"));
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
        const QByteArray leader = party.run(latches[0]->leader())->id;
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
        QCOMPARE(party.run(second.leader())->id, QByteArray("one"));
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
        QCOMPARE(party.run(latch.leader())->id, early);
        QCOMPARE(party.run(latch.participants()).back().id, late);
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

QTEST_GUILESS_MAIN(LeaderLatchTest)
#include "leader_latch_test.moc"
