#include "core/recipes/elections/election_helpers.h"

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
        FakeCluster fake(2);
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        QVERIFY(!fake.run(second.leader()));
        const Leadership leadership = fake.run(first.campaign("one"));
        QVERIFY(leadership.isCertain());
        const std::optional<Participant> leader = fake.run(second.leader());
        QVERIFY(leader);
        QCOMPARE(leader->data, QByteArray("one"));
        QCOMPARE(leader->fence.czxid, leadership.fence().czxid);
    }

    void theNextLeadsWhenTheLeaderResignsOrExpires()
    {
        FakeCluster fake(3);
        std::vector<QByteArray> elected;
        std::vector<std::optional<Leadership>> held(3);
        async::TaskGroup campaigns;
        const auto campaign = [&](int who) -> async::Task<void> {
            LeaderLatch latch(fake[who], m_path);
            Leadership leadership = co_await latch.campaign(QByteArray::number(who));
            elected.push_back(QByteArray::number(who));
            held[static_cast<std::size_t>(who)].emplace(std::move(leadership));
        };
        for (int i = 0; i < 3; ++i) {
            campaigns.spawn(campaign(i));
            fake.settle();
        }
        QCOMPARE(elected, (std::vector<QByteArray>{"0"}));
        held[0]->resign();
        fake.settle();
        QCOMPARE(elected.back(), QByteArray("1"));
        fake.server.expire(fake[1].sessionId());
        fake.settle();
        QCOMPARE(elected.back(), QByteArray("2"));
    }

    void aSuspendedLeaderIsNotCertain()
    {
        FakeCluster fake(1);
        LeaderLatch latch(fake[0], m_path);
        const Leadership leadership = fake.run(latch.campaign("one"));
        fake.session(0).disconnect();
        fake.settle();
        QVERIFY(!leadership.isCertain());
        fake.session(0).reconnect();
        fake.settle(1s);
        QVERIFY(leadership.isCertain());
    }

    // CURATOR-696: a leader deposed while it was paused must not write as one.
    void theDeposedLeadersWriteIsRefused()
    {
        FakeCluster fake(2);
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        const Leadership zombie = fake.run(first.campaign("one"));
        fake.process(0).freeze();
        fake.world.runFor(20s); // the session expires while the process stands still
        const Leadership successor = fake.run(second.campaign("two"));
        zk::Transaction late;
        zombie.fence().guard(late).create(zk::Path("/decision"), "late");
        const auto write = [&]() -> async::Task<bool> {
            const zk::Answer<zk::Committed> committed = co_await fake[1].commit(late);
            co_return committed.ok();
        };
        QVERIFY(!fake.run(write()));
        QVERIFY(successor.fence().czxid > zombie.fence().czxid);
    }

    void participantsAreListedInOrder()
    {
        FakeCluster fake(3);
        async::TaskGroup campaigns;
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<Heard> heard(3);
        for (int i = 0; i < 3; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(fake[i], m_path));
            campaigns.spawn(latches.back()->participate(QByteArray::number(i), heard[std::size_t(i)].listener()));
            fake.settle();
        }
        const std::vector<Participant> participants = fake.run(latches[2]->participants());
        QCOMPARE(participants.size(), std::size_t(3));
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(participants[std::size_t(i)].data, QByteArray::number(i));
            QCOMPARE(participants[std::size_t(i)].fence.session, fake[i].sessionId());
        }
        QCOMPARE(fake.run(latches[0]->leader())->data, QByteArray("0"));
        QCOMPARE(heard[0].signs, QByteArray("+"));
        QCOMPARE(heard[1].signs, QByteArray());
    }

    void doubtComesWithSuspensionAndGoesWithTheSamePlace()
    {
        FakeCluster fake(2);
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        Heard one;
        Heard two;
        async::TaskGroup tasks([](const std::exception_ptr &) {});
        tasks.spawn(first.participate("one", one.listener()));
        fake.settle();
        tasks.spawn(second.participate("two", two.listener()));
        fake.settle();
        const QByteArrayList before = fake.childrenOf(m_path);
        fake.session(0).disconnect();
        fake.settle();
        QCOMPARE(one.signs, QByteArray("+-")); // at once, not when the session has expired
        fake.session(0).reconnect();
        fake.settle(2s);
        QCOMPARE(one.signs, QByteArray("+-+"));
        QCOMPARE(two.signs, QByteArray());
        QCOMPARE(fake.childrenOf(m_path), before);
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
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
        FakeCluster fake(2);
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        const auto mode = notify ? LeaderLatch::CloseMode::NotifyLeader : LeaderLatch::CloseMode::Silent;
        Heard leader;
        Heard standby;
        async::TaskGroup leading;
        async::TaskGroup standing;
        leading.spawn(first.participate("one", leader.listener(), mode));
        fake.settle();
        standing.spawn(second.participate("two", standby.listener(), mode));
        fake.settle();
        standing.cancelAll();
        leading.cancelAll();
        fake.settle();
        QCOMPARE(leader.signs, heard);
        QCOMPARE(standby.signs, QByteArray()); // never led: nothing to tell
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        QVERIFY(fake.server.watches().empty());
    }

    void endedSaysWhy()
    {
        using End = Leadership::End;
        FakeCluster fake(2);
        LeaderLatch latch(fake[0], m_path);
        async::TaskGroup tasks;
        std::optional<End> end;
        const auto note = [&](async::Task<End> ended) -> async::Task<void> { end = co_await ended; };

        std::optional<Leadership> leadership = fake.run(latch.campaign("one"));
        tasks.spawn(note(leadership->ended()));
        leadership.reset();
        fake.settle();
        QCOMPARE(end, End::GivenUp);

        leadership = fake.run(latch.campaign("one"));
        tasks.spawn(note(leadership->ended()));
        fake.run(removeAll(fake[1], m_path));
        fake.settle();
        QCOMPARE(end, End::Deleted);

        leadership = fake.run(latch.campaign("one"));
        tasks.spawn(note(leadership->ended()));
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QCOMPARE(end, End::SessionLost);
        QVERIFY(!leadership->isCertain());
    }

    void aReleaseWakesTwoWhateverTheNumberOfWaiters()
    {
        constexpr int Size = 50;
        FakeCluster fake(Size);
        async::TaskGroup campaigns;
        std::vector<std::unique_ptr<LeaderLatch>> latches;
        std::vector<std::optional<Leadership>> held(Size);
        const auto campaign = [&](int who) -> async::Task<void> {
            Leadership leadership = co_await latches[std::size_t(who)]->campaign("x");
            held[std::size_t(who)].emplace(std::move(leadership));
        };
        for (int i = 0; i < Size; ++i) {
            latches.push_back(std::make_unique<LeaderLatch>(fake[i], m_path));
            campaigns.spawn(campaign(i));
            fake.settle(1ms);
        }
        for (std::size_t i = 0; i + 1 < Size; ++i) {
            const quint64 before = fake.watchEvents();
            held[i]->resign();
            fake.settle();
            QVERIFY(held[i + 1]);
            QVERIFY(fake.watchEvents() - before <= 2);
        }
    }
};

QTEST_GUILESS_MAIN(LeaderLatchTest)
#include "leader_latch_test.moc"
