#include "support/fake/fake_cluster.h"

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
        FakeCluster fake(2);
        QCOMPARE(fake.server.dump(), QByteArray("/\n/zookeeper\n/zookeeper/config\n/zookeeper/quota\n"));
        const auto root = fake.get(fake.session(0).exists(Path("/")));
        QCOMPARE(root->cversion, -1);
        QCOMPARE(root->numChildren, 1);
        QVERIFY(fake.failsWith(fake.session(0).remove(Path("/zookeeper")), Code::BadArguments));
    }

    void neverAnswersInsideTheCall()
    {
        FakeCluster fake(2);
        const zk::Reply<zk::Created> reply = fake.session(0).create(Path("/n"), "x");
        QVERIFY(!reply.ready());
        QVERIFY(!fake.exists(Path("/n")));
        fake.world.runUntilIdle();
        QVERIFY(reply.ready());
    }

    void latencyIsPaidEachWayAndPipelined()
    {
        FakeCluster fake(2, {.latency = 5ms});
        const async::TimePoint before = fake.world.now();
        const auto first = fake.session(0).create(Path("/1"), {});
        const auto second = fake.get(fake.session(0).create(Path("/2"), {}));
        QVERIFY(first.ready());
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
    }

    void sequenceNumbersCountEveryCreate()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/q"), {}));
        fake.get(fake.session(0).create(Path("/q/plain"), {}));
        const auto one = fake.get(fake.session(0).create(Path("/q/n-"), {}, zk::CreateMode::PersistentSequential));
        QCOMPARE(one->path, Path("/q/n-0000000001"));
        fake.get(fake.session(0).remove(one->path));
        const auto two = fake.get(fake.session(0).create(Path("/q/n-"), {}, zk::CreateMode::EphemeralSequential));
        QCOMPARE(two->path, Path("/q/n-0000000002"));
        QCOMPARE(two->stat.ephemeralOwner, fake.session(0).sessionId());
        QCOMPARE(fake.get(fake.session(0).exists(Path("/q")))->cversion, 4);
    }

    void theSequenceStandsStillAfterItsEnd()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/q"), {}));
        fake.server.tree().setNextSequence(Path("/q"), std::numeric_limits<qint32>::max());
        const auto last = fake.get(fake.session(0).create(Path("/q/n-"), {}, zk::CreateMode::PersistentSequential));
        QCOMPARE(last->path, Path("/q/n-2147483647"));
        QVERIFY(fake.get(fake.session(0).create(Path("/q/n-"), {}, zk::CreateMode::PersistentSequential))
                    .is(Code::NodeExists));
    }

    void aFailedTransactionLeavesNothing()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/keep"), "old"));
        const QByteArray before = fake.server.dump();
        const auto stat = *fake.get(fake.session(0).exists(Path("/")));
        zk::Watch watch;
        fake.get(fake.session(1).children(Path("/"), watch));
        const auto answer = fake.get(fake.session(0).commit(zk::Transaction()
                                                                .create(Path("/new"), {})
                                                                .create(Path("/new/child"), {})
                                                                .set(Path("/keep"), "new")
                                                                .remove(Path("/keep"))
                                                                .check(Path("/none"))
                                                                .create(Path("/late"), {})));
        QVERIFY(answer.is(Code::NoNode));
        QVERIFY(answer->refusedAt() == 4u);
        QCOMPARE(answer->results.front().code, Code::Ok);
        QCOMPARE(answer->results.back().code, Code::RuntimeInconsistency);
        QCOMPARE(fake.server.dump(), before);
        QCOMPARE(*fake.get(fake.session(0).exists(Path("/"))), stat);
        QVERIFY(!watch.hasFired());
    }

    void aWatchFiresOnceAndBeforeTheReplyThatShowsTheChange()
    {
        FakeCluster fake(2);
        zk::Watch watch;
        QVERIFY(fake.get(fake.session(1).exists(Path("/n"), watch)).is(Code::NoNode));
        fake.get(fake.session(0).create(Path("/n"), {}));
        const auto seen = fake.session(1).exists(Path("/n"));
        QVERIFY(fake.world.runUntil([&] { return watch.hasFired(); }));
        QVERIFY(!seen.ready());
        QCOMPARE(fake.event(watch).type, zk::WatchEvent::Type::Created);
        fake.get(fake.session(0).set(Path("/n"), "again"));
        QCOMPARE(fake.session(1).counters().watchEvents, 1);
        QVERIFY(fake.server.watches().empty());
    }

    void anAbandonedWatchLeavesTheServer()
    {
        FakeCluster fake(2);
        zk::Watch kept;
        {
            zk::Watch dropped;
            fake.get(fake.session(0).children(Path("/"), dropped));
            fake.get(fake.session(0).get(Path("/"), kept));
            QCOMPARE(fake.server.watches().size(), std::size_t(2));
        }
        fake.world.runUntilIdle();
        QCOMPARE(fake.server.watches().size(), std::size_t(1));
    }

    void abandoningOneWatchSparesAnotherThatIsBeingArmed()
    {
        FakeCluster fake(2, {.latency = 1ms});
        zk::Watch second;
        {
            zk::Watch first;
            fake.get(fake.session(0).get(Path("/"), first));
            const auto underWay = fake.session(0).get(Path("/"), second);
        }
        fake.world.runUntilIdle();
        fake.get(fake.session(1).set(Path("/"), "changed"));
        fake.world.runUntilIdle();
        QVERIFY(second.hasFired());
    }

    void containersAndTtlNodesGoWhenTheirTimeHasCome()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/never-used"), {}, zk::CreateMode::Container));
        fake.get(fake.session(0).create(Path("/used"), {}, zk::CreateMode::Container));
        fake.get(fake.session(0).create(Path("/used/child"), {}));
        fake.get(fake.session(0).createWithTtl(Path("/short"), {}, 30s));
        fake.get(fake.session(0).createWithTtl(Path("/long"), {}, 1h));
        fake.world.runFor(10min);
        QVERIFY(fake.exists(Path("/used")));
        QVERIFY(!fake.exists(Path("/short")));
        QVERIFY(fake.exists(Path("/long")));
        fake.get(fake.session(0).remove(Path("/used/child")));
        QVERIFY(fake.exists(Path("/used")));
        fake.world.runFor(2min);
        QVERIFY(!fake.exists(Path("/used")));
        QVERIFY(fake.exists(Path("/never-used")));
        QVERIFY(fake.world.runUntilIdle(3h));
        QVERIFY(!fake.exists(Path("/long")));
    }

    void aServerThatLagsAnswersFromThePast()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/n"), "old"));
        fake.get(fake.session(0).create(Path("/gone"), {}));
        fake.server.lag(fake.session(1).sessionId(), 1h);
        const auto before = fake.get(fake.session(1).exists(Path("/")));
        fake.get(fake.session(0).set(Path("/n"), "new"));
        fake.get(fake.session(0).create(Path("/n/child"), {}));
        fake.get(fake.session(0).remove(Path("/gone")));
        fake.get(fake.session(0).commit(zk::Transaction().set(Path("/n"), "newer").check(Path("/none"))));
        QCOMPARE(fake.get(fake.session(1).get(Path("/n")))->data, QByteArray("old"));
        QCOMPARE(fake.get(fake.session(1).get(Path("/n")))->stat.version, 0);
        QVERIFY(fake.get(fake.session(1).children(Path("/n")))->names.isEmpty());
        QVERIFY(fake.get(fake.session(1).exists(Path("/gone"))).ok());
        QVERIFY(fake.get(fake.session(1).exists(Path("/n/child"))).is(Code::NoNode));
        QCOMPARE(*fake.get(fake.session(1).exists(Path("/"))), *before);
    }

    void aSyncShowsWhatWasCommittedBeforeItAndNoMore()
    {
        FakeCluster fake(2);
        fake.server.lag(fake.session(1).sessionId(), 1h);
        fake.get(fake.session(0).create(Path("/before"), {}));
        fake.get(fake.session(1).sync(Path("/")));
        fake.get(fake.session(0).create(Path("/after"), {}));
        QVERIFY(fake.get(fake.session(1).exists(Path("/before"))).ok());
        QVERIFY(fake.get(fake.session(1).exists(Path("/after"))).is(Code::NoNode));
    }

    void ownWritesShowWhatWasCommittedBeforeThem()
    {
        FakeCluster fake(2);
        fake.server.lag(fake.session(1).sessionId(), 1h);
        fake.get(fake.session(0).create(Path("/before"), {}));
        QVERIFY(fake.get(fake.session(1).exists(Path("/before"))).is(Code::NoNode));
        QVERIFY(fake.get(fake.session(1).create(Path("/before"), {})).is(Code::NodeExists)); // refused, by the leader
        QVERIFY(fake.get(fake.session(1).exists(Path("/before"))).ok());
    }

    void aServerCatchesUpWithTime()
    {
        FakeCluster fake(2);
        fake.server.lag(fake.session(1).sessionId(), 1s);
        fake.get(fake.session(0).create(Path("/n"), {}));
        fake.world.runFor(999ms);
        QVERIFY(fake.get(fake.session(1).exists(Path("/n"))).is(Code::NoNode));
        fake.world.runFor(1ms);
        QVERIFY(fake.get(fake.session(1).exists(Path("/n"))).ok());
    }

    void watchesFireWhenTheServerThatLagsSeesTheChange()
    {
        FakeCluster fake(2);
        fake.server.lag(fake.session(1).sessionId(), 1h);
        fake.get(fake.session(0).create(Path("/n"), {}));
        zk::Watch watch;
        QVERIFY(fake.get(fake.session(1).exists(Path("/n"), watch)).is(Code::NoNode));
        fake.get(fake.session(0).remove(Path("/n")));
        fake.world.runFor(1min);
        QVERIFY(!watch.hasFired());
        const auto synced = fake.session(1).sync(Path("/"));
        QVERIFY(fake.world.runUntil([&] { return watch.hasFired(); }));
        QVERIFY(!synced.ready());
        QCOMPARE(fake.event(watch).type, zk::WatchEvent::Type::Created);
        QVERIFY(fake.get(fake.session(1).exists(Path("/n"))).is(Code::NoNode));
    }

    void theLogHasWhatWasAccepted()
    {
        FakeCluster fake(2);
        fake.get(fake.session(0).create(Path("/n"), {}));
        const zk::Zxid created = fake.server.lastZxid();
        QVERIFY(fake.get(fake.session(0).create(Path("/n"), {})).is(Code::NodeExists));
        fake.get(fake.session(1).remove(Path("/n")));
        QCOMPARE(fake.server.lastZxid(), created + 2); // the refused create took one
        const auto &log = fake.server.log();
        QCOMPARE(log.back().session, fake.session(1).sessionId());
        QCOMPARE(log.back().zxid, created + 2);
        QCOMPARE(log[log.size() - 2].zxid, created);
    }
};

QTEST_GUILESS_MAIN(FakeZooKeeperTest)
#include "fake_zookeeper_test.moc"
