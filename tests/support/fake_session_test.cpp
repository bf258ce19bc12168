#include "support/fake_world.h"

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
        World world({.latency = 5ms});
        const auto arrived = world.a->create(Path("/arrived"), {});
        world.loop.runFor(7ms);
        const auto onItsWay = world.a->create(Path("/lost"), {});
        world.loop.runFor(1ms);
        world.a->disconnectFor(1s);
        const auto queued = world.a->create(Path("/sent-unknowingly"), {});
        QVERIFY(world.failsWith(arrived, Code::ConnectionLoss));
        QCOMPARE(world.a->state(), zk::Coordinator::State::Suspended);
        QVERIFY(world.failsWith(onItsWay, Code::ConnectionLoss));
        QVERIFY(world.failsWith(queued, Code::ConnectionLoss));
        const auto later = world.get(world.a->create(Path("/later"), {}));
        QVERIFY(later.ok());
        QVERIFY(world.exists("/arrived"));
        QVERIFY(!world.exists("/lost"));
        QVERIFY(!world.exists("/sent-unknowingly"));
    }

    void aSendThatFailsLosesWhatWasSentAndNotWhatIsCalledAfter()
    {
        FaultPlan plan;
        plan.scripted = {{2, Fault::FailSend}};
        FaultInjector faults(plan);
        World world({.latency = 5ms, .faults = &faults});
        const auto sent = world.a->create(Path("/sent"), {});
        const auto failed = world.a->create(Path("/failed"), {});
        const auto behind = world.a->create(Path("/behind"), {});
        QVERIFY(world.failsWith(sent, Code::ConnectionLoss));
        QVERIFY(world.failsWith(failed, Code::ConnectionLoss));
        QVERIFY(world.get(behind).ok());
        QVERIFY(!world.exists("/sent") && !world.exists("/failed"));
    }

    void aLateCommitComesAfterTheReconnectionAndBeforeASync()
    {
        for (const bool syncs : {false, true}) {
            FaultPlan plan;
            plan.scripted = {{1, Fault::LateCommit}};
            FaultInjector faults(plan);
            World world({.latency = 1ms, .faults = &faults});
            QVERIFY(world.failsWith(world.a->create(Path("/late"), {}), Code::ConnectionLoss));
            QVERIFY(world.get(world.a->exists(Path("/late"))).is(Code::NoNode));
            if (syncs)
                world.get(world.a->sync(Path("/late")));
            else
                world.loop.runFor(plan.longestLag);
            QVERIFY(world.get(world.a->exists(Path("/late"))).ok());
        }
    }

    void aReconnectionMayLeadToAServerThatLagsAndNeverToOneThatIsOlder()
    {
        FaultPlan plan;
        plan.behind = 1;
        plan.tooOld = 0.5;
        plan.longestLag = 1h;
        FaultInjector faults(plan);
        World world({.faults = &faults});
        world.get(world.a->create(Path("/seen"), {}));
        world.a->disconnect();
        world.loop.runFor(1s);
        world.get(world.b->create(Path("/unseen"), {}));
        world.a->reconnect();
        QVERIFY(world.get(world.a->exists(Path("/seen"))).ok());
        QVERIFY(world.get(world.a->exists(Path("/unseen"))).is(Code::NoNode));
        world.get(world.a->sync(Path("/")));
        world.a->disconnectFor(1s);
        world.loop.runFor(1s);
        QVERIFY(world.get(world.a->exists(Path("/unseen"))).ok());
    }

    void aServerThatIsCutOffAnswersReadsWhileTheSessionEnds()
    {
        World world({.latency = 5ms});
        world.get(world.a->create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        const async::TimePoint cut = world.loop.now();
        world.server.isolate(world.a->sessionId(), 1h);
        const async::TimePoint end = world.a->aliveUntil();
        world.loop.runFor(3s);
        QVERIFY(world.get(world.a->exists(Path("/mine"))).ok());
        QVERIFY(world.a->aliveUntil() == end); // a read proves nothing
        QVERIFY(end < cut + 6s);
        QVERIFY(world.loop.runUntil([&] { return world.a->state() == zk::Coordinator::State::Lost; }));
        QVERIFY(world.loop.now() == end && world.exists("/mine")); // by its own clock, before the leader's
        world.loop.runFor(1s);
        QVERIFY(!world.exists("/mine"));
        QCOMPARE(world.server.sessions().size(), std::size_t(1));
    }

    void whatIsAskedBehindAWriteIsNotAnsweredByAServerThatIsCutOff()
    {
        World world({.latency = 5ms});
        world.server.isolate(world.a->sessionId(), 2s);
        const auto write = world.a->create(Path("/n"), {});
        const auto read = world.a->exists(Path("/"));
        world.loop.runFor(1s);
        QVERIFY(!write.ready() && !read.ready());
        QVERIFY(world.failsWith(write, Code::ConnectionLoss));
        QVERIFY(world.failsWith(read, Code::ConnectionLoss));
        QVERIFY(world.get(world.a->exists(Path("/n"))).is(Code::NoNode));
        world.loop.runFor(1min);
        QCOMPARE(world.a->state(), zk::Coordinator::State::Connected);
    }

    void watchesSurviveABreakAndTellWhatWasMissed()
    {
        World world;
        world.get(world.a->create(Path("/n"), {}));
        zk::Watch changed;
        zk::Watch unchanged;
        world.get(world.b->get(Path("/n"), changed));
        world.get(world.b->children(Path("/n"), unchanged));
        world.b->disconnect();
        world.loop.runFor(1s);
        world.get(world.a->set(Path("/n"), "new"));
        QVERIFY(!changed.hasFired());
        world.b->reconnect();
        QCOMPARE(world.event(changed).type, zk::WatchEvent::Type::DataChanged);
        QVERIFY(!unchanged.hasFired());
        QCOMPARE(world.server.watches().size(), std::size_t(1));
    }

    void suspendedTooLongIsLostByItsOwnClockBeforeTheServerGivesUp()
    {
        World world({.latency = 5ms});
        world.get(world.a->create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        zk::Watch watch;
        world.get(world.a->get(Path("/"), watch));
        world.a->disconnect();
        const async::TimePoint end = world.a->aliveUntil();
        QVERIFY(world.loop.runUntil([&] { return world.a->state() == zk::Coordinator::State::Lost; }));
        QVERIFY(world.loop.now() == end);
        QVERIFY(world.exists("/mine"));
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, world.event(watch));
        QVERIFY(world.failsWith(world.a->exists(Path("/")), Code::SessionExpired));
        world.loop.runUntilIdle();
        QVERIFY(!world.exists("/mine"));
    }

    void expiryIsLearntOnReconnection()
    {
        World world({.latency = 5ms});
        world.get(world.a->create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        zk::Watch watch;
        world.get(world.b->exists(Path("/mine"), watch));
        world.server.expire(world.a->sessionId());
        QVERIFY(!world.exists("/mine"));
        QCOMPARE(world.event(watch).type, zk::WatchEvent::Type::Deleted);
        QVERIFY(world.failsWith(world.a->exists(Path("/")), Code::ConnectionLoss));
        QVERIFY(world.failsWith(world.a->exists(Path("/")), Code::SessionExpired));
        QCOMPARE(world.a->state(), zk::Coordinator::State::Lost);
    }

    void aPausedParticipantLosesItsSessionAndWakesAsAZombie()
    {
        World world;
        world.get(world.a->create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        bool zombieRan = false;
        const async::Timer zombie = world.first.after(5s, [&] {
            zombieRan = true;
            QCOMPARE(world.a->state(), zk::Coordinator::State::Connected); // it does not know yet
            QVERIFY(world.a->aliveUntil() < world.first.now()); // but could
        });
        world.first.freezeFor(10s);
        world.loop.runFor(8s);
        QVERIFY(!world.exists("/mine"));
        QVERIFY(!zombieRan);
        world.loop.runUntilIdle();
        QVERIFY(zombieRan);
        QCOMPARE(world.a->state(), zk::Coordinator::State::Lost);
    }

    void whatArrivedDuringALongPauseIsWithheld()
    {
        World world({.latency = 1ms});
        zk::Watch watch;
        world.get(world.a->exists(Path("/n"), watch));
        const auto answered = world.a->create(Path("/n"), {});
        world.first.freezeFor(10s);
        world.loop.runFor(9s);
        QVERIFY(world.exists("/n"));
        QVERIFY(world.failsWith(answered, Code::SessionExpired));
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, world.event(watch));
    }

    void aPausedSessionThatTheServerStillKnowsReconnects()
    {
        std::vector<zk::Coordinator::State> states;
        World world;
        connect(world.a.get(), &zk::Coordinator::stateChanged, this, [&](auto state) { states.push_back(state); });
        world.first.freezeFor(5s);
        world.loop.runFor(20s);
        QCOMPARE(states, (std::vector{zk::Coordinator::State::Suspended, zk::Coordinator::State::Connected}));
        QCOMPARE(world.server.sessions().size(), std::size_t(2));
    }

    void refusedCredentialsEndTheSession()
    {
        World world;
        QVERIFY(world.failsWith(world.a->addAuth("unknown", "x"), Code::AuthFailed));
        QCOMPARE(world.a->state(), zk::Coordinator::State::Lost);
        QVERIFY(world.get(world.b->addAuth("digest", "user:secret")).ok());
        world.get(world.b->create(Path("/n"), {}, zk::CreateMode::Persistent, {{31, "auth", {}}}));
        const auto acl = world.get(world.b->acl(Path("/n")));
        QCOMPARE(acl->acl.front().scheme, QByteArray("digest"));
        QVERIFY(acl->acl.front().id.startsWith("user:"));
    }

    void aShortPauseCostsNothing()
    {
        World world;
        world.first.freezeFor(3s);
        world.loop.runUntilIdle();
        QCOMPARE(world.a->state(), zk::Coordinator::State::Connected);
        QVERIFY(world.a->aliveUntil() == world.loop.now() + 6s);
        world.loop.runFor(10s);
        QCOMPARE(world.server.sessions().size(), std::size_t(2));
    }

    // Although a heartbeat that was answered long ago, and read just after the call, makes it look alive again.
    void whatIsAskedOfAnOverdueSessionIsAnswered()
    {
        World world({.sessionTimeout = 60ms, .latency = 5ms});
        world.first.freezeFor(35ms);
        world.loop.runFor(40ms); // awake again, and the heartbeat is on its way
        world.first.freezeFor(35ms);
        std::optional<zk::Reply<zk::Created>> asked;
        const auto timer = world.first.after(1ms, [&] { asked = world.a->create(Path("/n"), {}); });
        world.loop.runFor(1s);
        QVERIFY(world.failsWith(*asked, Code::SessionExpired));
        QCOMPARE(world.a->state(), zk::Coordinator::State::Lost);
    }

    void aPartitionIsNoticedLateButAliveUntilStands()
    {
        World world;
        world.a->partition();
        const async::TimePoint end = world.a->aliveUntil();
        world.loop.runFor(3s);
        QCOMPARE(world.a->state(), zk::Coordinator::State::Connected);
        QVERIFY(world.a->aliveUntil() == end);
        world.loop.runFor(2s);
        QCOMPARE(world.a->state(), zk::Coordinator::State::Suspended);
        world.loop.runFor(1s);
        QCOMPARE(world.a->state(), zk::Coordinator::State::Lost);
    }

    void closingDeletesEphemeralsInOneTransaction()
    {
        World world;
        world.get(world.a->create(Path("/m1"), {}, zk::CreateMode::Ephemeral));
        world.get(world.a->create(Path("/m2"), {}, zk::CreateMode::Ephemeral));
        const zk::Zxid before = world.server.lastZxid();
        const auto underWay = world.a->exists(Path("/m1"));
        runTask(world.loop, world.a->close());
        QCOMPARE(world.a->state(), zk::Coordinator::State::Lost);
        QVERIFY(underWay.ready());
        QVERIFY(!world.exists("/m1") && !world.exists("/m2"));
        QCOMPARE(world.server.lastZxid(), before + 1);
    }

    void aDestroyedSessionFinishesWhatItSent()
    {
        World world({.latency = 5ms});
        const auto sent = world.a->create(Path("/sent"), {});
        world.a.reset();
        world.loop.runUntilIdle();
        QVERIFY(world.exists("/sent"));
        QCOMPARE(world.server.sessions().size(), std::size_t(1));
        QVERIFY(world.failsWith(sent, Code::SessionExpired));
    }

    void aCrashedProcessKeepsItsSessionUntilTheTimeout()
    {
        World world;
        world.get(world.a->create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        world.a->crash();
        world.a.reset();
        world.loop.runFor(5999ms);
        QVERIFY(world.exists("/mine"));
        world.loop.runFor(1ms);
        QVERIFY(!world.exists("/mine"));
    }

    void sessionsOutliveAServerThatComesBack()
    {
        World world;
        world.get(world.a->create(Path("/mine"), {}, zk::CreateMode::Ephemeral));
        world.server.stop();
        const auto waiting = world.a->exists(Path("/mine")); // sent into the broken connection
        world.loop.runFor(5s);
        QVERIFY(world.failsWith(waiting, Code::ConnectionLoss));
        QCOMPARE(world.a->state(), zk::Coordinator::State::Suspended);
        world.server.start();
        QVERIFY(world.get(world.a->exists(Path("/mine"))).ok());
        world.loop.runFor(10s);
        QVERIFY(world.exists("/mine"));
    }
};

QTEST_GUILESS_MAIN(FakeSessionTest)
#include "fake_session_test.moc"
