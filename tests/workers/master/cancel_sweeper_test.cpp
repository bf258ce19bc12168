#include "jobs/client/cancel_job.h"
#include "workers/master/cancel_sweeper.h"
#include "workers/worker_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// The master ends the cancelled jobs of workers that are lost.
class CancelSweeperTest : public QObject
{
    Q_OBJECT

    static constexpr qint32 MayDelete = 8;

    static void permit(WorkerCluster &fake, qint32 permissions)
    {
        const zk::Acl everybody{permissions, "world", "anyone"};
        const zk::AclList acl{everybody};
        fake.get(fake[0].setAcl(fake.layout.queue("default"), acl));
    }

private Q_SLOTS:
    void oneThatCannotBeEndedKeepsNoOtherFromItsEnd_data()
    {
        QTest::addColumn<bool>("hasChild");
        QTest::newRow("may not be deleted") << false;
        QTest::newRow("another program has made a znode below it") << true;
    }
    void oneThatCannotBeEndedKeepsNoOtherFromItsEnd()
    {
        QFETCH(bool, hasChild);
        WorkerCluster fake(3, {.latency = 5ms});
        fake.write(fake.layout.master() / "m", {});
        fake.run(ensureCluster(fake.cluster(), {"later"}));
        JobSpec spec = JobCluster::spec();
        spec.queue = "later";
        const JobId stuck = fake.submit();
        const JobId other = fake.submit(spec);
        for (const JobId &id : {stuck, other}) {
            fake.claim(id, 1);
            QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Asked);
        }
        const zk::Path child = fake.pathOf(stuck) / "child";
        if (hasChild)
            fake.write(child, {});
        else
            permit(fake, zk::AllPermissions - MayDelete);
        fake.server.expire(fake[1].sessionId());

        workers::Troubles troubles(fake[2].loop());
        workers::CancelSweeper sweeper(fake.cluster(2), troubles);
        async::TaskGroup running([](const std::exception_ptr &) {});
        running.spawn(sweeper.run({.path = fake.layout.master() / "m"}));
        fake.settle(10s);
        QVERIFY(fake.exists(fake.layout.done(other)));
        QVERIFY(!fake.exists(fake.layout.done(stuck)));
        QCOMPARE(fake.childrenOf(fake.layout.cancels()), QByteArrayList{stuck.bytes()});
        QCOMPARE(troubles.first(9).size(), 1u); // what `doctor` shows
        QCOMPARE(troubles.first(9).front().subject, QStringLiteral("the cancelled job %1").arg(stuck.toString()));

        if (hasChild)
            fake.commit(zk::Transaction().remove(child));
        else
            permit(fake, zk::AllPermissions);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(stuck).state(), JobState::Cancelled);
        QVERIFY(fake.childrenOf(fake.layout.cancels()).isEmpty());
        QVERIFY(troubles.first(9).empty());
    }

    // Another program has made them, and no session may remove them.
    void notesOfNoJobAreSetAsideEach()
    {
        WorkerCluster fake(3);
        fake.write(fake.layout.master() / "m", {});
        fake.run(fake[0].ensurePath(fake.layout.cancels()));
        for (const char *const note : {"no job", "none", "with a child"})
            fake.write(fake.layout.cancels() / note, {});
        const zk::Path child = fake.layout.cancels() / "with a child" / "child";
        fake.write(child, {});
        const auto permitRemovals = [&](bool may) {
            const zk::Acl everybody{may ? zk::AllPermissions : zk::AllPermissions - MayDelete, "world", "anyone"};
            const zk::AclList acl{everybody};
            fake.get(fake[0].setAcl(fake.layout.cancels(), acl));
        };
        permitRemovals(false);
        workers::Troubles troubles(fake[2].loop());
        workers::CancelSweeper sweeper(fake.cluster(2), troubles);
        async::TaskGroup running([](const std::exception_ptr &) {});
        running.spawn(sweeper.run({.path = fake.layout.master() / "m"}));
        fake.settle(10s);
        QCOMPARE(troubles.first(9).size(), 3u);
        QCOMPARE(troubles.first(9)[0].subject, QStringLiteral("the note no job in cancels/"));
        QCOMPARE(troubles.first(9)[1].subject, QStringLiteral("the note none in cancels/"));
        const quint64 before = fake[2].counters().requests;
        fake.settle(50s);
        const quint64 requests = fake[2].counters().requests - before; // 3 each second, for the claims
        QVERIFY2(requests < 200, qPrintable(QString::number(requests)));
        permitRemovals(true);
        fake.settle(2min);
        QCOMPARE(troubles.first(9).size(), 1u);
        QCOMPARE(troubles.first(9)[0].subject, QStringLiteral("the note with a child in cancels/"));
        QCOMPARE(troubles.first(9)[0].error, QStringLiteral("there is a znode below it"));
        fake.commit(zk::Transaction().remove(child));
        fake.settle(2min);
        QVERIFY(fake.childrenOf(fake.layout.cancels()).isEmpty());
        QVERIFY(troubles.first(9).empty());
    }

    // Its note may be removed by hand, too.
    void whatIsNoLongerNotedIsNoTrouble()
    {
        WorkerCluster fake(3);
        fake.write(fake.layout.master() / "m", {});
        const JobId stuck = fake.submit();
        fake.claim(stuck, 1);
        QCOMPARE(fake.run(cancel(fake.cluster(), stuck)), CancelResult::Asked);
        fake.write(fake.pathOf(stuck) / "child", {});
        fake.server.expire(fake[1].sessionId());
        workers::Troubles troubles(fake[2].loop());
        workers::CancelSweeper sweeper(fake.cluster(2), troubles);
        async::TaskGroup running([](const std::exception_ptr &) {});
        running.spawn(sweeper.run({.path = fake.layout.master() / "m"}));
        fake.settle(10s);
        QCOMPARE(troubles.first(9).size(), 1u);
        fake.commit(zk::Transaction().remove(fake.layout.cancels() / stuck.bytes()));
        fake.settle(3s);
        QVERIFY(troubles.first(9).empty());
    }
};

QTEST_GUILESS_MAIN(CancelSweeperTest)
#include "cancel_sweeper_test.moc"
