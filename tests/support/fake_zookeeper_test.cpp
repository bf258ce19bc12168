#include "support/fake_world.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;

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

    void aServerThatLagsAnswersFromThePast()
    {
        World world;
        world.get(world.a->create(Path("/n"), "old"));
        world.get(world.a->create(Path("/gone"), {}));
        world.server.lag(world.b->sessionId(), 1h);
        const auto before = world.get(world.b->exists(Path("/")));
        world.get(world.a->set(Path("/n"), "new"));
        world.get(world.a->create(Path("/n/child"), {}));
        world.get(world.a->remove(Path("/gone")));
        world.get(world.a->commit(zk::Transaction().set(Path("/n"), "newer").check(Path("/none"))));
        QCOMPARE(world.get(world.b->get(Path("/n")))->data, QByteArray("old"));
        QCOMPARE(world.get(world.b->get(Path("/n")))->stat.version, 0);
        QVERIFY(world.get(world.b->children(Path("/n")))->names.isEmpty());
        QVERIFY(world.get(world.b->exists(Path("/gone"))).ok());
        QVERIFY(world.get(world.b->exists(Path("/n/child"))).is(Code::NoNode));
        QCOMPARE(*world.get(world.b->exists(Path("/"))), *before);
    }

    void aSyncShowsWhatWasCommittedBeforeItAndNoMore()
    {
        World world;
        world.server.lag(world.b->sessionId(), 1h);
        world.get(world.a->create(Path("/before"), {}));
        world.get(world.b->sync(Path("/")));
        world.get(world.a->create(Path("/after"), {}));
        QVERIFY(world.get(world.b->exists(Path("/before"))).ok());
        QVERIFY(world.get(world.b->exists(Path("/after"))).is(Code::NoNode));
    }

    void ownWritesShowWhatWasCommittedBeforeThem()
    {
        World world;
        world.server.lag(world.b->sessionId(), 1h);
        world.get(world.a->create(Path("/before"), {}));
        QVERIFY(world.get(world.b->exists(Path("/before"))).is(Code::NoNode));
        QVERIFY(world.get(world.b->create(Path("/before"), {})).is(Code::NodeExists)); // refused, by the leader
        QVERIFY(world.get(world.b->exists(Path("/before"))).ok());
    }

    void aServerCatchesUpWithTime()
    {
        World world;
        world.server.lag(world.b->sessionId(), 1s);
        world.get(world.a->create(Path("/n"), {}));
        world.loop.runFor(999ms);
        QVERIFY(world.get(world.b->exists(Path("/n"))).is(Code::NoNode));
        world.loop.runFor(1ms);
        QVERIFY(world.get(world.b->exists(Path("/n"))).ok());
    }

    void watchesFireWhenTheServerThatLagsSeesTheChange()
    {
        World world;
        world.server.lag(world.b->sessionId(), 1h);
        world.get(world.a->create(Path("/n"), {}));
        zk::Watch watch;
        QVERIFY(world.get(world.b->exists(Path("/n"), watch)).is(Code::NoNode));
        world.get(world.a->remove(Path("/n")));
        world.loop.runFor(1min);
        QVERIFY(!watch.hasFired());
        const auto synced = world.b->sync(Path("/"));
        QVERIFY(world.loop.runUntil([&] { return watch.hasFired(); }));
        QVERIFY(!synced.ready());
        QCOMPARE(world.event(watch).type, zk::WatchEvent::Type::Created);
        QVERIFY(world.get(world.b->exists(Path("/n"))).is(Code::NoNode));
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
