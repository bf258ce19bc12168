#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/model/cluster_stats.h"
#include "support/fake/fake_acl.h"
#include "workers/claims/work_finder.h"
#include "workers/master/arrays/array_cluster.h"
#include "workers/master/arrays/gang_cluster.h"
#include "workers/master/base/set_aside.h"
#include "workers/working.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

QStringList troublesIn(const JobCluster &fake)
{
    QStringList texts;
    for (const ClusterStats::Trouble &trouble : ClusterStats::decode(fake.node(fake.layout.stats()).data).troubles)
        texts.append(trouble.subject + QStringLiteral(": ") + trouble.error);
    return texts;
}

QStringList troubleOf(const JobId &id)
{
    return {QStringLiteral("job %1: it stays where it is: another program has made znodes below its own")
                .arg(id.toString())};
}

} // namespace

// ZooKeeper deletes no znode that has children, and another program may have made some below a job's. Such a job is
// left alone until they are gone. So is a job to which its workers lack a right, until they have it again.
class BlockedJobsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aReadyJobBeginsOnceTheyAreGone()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const JobId other = fake.submit();
        const zk::Path child = fake.pathOf(id) / "child";
        fake.write(child, {});
        const Working working(fake, 1);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(other).state(), JobState::Succeeded);
        QVERIFY(!working.began(id));
        QCOMPARE(fake.node(fake.pathOf(id)).stat.version, 0);
        fake.commit(zk::Transaction().remove(child));
        fake.settle(workers::WorkFinder::AsideFor + 2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.attemptsOf(id), 1);
    }

    // An administrator takes a right from the workers, and gives it back. No watch fires.
    void aJobOutOfReachEndsOnceItIsWithinReach_data()
    {
        QTest::addColumn<Permission>("missing");
        QTest::addColumn<bool>("isOfItsEnd");
        QTest::newRow("its node cannot be read") << Permission::Read << false;
        QTest::newRow("its node cannot be changed") << Permission::Write << false;
        QTest::newRow("no end can be noted") << Permission::Create << true;
    }
    void aJobOutOfReachEndsOnceItIsWithinReach()
    {
        QFETCH(const Permission, missing);
        QFETCH(const bool, isOfItsEnd);
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        if (isOfItsEnd)
            fake.write(fake.pathOf(id), "nonsense"); // it ends without a run
        const zk::Path closed = isOfItsEnd ? fake.layout.done() : fake.pathOf(id);
        const qint32 version = fake.node(fake.pathOf(id)).stat.version;
        fake.setRights(closed, zk::AllPermissions - static_cast<qint32>(missing));
        const Working working(fake, 1);
        fake.settle(2min);
        QVERIFY(!working.began(id) && !fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.node(fake.pathOf(id)).stat.version, version);
        fake.setRights(closed, zk::AllPermissions);
        const JobId other = fake.submit();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(other).state(), JobState::Succeeded);
        fake.settle(workers::WorkFinder::AsideFor);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), isOfItsEnd ? JobState::Failed : JobState::Succeeded);
        QCOMPARE(working.began(id), !isOfItsEnd);
    }

    // Its result is void, so it is another attempt that ends it once they are gone.
    void aRunningJobDoesNotBeginAgain()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.environment = {{QStringLiteral("TAKES"), QStringLiteral("60000")}};
        const JobId id = fake.submit(spec);
        const Working working(fake, 1);
        fake.settle(1s);
        QVERIFY(working.began(id) && fake.isClaimedBy(id, 1));
        const zk::Path child = fake.pathOf(id) / "child";
        fake.write(child, {});
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("default-0 cannot be reported")));
        fake.settle(5min);
        QCOMPARE(working.begun(), 1u);
        QVERIFY(!fake.exists(fake.layout.claim(id)) && !fake.exists(fake.layout.done(id)));
        fake.commit(zk::Transaction().remove(child));
        fake.settle(workers::WorkFinder::AsideFor + 2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.attemptsOf(id), 2);
    }

    void aWaitingJobHoldsUpNoOther()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        const JobId id = fake.submit(spec);
        const JobId other = fake.submit(spec);
        const zk::Path child = fake.layout.job("default", *fake.view(id).entry) / "child";
        fake.write(child, {});
        const Leading master(fake, 1);
        fake.settle(60s);
        QCOMPARE(fake.stateOf(other), JobState::Ready);
        QCOMPARE(fake.stateOf(id), JobState::Waiting);
        QCOMPARE(troublesIn(fake), troubleOf(id));
        fake.commit(zk::Transaction().remove(child));
        fake.settle(workers::SetAside::For + 10s);
        QCOMPARE(fake.stateOf(id), JobState::Ready);
        QCOMPARE(troublesIn(fake), QStringList());
    }

    // The master does not try to end it for ever.
    void anArrayHoldsUpNoOther()
    {
        ArrayCluster fake(1);
        const JobId id = fake.submitArray("1-3");
        const zk::Path child = fake.layout.job("default", *fake.view(id).entry) / "child";
        fake.write(child, {});
        fake.lead(1);
        fake.settle(5s);
        for (const QueueEntry &task : fake.tasksOf(id))
            fake.endTask(task);
        QCOMPARE(fake.work(fake.submitArray("1-3")).exitCode(), 0);
        fake.settle(60s);
        QCOMPARE(troublesIn(fake), troubleOf(id));
        const quint64 before = fake[1].counters().requests;
        fake.settle(60s);
        const quint64 requests = fake[1].counters().requests - before;
        QVERIFY2(requests < 1000, qPrintable(QString::number(requests)));
        fake.commit(zk::Transaction().remove(child));
        fake.settle(workers::SetAside::For + 10s);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("3 tasks: 3 ok"));
        QCOMPARE(troublesIn(fake), QStringList());
    }

    // The other tasks are cancelled, and the array ends later.
    void aTaskHoldsUpNoOther()
    {
        ArrayCluster fake(1);
        const JobId id = fake.submitArray("1-3");
        fake.lead(1);
        fake.settle(5s);
        const std::vector<QueueEntry> tasks = fake.tasksOf(id);
        QCOMPARE(tasks.size(), 3u);
        const zk::Path child = fake.layout.job("default", tasks.at(1)) / "child";
        fake.write(child, {});
        fake.run(cancel(fake.cluster(), id));
        fake.settle(60s);
        QCOMPARE(fake.tasksOf(id), std::vector<QueueEntry>{tasks.at(1)});
        QCOMPARE(fake.work(fake.submitArray("1-3")).exitCode(), 0);
        fake.settle(60s);
        QCOMPARE(troublesIn(fake),
                 (QStringList{QStringLiteral("job %1: it stays where it is: another program has made znodes below a "
                                             "task's")
                                  .arg(id.toString())}));
        const quint64 before = fake[1].counters().requests;
        fake.settle(60s);
        const quint64 requests = fake[1].counters().requests - before;
        QVERIFY2(requests < 1000, qPrintable(QString::number(requests)));
        fake.commit(zk::Transaction().remove(child));
        fake.settle(workers::SetAside::For + 10s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(troublesIn(fake), QStringList());
    }

    // It cannot assemble, and its other members are removed.
    void aMemberHoldsUpNoOther()
    {
        WorkerCluster fake(4);
        std::vector<std::unique_ptr<Working>> working;
        for (const int slotCount : {1, 2, 2}) {
            working.push_back(std::make_unique<Working>(fake, static_cast<int>(working.size()) + 1, slotCount));
            fake.settle(2s);
        }
        const JobId gang = submitShortOf(fake, 3, gangOf(4));
        const zk::Path member = fake.layout.job("default", {QueueEntry::Class::Ready, 5, gang.number, 1});
        QVERIFY(fake.exists(member));
        fake.write(member / "child", {});
        fake.settle(3min);
        QVERIFY(fake.exists(member));
        QCOMPARE(troublesIn(fake),
                 (QStringList{QStringLiteral("job %1: it stays where it is: another program has made znodes below a "
                                             "task's")
                                  .arg(gang.toString())}));
        const quint64 before = fake[1].counters().requests;
        fake.settle(60s);
        const quint64 requests = fake[1].counters().requests - before;
        QVERIFY2(requests < 1000, qPrintable(QString::number(requests)));
        fake.commit(zk::Transaction().remove(member / "child"));
        makeRoom(fake, 3);
        fake.settle(2 * workers::SetAside::For);
        QCOMPARE(fake.recordOf(gang).state(), JobState::Succeeded);
        QCOMPARE(troublesIn(fake), QStringList());
    }

    void aChangeIsRefusedAtOnce()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        fake.write(fake.pathOf(id) / "child", {});
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(cancel(fake.cluster(), id)));
        const quint64 before = fake.requests();
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(hold(fake.cluster(), id, QStringLiteral("me"))));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(setPriority(fake.cluster(), id, 1)));
        QVERIFY2(fake.requests() - before < 50, qPrintable(QString::number(fake.requests() - before)));
        QCOMPARE(fake.stateOf(id), JobState::Ready);
    }
};

QTEST_GUILESS_MAIN(BlockedJobsTest)
#include "blocked_jobs_test.moc"
