#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;

class FakeSessionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aBreakLosesWhatIsUnderWay()
    {
        FakeCluster fake(2, {.latency = 5ms});
        const auto arrived = fake.session(0).create(Path("/arrived"), {});
        fake.world.runFor(7ms);
        const auto onItsWay = fake.session(0).create(Path("/lost"), {});
        fake.world.runFor(1ms);
        fake.session(0).disconnectFor(1s);
        const auto queued = fake.session(0).create(Path("/sent-unknowingly"), {});
        QVERIFY(fake.failsWith(arrived, Code::ConnectionLoss));
        QCOMPARE(fake.session(0).state(), zk::Client::State::Suspended);
        QVERIFY(fake.failsWith(onItsWay, Code::ConnectionLoss));
        QVERIFY(fake.failsWith(queued, Code::ConnectionLoss));
        const auto later = fake.get(fake.session(0).create(Path("/later"), {}));
        QVERIFY(later.ok());
        QVERIFY(fake.exists(Path("/arrived")));
        QVERIFY(!fake.exists(Path("/lost")));
        QVERIFY(!fake.exists(Path("/sent-unknowingly")));
    }

    void aSendThatFailsLosesWhatWasSentAndNotWhatIsCalledAfter()
    {
        FaultPlan plan;
        plan.scripted = {{2, Fault::FailSend}};
        FaultInjector faults(plan);
        FakeCluster fake(2, {.latency = 5ms, .faults = &faults});
        const auto sent = fake.session(0).create(Path("/sent"), {});
        const auto failed = fake.session(0).create(Path("/failed"), {});
        const auto behind = fake.session(0).create(Path("/behind"), {});
        QVERIFY(fake.failsWith(sent, Code::ConnectionLoss));
        QVERIFY(fake.failsWith(failed, Code::ConnectionLoss));
        QVERIFY(fake.get(behind).ok());
        QVERIFY(!fake.exists(Path("/sent")) && !fake.exists(Path("/failed")));
    }

    void aLateCommitComesAfterTheReconnectionAndBeforeASync()
    {
        for (const bool syncs : {false, true}) {
            FaultPlan plan;
            plan.scripted = {{1, Fault::LateCommit}};
            FaultInjector faults(plan);
            FakeCluster fake(2, {.latency = 1ms, .faults = &faults});
            QVERIFY(fake.failsWith(fake.session(0).create(Path("/late"), {}), Code::ConnectionLoss));
            QVERIFY(fake.get(fake.session(0).exists(Path("/late"))).is(Code::NoNode));
            if (syncs)
                fake.get(fake.session(0).sync(Path("/late")));
            else
                fake.world.runFor(plan.longestLag);
            QVERIFY(fake.get(fake.session(0).exists(Path("/late"))).ok());
        }
    }

    void aReconnectionMayLeadToAServerThatLagsAndNeverToOneThatIsOlder()
    {
        FaultPlan plan;
        plan.behind = 1;
        plan.tooOld = 0.5;
        plan.longestLag = 1h;
        FaultInjector faults(plan);
        FakeCluster fake(2, {.faults = &faults});
        fake.get(fake.session(0).create(Path("/seen"), {}));
        fake.session(0).disconnect();
        fake.world.runFor(1s);
        fake.get(fake.session(1).create(Path("/unseen"), {}));
        fake.session(0).reconnect();
        QVERIFY(fake.get(fake.session(0).exists(Path("/seen"))).ok());
        QVERIFY(fake.get(fake.session(0).exists(Path("/unseen"))).is(Code::NoNode));
        fake.get(fake.session(0).sync(Path("/")));
        fake.session(0).disconnectFor(1s);
        fake.world.runFor(1s);
        QVERIFY(fake.get(fake.session(0).exists(Path("/unseen"))).ok());
    }

    void aServerThatIsCutOffAnswersReadsWhileTheSessionEnds()
    {
        FakeCluster fake(2, {.latency = 5ms});
        fake.get(fake.session(0).create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        const async::TimePoint cut = fake.world.now();
        fake.server.isolate(fake.session(0).sessionId(), 1h);
        const async::TimePoint end = fake.session(0).aliveUntil();
        fake.world.runFor(3s);
        QVERIFY(fake.get(fake.session(0).exists(Path("/mine"))).ok());
        QVERIFY(fake.session(0).aliveUntil() == end); // a read proves nothing
        QVERIFY(end < cut + 6s);
        QVERIFY(fake.world.runUntil([&] { return fake.session(0).state() == zk::Client::State::Lost; }));
        QVERIFY(fake.world.now() == end && fake.exists(Path("/mine"))); // by its own clock, before the leader's
        fake.world.runFor(1s);
        QVERIFY(!fake.exists(Path("/mine")));
        QCOMPARE(fake.server.sessions().size(), std::size_t(1));
    }

    void aServerThatIsCutOffAnswersNothingBehindAWrite()
    {
        FakeCluster fake(2, {.latency = 5ms});
        fake.server.isolate(fake.session(0).sessionId(), 2s);
        const auto write = fake.session(0).create(Path("/n"), {});
        const auto read = fake.session(0).exists(Path("/"));
        fake.world.runFor(1s);
        QVERIFY(!write.ready() && !read.ready());
        QVERIFY(fake.failsWith(write, Code::ConnectionLoss));
        QVERIFY(fake.failsWith(read, Code::ConnectionLoss));
        QVERIFY(fake.get(fake.session(0).exists(Path("/n"))).is(Code::NoNode));
        fake.world.runFor(1min);
        QCOMPARE(fake.session(0).state(), zk::Client::State::Connected);
    }

    void watchesSurviveABreakAndTellWhatWasMissed()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/n"), {}));
        zk::Watch changed;
        zk::Watch unchanged;
        fake.get(fake.session(1).get(Path("/n"), changed));
        fake.get(fake.session(1).children(Path("/n"), unchanged));
        fake.session(1).disconnect();
        fake.world.runFor(1s);
        fake.get(fake.session(0).set(Path("/n"), "new"));
        QVERIFY(!changed.hasFired());
        fake.session(1).reconnect();
        QCOMPARE(fake.event(changed).type, zk::WatchEvent::Type::DataChanged);
        QVERIFY(!unchanged.hasFired());
        QCOMPARE(fake.server.watches().size(), std::size_t(1));
    }

    void aSuspendedSessionIsLostByItsClockBeforeTheServerExpiresIt()
    {
        FakeCluster fake(2, {.latency = 5ms});
        fake.get(fake.session(0).create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        zk::Watch watch;
        fake.get(fake.session(0).get(Path("/"), watch));
        fake.session(0).disconnect();
        const async::TimePoint end = fake.session(0).aliveUntil();
        QVERIFY(fake.world.runUntil([&] { return fake.session(0).state() == zk::Client::State::Lost; }));
        QVERIFY(fake.world.now() == end);
        QVERIFY(fake.exists(Path("/mine")));
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, fake.event(watch));
        QVERIFY(fake.failsWith(fake.session(0).exists(Path("/")), Code::SessionExpired));
        fake.world.runUntilIdle();
        QVERIFY(!fake.exists(Path("/mine")));
    }

    void expiryIsLearntOnReconnection()
    {
        FakeCluster fake(2, {.latency = 5ms});
        fake.get(fake.session(0).create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        zk::Watch watch;
        fake.get(fake.session(1).exists(Path("/mine"), watch));
        fake.server.expire(fake.session(0).sessionId());
        QVERIFY(!fake.exists(Path("/mine")));
        QCOMPARE(fake.event(watch).type, zk::WatchEvent::Type::Deleted);
        QVERIFY(fake.failsWith(fake.session(0).exists(Path("/")), Code::ConnectionLoss));
        QVERIFY(fake.failsWith(fake.session(0).exists(Path("/")), Code::SessionExpired));
        QCOMPARE(fake.session(0).state(), zk::Client::State::Lost);
    }

    void aPausedProcessLosesItsSessionAndWakesAsAZombie()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        bool zombieRan = false;
        const async::Timer zombie = fake.process(0).after(5s, [&] {
            zombieRan = true;
            QCOMPARE(fake.session(0).state(), zk::Client::State::Connected); // it does not know yet
            QVERIFY(fake.session(0).aliveUntil() < fake.process(0).now()); // but could
        });
        fake.process(0).freezeFor(10s);
        fake.world.runFor(8s);
        QVERIFY(!fake.exists(Path("/mine")));
        QVERIFY(!zombieRan);
        fake.world.runUntilIdle();
        QVERIFY(zombieRan);
        QCOMPARE(fake.session(0).state(), zk::Client::State::Lost);
    }

    void answersThatArrivedDuringALongPauseAreWithheld()
    {
        FakeCluster fake(2, {.latency = 1ms});
        zk::Watch watch;
        fake.get(fake.session(0).exists(Path("/n"), watch));
        const auto answered = fake.session(0).create(Path("/n"), {});
        fake.process(0).freezeFor(10s);
        fake.world.runFor(9s);
        QVERIFY(fake.exists(Path("/n")));
        QVERIFY(fake.failsWith(answered, Code::SessionExpired));
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, fake.event(watch));
    }

    void aPausedSessionThatTheServerStillKnowsReconnects()
    {
        std::vector<zk::Client::State> states;
        FakeCluster fake(2);
        connect(&fake.session(0), &zk::Client::stateChanged, this, [&](auto state) { states.push_back(state); });
        fake.process(0).freezeFor(5s);
        fake.world.runFor(20s);
        QCOMPARE(states, (std::vector{zk::Client::State::Suspended, zk::Client::State::Connected}));
        QCOMPARE(fake.server.sessions().size(), std::size_t(2));
    }

    void refusedCredentialsEndTheSession()
    {
        FakeCluster fake(2);
        QVERIFY(fake.failsWith(fake.session(0).addAuth("unknown", "x"), Code::AuthFailed));
        QCOMPARE(fake.session(0).state(), zk::Client::State::Lost);
        QVERIFY(fake.get(fake.session(1).addAuth("digest", "user:secret")).ok());
        fake.get(fake.session(1).create(Path("/n"), {}, zk::CreateMode::Persistent, {{31, "auth", {}}}));
        const auto acl = fake.get(fake.session(1).acl(Path("/n")));
        QCOMPARE(acl->acl.front().scheme, QByteArray("digest"));
        QVERIFY(acl->acl.front().id.startsWith("user:"));
    }

    void aShortPauseCostsNothing()
    {
        FakeCluster fake(2);
        fake.process(0).freezeFor(3s);
        fake.world.runUntilIdle();
        QCOMPARE(fake.session(0).state(), zk::Client::State::Connected);
        QVERIFY(fake.session(0).aliveUntil() == fake.world.now() + 6s);
        fake.world.runFor(10s);
        QCOMPARE(fake.server.sessions().size(), std::size_t(2));
    }

    // Although a heartbeat that was answered long ago, and read just after the call, makes it look alive again.
    void aRequestToAnOverdueSessionFails()
    {
        FakeCluster fake(2, {.sessionTimeout = 60ms, .latency = 5ms});
        fake.process(0).freezeFor(35ms);
        fake.world.runFor(40ms); // awake again, and the heartbeat is on its way
        fake.process(0).freezeFor(35ms);
        std::optional<zk::Reply<zk::Created>> asked;
        const auto timer = fake.process(0).after(1ms, [&] { asked = fake.session(0).create(Path("/n"), {}); });
        fake.world.runFor(1s);
        QVERIFY(fake.failsWith(*asked, Code::SessionExpired));
        QCOMPARE(fake.session(0).state(), zk::Client::State::Lost);
    }

    void aPartitionIsNoticedLateButAliveUntilStands()
    {
        FakeCluster fake(2);
        fake.session(0).partition();
        const async::TimePoint end = fake.session(0).aliveUntil();
        fake.world.runFor(3s);
        QCOMPARE(fake.session(0).state(), zk::Client::State::Connected);
        QVERIFY(fake.session(0).aliveUntil() == end);
        fake.world.runFor(2s);
        QCOMPARE(fake.session(0).state(), zk::Client::State::Suspended);
        fake.world.runFor(1s);
        QCOMPARE(fake.session(0).state(), zk::Client::State::Lost);
    }

    void closingDeletesEphemeralsInOneTransaction()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/m1"), {}, zk::CreateMode::Ephemeral));
        fake.get(fake.session(0).create(Path("/m2"), {}, zk::CreateMode::Ephemeral));
        const zk::Zxid before = fake.server.lastZxid();
        const auto underWay = fake.session(0).exists(Path("/m1"));
        runTask(fake.world, fake.session(0).close());
        QCOMPARE(fake.session(0).state(), zk::Client::State::Lost);
        QVERIFY(underWay.ready());
        QVERIFY(!fake.exists(Path("/m1")) && !fake.exists(Path("/m2")));
        QCOMPARE(fake.server.lastZxid(), before + 1);
    }

    void aDestroyedSessionFinishesWhatItSent()
    {
        FakeCluster fake(2, {.latency = 5ms});
        const auto sent = fake.session(0).create(Path("/sent"), {});
        fake.removeSession(0);
        fake.world.runUntilIdle();
        QVERIFY(fake.exists(Path("/sent")));
        QCOMPARE(fake.server.sessions().size(), std::size_t(1));
        QVERIFY(fake.failsWith(sent, Code::SessionExpired));
    }

    void aCrashedProcessKeepsItsSessionUntilTheTimeout()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        fake.session(0).crash();
        fake.removeSession(0);
        fake.world.runFor(5999ms);
        QVERIFY(fake.exists(Path("/mine")));
        fake.world.runFor(1ms);
        QVERIFY(!fake.exists(Path("/mine")));
    }

    void sessionsOutliveAServerThatComesBack()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        fake.server.stop();
        const auto waiting = fake.session(0).exists(Path("/mine")); // sent into the broken connection
        fake.world.runFor(5s);
        QVERIFY(fake.failsWith(waiting, Code::ConnectionLoss));
        QCOMPARE(fake.session(0).state(), zk::Client::State::Suspended);
        fake.server.start();
        QVERIFY(fake.get(fake.session(0).exists(Path("/mine"))).ok());
        fake.world.runFor(10s);
        QVERIFY(fake.exists(Path("/mine")));
    }
};

QTEST_GUILESS_MAIN(FakeSessionTest)
#include "fake_session_test.moc"
