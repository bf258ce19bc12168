#include "core/recipes/election_party.h"
#include "recipes/follow.h"
#include "recipes/master.h"

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
    async::Task<void> stand(zk::Coordinator &zk, QByteArray endpoint, std::optional<Leadership> &held)
    {
        Master master(zk, m_path);
        Leadership leadership = co_await master.campaign(endpoint);
        held.emplace(std::move(leadership));
    }

    qint32 epoch(const FakeParty &party) const
    {
        return party.server.tree().find(zk::Path("/cluster/master-epoch"))->stat.version;
    }

private Q_SLOTS:
    void standbysAndWorkersSeeWhoIsMaster()
    {
        FakeParty party(4);
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(3);
        std::vector<QByteArray> seen;
        const auto onChange = [&](const zk::Node *node) { seen.push_back(node ? node->data : QByteArray("none")); };
        for (int i = 0; i < 3; ++i) {
            tasks.spawn(stand(party[i], "host:" + QByteArray::number(i), held[std::size_t(i)]));
            party.settle();
        }
        tasks.spawn(followData(party[3], m_path, onChange));
        QVERIFY(held[0] && !held[1] && !held[2]);
        held[0].reset();
        party.settle();
        QVERIFY(held[1].has_value() != held[2].has_value()); // one of them, whoever is first
        const int second = held[1] ? 1 : 2;
        party.server.expire(party[second].sessionId());
        party.settle(10s);
        QVERIFY(held[1] && held[2]);
        QCOMPARE(seen.front(), QByteArray("host:0"));
        QCOMPARE(seen.back(), "host:" + QByteArray::number(3 - second));
        Master master(party[3], m_path);
        QCOMPARE(party.run(master.master())->data, seen.back());
        QCOMPARE(epoch(party), 3);
    }

    void anUncontendedElectionIsOneRoundTrip()
    {
        FakeParty party(1, {.latency = 5ms});
        Master master(party[0], m_path);
        party.run(master.campaign("one")).resign();
        party.settle();
        const async::TimePoint before = party.world.now();
        const Leadership again = party.run(master.campaign("one"));
        QCOMPARE(party.world.now() - before, async::Duration(10ms));
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
        FakeParty party(1);
        party.run(party[0].ensurePath(zk::Path("/cluster/master-epoch")));
        party.run(party[0].ensurePath(zk::Path("/decision")));
        party.add({.faults = &faults});
        Master master(party[1], m_path);
        const Leadership leadership = party.run(master.campaign("one"));
        QCOMPARE(faults.log().total(), quint64(1));
        QCOMPARE(epoch(party), 1);
        QCOMPARE(leadership.fence().czxid, party.server.tree().find(m_path)->stat.czxid);
        QVERIFY(party.run(guardedWrite(party[1], leadership.fence())));
    }

    void twoCampaignsOfOneSessionAreTwo()
    {
        FakeParty party(1);
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(2);
        tasks.spawn(stand(party[0], "a", held[0]));
        party.settle();
        tasks.spawn(stand(party[0], "b", held[1]));
        party.settle();
        QVERIFY(held[0] && !held[1]);
        held[0].reset();
        party.settle();
        QVERIFY(held[1]);
        QCOMPARE(party.server.tree().find(m_path)->data, QByteArray("b"));
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
        FakeParty party(1);
        party.run(party[0].ensurePath(zk::Path("/cluster/master-epoch")));
        party.add({.faults = &faults});
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(2);
        tasks.spawn(stand(party[1], "same", held[0]));
        QVERIFY(party.world.runUntil([&] { return party[1].state() == zk::Coordinator::State::Suspended; }));
        tasks.spawn(stand(party[1], "same", held[1])); // sent before the first one's is sent again
        party.settle(5s);
        QCOMPARE(held[0].has_value(), fault == int(Fault::LoseReply));
        QCOMPARE(held[1].has_value(), fault == int(Fault::LoseRequest));
        QCOMPARE(epoch(party), 1);
        held[held[0] ? 0 : 1].reset();
        party.settle(1s);
        QCOMPARE(epoch(party), 2);
        QCOMPARE(held[0].has_value(), fault == int(Fault::LoseRequest));
    }

    void aCancelledCampaignSparesTheMasterOfItsSession()
    {
        for (int delay = 0; delay < 30; ++delay) {
            FakeParty party(1, {.latency = 5ms});
            Master master(party[0], m_path);
            const Leadership leadership = party.run(master.campaign("a"));
            std::optional<Leadership> other;
            async::TaskGroup tasks;
            tasks.spawn(stand(party[0], "a", other));
            party.settle(std::chrono::milliseconds(delay));
            tasks.cancelAll();
            party.settle(1s);
            QVERIFY(party.run(leadership.confirmed()));
        }
    }

    // CURATOR-604: the node of our earlier life, with our own endpoint in it, is not ours.
    void lesson04_aNodeOfAnEarlierSessionIsNotAdopted()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeParty party(1);
        std::optional<Leadership> former;
        async::TaskGroup tasks;
        tasks.spawn(stand(party[0], "host:1", former));
        party.settle();
        QVERIFY(former);
        const zk::SessionId earlier = party[0].sessionId();
        party.session(0).crash();
        party.add({.faults = &faults});
        std::optional<Leadership> held;
        tasks.spawn(stand(party[1], "host:1", held));
        party.settle(2s);
        QVERIFY(!held);
        party.settle(10s);
        QVERIFY(held);
        QVERIFY(held->fence().session != earlier);
        QCOMPARE(party.server.tree().find(m_path)->stat.ephemeralOwner, party[1].sessionId());
    }

    // CURATOR-498: a deletion that comes late, here because its reply is lost, is not for the next node of the name.
    void lesson06_aLateDeletionSparesTheNewNode_data()
    {
        QTest::addColumn<bool>("byTransaction");
        QTest::newRow("by the node's transaction") << true;
        QTest::newRow("by name and owner, the broken variant") << false;
    }
    void lesson06_aLateDeletionSparesTheNewNode()
    {
        QFETCH(bool, byTransaction);
        FakeParty party(1);
        async::TaskGroup tasks;
        Master master(party[0], m_path);
        const Leadership first = party.run(master.campaign("one"));
        const zk::Zxid czxid = first.fence().czxid;
        party.run(removeNode(party[0], m_path)); // whose reply went astray: the deletion is repeated
        const Leadership second = party.run(master.campaign("one"));
        party[0].discardOwned(m_path, byTransaction ? czxid : 0);
        party.settle();
        QCOMPARE(party.server.tree().find(m_path) != nullptr, byTransaction);
    }

    // CURATOR-537, and more: all masters' nodes have one name, so that a check of the name alone lets a zombie pass.
    void lesson07_theFenceIsNotTheSuccessors()
    {
        FakeParty party(2);
        party.run(party[0].ensurePath(zk::Path("/decision")));
        Master one(party[0], m_path);
        Master two(party[1], m_path);
        const Leadership zombie = party.run(one.campaign("one"));
        QVERIFY(party.run(guardedWrite(party[0], zombie.fence())));
        party.process(0).freeze();
        party.world.runFor(20s);
        const Leadership successor = party.run(two.campaign("two"));
        // What the process would do with a new session.
        QVERIFY(!party.run(guardedWrite(party[1], zombie.fence())));
        Fence nameOnly = zombie.fence();
        nameOnly.epoch.reset();
        QVERIFY(party.run(guardedWrite(party[1], nameOnly))); // the broken variant
        QVERIFY(party.run(guardedWrite(party[1], successor.fence())));
        QVERIFY(successor.fence().czxid > zombie.fence().czxid);
    }

    // CURATOR-18: closed while the create is under way.
    void lesson08_closedAtAnyMomentItLeavesNothing()
    {
        for (int delay = 0; delay < 60; ++delay) {
            FakeParty party(1, {.latency = 5ms});
            std::optional<Leadership> held;
            async::TaskGroup tasks;
            tasks.spawn(stand(party[0], "one", held));
            party.settle(std::chrono::milliseconds(delay));
            tasks.cancelAll();
            held.reset();
            party.settle(1s);
            QVERIFY(!party.server.tree().find(m_path));
            QCOMPARE(party[0].obligations(), 0);
            QVERIFY(party.server.watches().empty());
        }
    }

    // CURATOR-724: the parent goes, and the epoch with it.
    void lesson09_theParentIsDeletedUnderTheMaster()
    {
        FakeParty party(2);
        async::TaskGroup tasks;
        std::vector<std::optional<Leadership>> held(2);
        tasks.spawn(stand(party[0], "one", held[0]));
        party.settle();
        tasks.spawn(stand(party[1], "two", held[1]));
        party.settle();
        std::optional<Leadership::End> end;
        const auto note = [&](async::Task<Leadership::End> ended) -> async::Task<void> { end = co_await ended; };
        tasks.spawn(note(held[0]->ended()));
        for (const char *path : {"/cluster/master-epoch", "/cluster/master"})
            party.run(removeNode(party[0], zk::Path(path)));
        party.settle();
        QCOMPARE(end, Leadership::End::Deleted);
        QVERIFY(held[1]);
        QCOMPARE(party.server.tree().find(m_path)->data, QByteArray("two"));
    }
};

QTEST_GUILESS_MAIN(MasterTest)
#include "master_test.moc"
