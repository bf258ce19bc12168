#include "workers/working.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Workers on machines that have no process, no memory or no runner left.
class SickMachineTest : public QObject
{
    Q_OBJECT

    // As the only worker says it.
    static QString troubleIn(WorkerCluster &fake)
    {
        const QByteArray member = fake.childrenOf(fake.layout.members()).front();
        return WorkerInfo::decode(fake.node(fake.layout.members() / member).data).trouble;
    }

    static JobSpec in(const QString &directory)
    {
        JobSpec spec = JobCluster::spec();
        spec.directory = directory;
        return spec;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.machine_health.warning=false"));
    }

    // Whether there is no runner or no process for it: a job that never ran has lost nothing.
    void aSickMachineCostsNoAttempt_data()
    {
        QTest::addColumn<double>("noRunner");
        QTest::addColumn<double>("noProcess");
        QTest::newRow("no runner") << 1.0 << 0.0;
        QTest::newRow("no process") << 0.0 << 1.0;
    }

    void aSickMachineCostsNoAttempt()
    {
        QFETCH(double, noRunner);
        QFETCH(double, noProcess);
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 2;
        Submitter submitter(Cluster(fake[0], fake.layout), {});
        const JobId id = fake.run(submitter.submit(spec));
        Working working(fake, 1);
        working.setSick(noRunner, noProcess);
        fake.settle(2min);
        QCOMPARE_GE(working.refusals(), 6);
        QCOMPARE_LE(working.refusals(), 8); // after 1, 2, 4... seconds
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 0);
        working.setSick(0, 0);
        fake.settle(3min);
        QCOMPARE(working.begun(), 1u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // It sits in a path on a dead file server, and begins nothing.
    void aRunnerThatHangsIsShown()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        Working working(fake, 1, 4);
        working.stopRunner();
        fake.settle(4s);
        QVERIFY(troubleIn(fake).isEmpty());
        fake.settle(2s);
        QVERIFY2(troubleIn(fake).contains(u"has not answered"), qPrintable(troubleIn(fake)));
        QVERIFY(fake.isClaimedBy(id, 1));
        working.killRunner();
        fake.settle(5min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QVERIFY(troubleIn(fake).isEmpty());
    }

    void aSickMachineLeavesTheJobsToOthers()
    {
        constexpr int Count = 40;
        WorkerCluster fake(3);
        for (int i = 0; i < Count; ++i)
            fake.submit();
        Working sick(fake, 1, Working::options(2), 100ms);
        sick.setSick(0, 1);
        const Working sound(fake, 2, Working::options(2), 100ms);
        fake.settle(1min);
        QCOMPARE(sound.begun(), std::size_t(Count));
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), Count);
        for (const QByteArray &job : fake.childrenOf(fake.layout.done()))
            QCOMPARE(fake.recordOf(*JobId::parse(QString::fromLatin1(job))).state(), JobState::Succeeded);
        QCOMPARE_GE(sick.refusals(), 1);
        QCOMPARE_LE(sick.refusals(), 20);
    }

    // A file server is away from all machines for days. Each claim is one of those after which the job is given up.
    void aJobThatWasClaimedOftenIsSpared()
    {
        constexpr int Claims = workers::MostClaims - 200;
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const zk::Path path = fake.pathOf(id);
        const QByteArray data =
            noted(fake.node(path).data, [](JobNotes &notes) { notes.returned = Claims / 2; }); // each given back
        for (int i = 0; i < Claims; ++i)
            fake.write(path, data);
        Working working(fake, 1);
        working.setSick(0, 1);
        const JobId other = fake.submit();
        fake.settle(5h);
        QCOMPARE_GE(working.refusals(), 200); // the other one
        QVERIFY(fake.exists(path));
        QCOMPARE_LE(fake.node(path).stat.version, Claims + 30);
        working.setSick(0, 0);
        fake.settle(5min);
        QCOMPARE(fake.recordOf(other).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.attemptsOf(id), 1);
    }

    // A mount is missing there: it would end a queue's jobs in a moment.
    void aMachineThatCannotStartJobAfterJobRests()
    {
        constexpr int Count = 200;
        WorkerCluster fake(3);
        std::vector<JobId> jobs;
        for (int i = 0; i < Count; ++i)
            jobs.push_back(fake.submit(in(QStringLiteral("/mnt/%1").arg(i))));
        Working sick(fake, 1, Working::options(2), 100ms);
        sick.setUnmounted(true);
        fake.settle(30s);
        QCOMPARE_LE(sick.refusals(), 30); // some, and then a few after 1, 2, 4 and 8 s
        QVERIFY2(troubleIn(fake).contains(u"/mnt/"), qPrintable(troubleIn(fake)));

        const Working sound(fake, 2, Working::options(2), 100ms);
        fake.settle(1min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), Count);
        QCOMPARE_GE(sound.begun(), std::size_t(Count - 40));

        sick.setUnmounted(false);
        const JobId next = fake.submit(in(QStringLiteral("/mnt/next")));
        fake.settle(3min);
        QCOMPARE(fake.recordOf(next).state(), JobState::Succeeded);
    }

    // They are wrong wherever they run, and should say so soon.
    void manyJobsOfOneMistakeDelayNoOtherJob()
    {
        constexpr int Count = 200;
        WorkerCluster fake(2);
        for (int i = 0; i < Count; ++i)
            fake.submit(in(QStringLiteral("/mnt/typo")));
        Working working(fake, 1, Working::options(2), 100ms);
        working.setUnmounted(true);
        fake.settle(20s);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), Count);
        QCOMPARE(troubleIn(fake), QString());
    }

    // For doctor, worker ls and why.
    void aSickMachineSaysSo()
    {
        WorkerCluster fake(2);
        Working working(fake, 1, Working::options(1), 100ms);
        fake.settle(1s);
        QCOMPARE(troubleIn(fake), QString());
        working.setSick(0, 1);
        const JobId id = fake.submit();
        fake.settle(10s);
        QCOMPARE(troubleIn(fake), QStringLiteral("no process is left"));
        working.setSick(0, 0);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(troubleIn(fake), QString());
    }

    // What began before says nothing; the next that begins does, though it takes long.
    void aSickMachineIsWellWhenAJobHasBegun()
    {
        WorkerCluster fake(2);
        Working working(fake, 1, Working::options(2), 5min);
        const JobId before = fake.submit();
        fake.settle(1s);
        working.setSick(0, 1);
        const JobId id = fake.submit();
        for (int i = 0; i < 60 && fake.stateOf(before) == JobState::Running; ++i)
            fake.settle(10s);
        QCOMPARE(fake.stateOf(before), JobState::Succeeded);
        QCOMPARE(troubleIn(fake), QStringLiteral("no process is left"));
        working.setSick(0, 0);
        for (int i = 0; i < 200 && fake.stateOf(id) != JobState::Running; ++i)
            fake.settle(1s);
        QCOMPARE(fake.stateOf(id), JobState::Running);
        fake.settle(100ms);
        QCOMPARE(troubleIn(fake), QString());
    }

    void aDeadRunnerIsNoTroubleOfTheMachine()
    {
        WorkerCluster fake(2);
        Working working(fake, 1, Working::options(1), 1min);
        fake.submit();
        fake.settle(10s);
        working.killRunner();
        fake.settle(100ms);
        QCOMPARE(troubleIn(fake), QString());
    }
};

QTEST_GUILESS_MAIN(SickMachineTest)
#include "sick_machine_test.moc"
