#include "support/fake_session.h"
#include "support/run_task.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;

namespace {

// Two processes with a session each, and an onlooker who only asks.
struct World {
    VirtualLoop loop;
    FakeZooKeeper server{loop};
    ParticipantLoop first{loop};
    ParticipantLoop second{loop};
    std::unique_ptr<FakeSession> a;
    std::unique_ptr<FakeSession> b;

    explicit World(const FakeSessionOptions &options = {})
    {
        a = server.connect(first, options);
        b = server.connect(second, options);
        loop.runUntilIdle();
    }

    template <typename T>
    zk::Answer<T> get(zk::Reply<T> reply)
    {
        return runTask(loop, wait(std::move(reply)));
    }
    template <typename T>
    static async::Task<zk::Answer<T>> wait(zk::Reply<T> reply)
    {
        co_return co_await reply;
    }

    template <typename T>
    bool failsWith(zk::Reply<T> reply, Code code)
    {
        try {
            get(std::move(reply));
            return false;
        } catch (const zk::Error &error) {
            return error.code() == code;
        }
    }

    zk::WatchEvent event(const zk::Watch &watch) { return runTask(loop, waitFired(watch)); }
    static async::Task<zk::WatchEvent> waitFired(const zk::Watch &watch)
    {
        async::Future<zk::WatchEvent> fired = watch.fired();
        co_return co_await fired;
    }

    bool exists(const char *path) const { return server.tree().find(Path(path)) != nullptr; }
};

} // namespace

class FakeZooKeeperTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aNewServerLooksLikeTheRealOne()
    {
        World world;
        QCOMPARE(world.server.dump(), QByteArray("/\n/zookeeper\n/zookeeper/config\n/zookeeper/quota\n"));
        const auto root = world.get(world.a->exists(Path("/")));
        QCOMPARE(root->cversion, -1);
        QCOMPARE(root->numChildren, 1);
        QVERIFY(world.failsWith(world.a->remove(Path("/zookeeper")), Code::BadArguments));
    }

    void neverAnswersInsideTheCall()
    {
        World world;
        const zk::Reply<zk::Created> reply = world.a->create(Path("/n"), "x");
        QVERIFY(!reply.ready());
        QVERIFY(!world.exists("/n"));
        world.loop.runUntilIdle();
        QVERIFY(reply.ready());
    }

    void latencyIsPaidEachWayAndPipelined()
    {
        World world({.latency = 5ms});
        const async::TimePoint before = world.loop.now();
        const auto first = world.a->create(Path("/1"), {});
        const auto second = world.get(world.a->create(Path("/2"), {}));
        QVERIFY(first.ready());
        QCOMPARE(world.loop.now() - before, async::Duration(10ms));
    }

    void sequenceNumbersCountEveryCreate()
    {
        World world;
        world.get(world.a->create(Path("/q"), {}));
        world.get(world.a->create(Path("/q/plain"), {}));
        const auto one = world.get(world.a->create(Path("/q/n-"), {}, zk::CreateMode::PersistentSequential));
        QCOMPARE(one->path, Path("/q/n-0000000001"));
        world.get(world.a->remove(one->path));
        const auto two = world.get(world.a->create(Path("/q/n-"), {}, zk::CreateMode::EphemeralSequential));
        QCOMPARE(two->path, Path("/q/n-0000000002"));
        QCOMPARE(two->stat.ephemeralOwner, world.a->sessionId());
        QCOMPARE(world.get(world.a->exists(Path("/q")))->cversion, 4);
    }

    void theSequenceStandsStillAfterItsEnd()
    {
        World world;
        world.get(world.a->create(Path("/q"), {}));
        world.server.tree().setNextSequence(Path("/q"), std::numeric_limits<qint32>::max());
        const auto last = world.get(world.a->create(Path("/q/n-"), {}, zk::CreateMode::PersistentSequential));
        QCOMPARE(last->path, Path("/q/n-2147483647"));
        QVERIFY(
            world.get(world.a->create(Path("/q/n-"), {}, zk::CreateMode::PersistentSequential)).is(Code::NodeExists));
    }

    void aFailedTransactionLeavesNothing()
    {
        World world;
        world.get(world.a->create(Path("/keep"), "old"));
        const QByteArray before = world.server.dump();
        const auto stat = *world.get(world.a->exists(Path("/")));
        zk::Watch watch;
        world.get(world.b->children(Path("/"), watch));
        const auto answer = world.get(world.a->commit(zk::Transaction()
                                                          .create(Path("/new"), {})
                                                          .create(Path("/new/child"), {})
                                                          .set(Path("/keep"), "new")
                                                          .remove(Path("/keep"))
                                                          .check(Path("/none"))
                                                          .create(Path("/late"), {})));
        QVERIFY(answer.is(Code::NoNode));
        QCOMPARE(answer->failedAt(), 4);
        QCOMPARE(answer->results.front().code, Code::Ok);
        QCOMPARE(answer->results.back().code, Code::RuntimeInconsistency);
        QCOMPARE(world.server.dump(), before);
        QCOMPARE(*world.get(world.a->exists(Path("/"))), stat);
        QVERIFY(!watch.hasFired());
    }

    void aWatchFiresOnceAndBeforeTheReplyThatShowsTheChange()
    {
        World world;
        zk::Watch watch;
        QVERIFY(world.get(world.b->exists(Path("/n"), watch)).is(Code::NoNode));
        world.get(world.a->create(Path("/n"), {}));
        const auto seen = world.b->exists(Path("/n"));
        QVERIFY(world.loop.runUntil([&] { return watch.hasFired(); }));
        QVERIFY(!seen.ready());
        QCOMPARE(world.event(watch).type, zk::WatchEvent::Type::Created);
        world.get(world.a->set(Path("/n"), "again"));
        QCOMPARE(world.b->counters().watchEvents, 1);
        QVERIFY(world.server.watches().empty());
    }

    void anAbandonedWatchLeavesTheServer()
    {
        World world;
        zk::Watch kept;
        {
            zk::Watch dropped;
            world.get(world.a->children(Path("/"), dropped));
            world.get(world.a->get(Path("/"), kept));
            QCOMPARE(world.server.watches().size(), std::size_t(2));
        }
        world.loop.runUntilIdle();
        QCOMPARE(world.server.watches().size(), std::size_t(1));
    }

    void abandoningOneWatchSparesAnotherThatIsBeingArmed()
    {
        World world({.latency = 1ms});
        zk::Watch second;
        {
            zk::Watch first;
            world.get(world.a->get(Path("/"), first));
            const auto underWay = world.a->get(Path("/"), second);
        }
        world.loop.runUntilIdle();
        world.get(world.b->set(Path("/"), "changed"));
        world.loop.runUntilIdle();
        QVERIFY(second.hasFired());
    }

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

    void containersAndTtlNodesGoWhenTheirTimeHasCome()
    {
        World world;
        world.get(world.a->create(Path("/never-used"), {}, zk::CreateMode::Container));
        world.get(world.a->create(Path("/used"), {}, zk::CreateMode::Container));
        world.get(world.a->create(Path("/used/child"), {}));
        world.get(world.a->createWithTtl(Path("/short"), {}, 30s));
        world.get(world.a->createWithTtl(Path("/long"), {}, 1h));
        world.loop.runFor(10min);
        QVERIFY(world.exists("/used"));
        QVERIFY(!world.exists("/short"));
        QVERIFY(world.exists("/long"));
        world.get(world.a->remove(Path("/used/child")));
        QVERIFY(world.exists("/used"));
        world.loop.runFor(2min);
        QVERIFY(!world.exists("/used"));
        QVERIFY(world.exists("/never-used"));
        QVERIFY(world.loop.runUntilIdle(3h));
        QVERIFY(!world.exists("/long"));
    }

    void theLogHasWhatWasAccepted()
    {
        World world;
        world.get(world.a->create(Path("/n"), {}));
        const zk::Zxid created = world.server.lastZxid();
        QVERIFY(world.get(world.a->create(Path("/n"), {})).is(Code::NodeExists));
        world.get(world.b->remove(Path("/n")));
        QCOMPARE(world.server.lastZxid(), created + 2); // the refused create took one
        const auto &log = world.server.log();
        QCOMPARE(log.back().session, world.b->sessionId());
        QCOMPARE(log.back().zxid, created + 2);
        QCOMPARE(log[log.size() - 2].zxid, created);
    }
};

QTEST_GUILESS_MAIN(FakeZooKeeperTest)
#include "fake_zookeeper_test.moc"
