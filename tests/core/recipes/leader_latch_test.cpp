#include "core/recipes/election_party.h"

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
        QCOMPARE(leader->data, QByteArray("one"));
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
            QCOMPARE(participants[std::size_t(i)].data, QByteArray::number(i));
            QCOMPARE(participants[std::size_t(i)].fence.session, party[i].sessionId());
        }
        QCOMPARE(party.run(latches[0]->leader())->data, QByteArray("0"));
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
        for (std::size_t i = 0; i + 1 < Size; ++i) {
            const quint64 before = party.watchEvents();
            held[i]->resign();
            party.settle();
            QVERIFY(held[i + 1]);
            QVERIFY(party.watchEvents() - before <= 2);
        }
    }
};

QTEST_GUILESS_MAIN(LeaderLatchTest)
#include "leader_latch_test.moc"
