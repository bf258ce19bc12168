#include "core/recipes/elections/election_helpers.h"
#include "recipes/blocks/follow.h"
#include "recipes/elections/master.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class MasterTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/cluster/master"};

    // Campaigns one after the other and keeps what it wins.
    async::Task<void> stand(zk::Client &zk, QByteArray endpoint, std::optional<Leadership> &held)
    {
        Master master(zk, m_path);
        Leadership leadership = co_await master.campaign(endpoint);
        held.emplace(std::move(leadership));
    }

    qint32 epoch(const FakeCluster &fake) const
    {
        return fake.server.tree().find(zk::Path("/cluster/master-epoch"))->stat.version;
    }

private Q_SLOTS:
    void standbysAndWorkersSeeTheMaster()
    {
        FakeCluster fake(4);
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(3);
        std::vector<QByteArray> seen;
        const auto onChange = [&](const zk::Node *node) { seen.push_back(node ? node->data : QByteArray("none")); };
        for (int i = 0; i < 3; ++i) {
            tasks.spawn(stand(fake[i], "host:" + QByteArray::number(i), held[std::size_t(i)]));
            fake.settle();
        }
        tasks.spawn(followData(fake[3], m_path, onChange));
        QVERIFY(held[0] && !held[1] && !held[2]);
        held[0].reset();
        fake.settle();
        QVERIFY(held[1].has_value() != held[2].has_value()); // one of them
        const int second = held[1] ? 1 : 2;
        fake.server.expire(fake[second].sessionId());
        fake.settle(10s);
        QVERIFY(held[1] && held[2]);
        QCOMPARE(seen.front(), QByteArray("host:0"));
        QCOMPARE(seen.back(), "host:" + QByteArray::number(3 - second));
        Master master(fake[3], m_path);
        QCOMPARE(fake.run(master.master())->data, seen.back());
        QCOMPARE(epoch(fake), 3);
    }

    void anUncontendedElectionIsOneRoundTrip()
    {
        FakeCluster fake(1, {.latency = 5ms});
        Master master(fake[0], m_path);
        fake.run(master.campaign("one")).resign();
        fake.settle();
        const async::TimePoint before = fake.world.now();
        const Leadership again = fake.run(master.campaign("one"));
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
    }

    void aLostReplyIsAnElection_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void aLostReplyIsAnElection()
    {
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[1] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(zk::Path("/cluster/master-epoch")));
        fake.run(fake[0].ensurePath(zk::Path("/decision")));
        fake.add({.faults = &faults});
        Master master(fake[1], m_path);
        const Leadership leadership = fake.run(master.campaign("one"));
        QCOMPARE(faults.log().total(), quint64(1));
        QCOMPARE(epoch(fake), 1);
        QCOMPARE(leadership.fence().czxid, fake.server.tree().find(m_path)->stat.czxid);
        QVERIFY(fake.run(guardedWrite(fake[1], leadership.fence())));
    }

    void twoCampaignsOfOneSessionAreTwo()
    {
        FakeCluster fake(1);
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(2);
        tasks.spawn(stand(fake[0], "a", held[0]));
        fake.settle();
        tasks.spawn(stand(fake[0], "b", held[1]));
        fake.settle();
        QVERIFY(held[0] && !held[1]);
        held[0].reset();
        fake.settle();
        QVERIFY(held[1]);
        QCOMPARE(fake.server.tree().find(m_path)->data, QByteArray("b"));
    }

    // Both creates are of one session, so that only the mark tells whose was carried out.
    void afterALostReplyOnlyOneOfASessionIsMaster_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void afterALostReplyOnlyOneOfASessionIsMaster()
    {
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[1] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(zk::Path("/cluster/master-epoch")));
        fake.add({.faults = &faults});
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(2);
        tasks.spawn(stand(fake[1], "same", held[0]));
        QVERIFY(fake.world.runUntil([&] { return fake[1].state() == zk::Client::State::Suspended; }));
        tasks.spawn(stand(fake[1], "same", held[1])); // sent before the first one's is sent again
        fake.settle(5s);
        QCOMPARE(held[0].has_value(), fault == int(Fault::LoseReply));
        QCOMPARE(held[1].has_value(), fault == int(Fault::LoseRequest));
        QCOMPARE(epoch(fake), 1);
        held[held[0] ? 0 : 1].reset();
        fake.settle(1s);
        QCOMPARE(epoch(fake), 2);
        QCOMPARE(held[0].has_value(), fault == int(Fault::LoseRequest));
    }

    void aCancelledCampaignSparesTheMasterOfItsSession()
    {
        for (int delay = 0; delay < 30; ++delay) {
            FakeCluster fake(1, {.latency = 5ms});
            Master master(fake[0], m_path);
            const Leadership leadership = fake.run(master.campaign("a"));
            std::optional<Leadership> other;
            async::TaskGroup tasks;
            tasks.spawn(stand(fake[0], "a", other));
            fake.settle(std::chrono::milliseconds(delay));
            tasks.cancelAll();
            fake.settle(1s);
            QVERIFY(fake.run(leadership.confirmed()));
        }
    }

    // CURATOR-604: the node of our earlier life, with our own endpoint in it, is not ours.
    void aNodeOfAnEarlierSessionIsNotAdopted()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeCluster fake(1);
        std::optional<Leadership> former;
        async::TaskGroup tasks;
        tasks.spawn(stand(fake[0], "host:1", former));
        fake.settle();
        QVERIFY(former);
        const zk::SessionId earlier = fake[0].sessionId();
        fake.session(0).crash();
        fake.add({.faults = &faults});
        std::optional<Leadership> held;
        tasks.spawn(stand(fake[1], "host:1", held));
        fake.settle(2s);
        QVERIFY(!held);
        fake.settle(10s);
        QVERIFY(held);
        QVERIFY(held->fence().session != earlier);
        QCOMPARE(fake.server.tree().find(m_path)->stat.ephemeralOwner, fake[1].sessionId());
    }

    // CURATOR-498: a deletion that comes late, here because its reply is lost, is not for the next node of the name.
    void aLateDeletionSparesTheNewNode_data()
    {
        QTest::addColumn<bool>("byTransaction");
        QTest::newRow("by the node's transaction") << true;
        QTest::newRow("by name and owner, the broken variant") << false;
    }
    void aLateDeletionSparesTheNewNode()
    {
        QFETCH(bool, byTransaction);
        FakeCluster fake(1);
        async::TaskGroup tasks;
        Master master(fake[0], m_path);
        const Leadership first = fake.run(master.campaign("one"));
        const zk::Zxid czxid = first.fence().czxid;
        fake.run(removeNode(fake[0], m_path)); // whose reply went astray: the deletion is repeated
        const Leadership second = fake.run(master.campaign("one"));
        fake[0].discardOwned(m_path, byTransaction ? czxid : 0);
        fake.settle();
        QCOMPARE(fake.server.tree().find(m_path) != nullptr, byTransaction);
    }

    // CURATOR-537, and more: all masters' nodes have one name, so that a check of the name alone lets a zombie pass.
    void aDeposedMastersFenceFailsUnderItsSuccessor()
    {
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(zk::Path("/decision")));
        Master one(fake[0], m_path);
        Master two(fake[1], m_path);
        const Leadership zombie = fake.run(one.campaign("one"));
        QVERIFY(fake.run(guardedWrite(fake[0], zombie.fence())));
        fake.process(0).freeze();
        fake.world.runFor(20s);
        const Leadership successor = fake.run(two.campaign("two"));
        // What the process would do with a new session.
        QVERIFY(!fake.run(guardedWrite(fake[1], zombie.fence())));
        Fence nameOnly = zombie.fence();
        nameOnly.epoch.reset();
        QVERIFY(fake.run(guardedWrite(fake[1], nameOnly))); // the broken variant
        QVERIFY(fake.run(guardedWrite(fake[1], successor.fence())));
        QVERIFY(successor.fence().czxid > zombie.fence().czxid);
    }

    // CURATOR-18: closed while the create is under way.
    void closedAtAnyMomentItLeavesNothing()
    {
        for (int delay = 0; delay < 60; ++delay) {
            FakeCluster fake(1, {.latency = 5ms});
            std::optional<Leadership> held;
            async::TaskGroup tasks;
            tasks.spawn(stand(fake[0], "one", held));
            fake.settle(std::chrono::milliseconds(delay));
            tasks.cancelAll();
            held.reset();
            fake.settle(1s);
            QVERIFY(!fake.server.tree().find(m_path));
            QCOMPARE(fake[0].pendingCleanups(), 0);
            QVERIFY(fake.server.watches().empty());
        }
    }

    // CURATOR-724: the parent goes, and the epoch with it.
    void theParentIsDeletedUnderTheMaster()
    {
        FakeCluster fake(2);
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(2);
        tasks.spawn(stand(fake[0], "one", held[0]));
        fake.settle();
        tasks.spawn(stand(fake[1], "two", held[1]));
        fake.settle();
        std::optional<Leadership::End> end;
        const auto note = [&](async::Task<Leadership::End> ended) -> async::Task<void> { end = co_await ended; };
        tasks.spawn(note(held[0]->ended()));
        for (const char *path : {"/cluster/master-epoch", "/cluster/master"})
            fake.run(removeNode(fake[0], zk::Path(path)));
        fake.settle();
        QCOMPARE(end, Leadership::End::Deleted);
        QVERIFY(held[1]);
        QCOMPARE(fake.server.tree().find(m_path)->data, QByteArray("two"));
    }
};

QTEST_GUILESS_MAIN(MasterTest)
#include "master_test.moc"
