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
    static QString troubleIn(WorkerParty &party)
    {
        const QByteArray member = party.childrenOf(party.layout.members()).front();
        return WorkerInfo::decode(party.node(party.layout.members() / member).data).trouble;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(
            QStringLiteral("drover.workers.*.info=false\ndrover.workers.attempts.warning=false"));
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
        WorkerParty party(2);
        JobSpec spec = JobParty::spec();
        spec.maxAttempts = 2;
        Submitter submitter(party[0], party.layout, {});
        const JobId id = party.run(submitter.submit(spec));
        Working working(party, 1);
        working.setSick(noRunner, noProcess);
        party.settle(2min);
        QCOMPARE_GE(working.refusals(), 6);
        QCOMPARE_LE(working.refusals(), 8); // after 1, 2, 4... seconds
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 0);
        working.setSick(0, 0);
        party.settle(3min);
        QCOMPARE(working.begun(), 1u);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
    }

    // It sits in a path on a dead file server, and begins nothing.
    void aRunnerThatHangsIsShown()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        Working working(party, 1, 4);
        working.stopRunner();
        party.settle(4s);
        QVERIFY(troubleIn(party).isEmpty());
        party.settle(2s);
        QVERIFY2(troubleIn(party).contains(u"has not answered"), qPrintable(troubleIn(party)));
        QVERIFY(party.isClaimedBy(id, 1));
        working.killRunner();
        party.settle(5min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QVERIFY(troubleIn(party).isEmpty());
    }

    void aSickMachineLeavesTheJobsToOthers()
    {
        constexpr int Count = 40;
        WorkerParty party(3);
        for (int i = 0; i < Count; ++i)
            party.submit();
        Working sick(party, 1, Working::options(2), 100ms);
        sick.setSick(0, 1);
        const Working sound(party, 2, Working::options(2), 100ms);
        party.settle(1min);
        QCOMPARE(sound.begun(), std::size_t(Count));
        QCOMPARE(party.childrenOf(party.layout.done()).size(), Count);
        for (const QByteArray &job : party.childrenOf(party.layout.done()))
            QCOMPARE(party.recordOf(*JobId::parse(QString::fromLatin1(job))).state(), JobState::Succeeded);
        QCOMPARE_GE(sick.refusals(), 1);
        QCOMPARE_LE(sick.refusals(), 20);
    }

    // For doctor, worker ls and why.
    void aSickMachineSaysSo()
    {
        WorkerParty party(2);
        Working working(party, 1, Working::options(1), 100ms);
        party.settle(1s);
        QCOMPARE(troubleIn(party), QString());
        working.setSick(0, 1);
        const JobId id = party.submit();
        party.settle(10s);
        QCOMPARE(troubleIn(party), QStringLiteral("no process is left"));
        working.setSick(0, 0);
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(troubleIn(party), QString());
    }

    // What began before says nothing; the next that begins does, though it takes long.
    void aSickMachineIsWellWhenAJobHasBegun()
    {
        WorkerParty party(2);
        Working working(party, 1, Working::options(2), 5min);
        const JobId before = party.submit();
        party.settle(1s);
        working.setSick(0, 1);
        const JobId id = party.submit();
        for (int i = 0; i < 60 && party.stateOf(before) == JobState::Running; ++i)
            party.settle(10s);
        QCOMPARE(party.stateOf(before), JobState::Succeeded);
        QCOMPARE(troubleIn(party), QStringLiteral("no process is left"));
        working.setSick(0, 0);
        for (int i = 0; i < 200 && party.stateOf(id) != JobState::Running; ++i)
            party.settle(1s);
        QCOMPARE(party.stateOf(id), JobState::Running);
        party.settle(100ms);
        QCOMPARE(troubleIn(party), QString());
    }

    void aDeadRunnerIsNoTroubleOfTheMachine()
    {
        WorkerParty party(2);
        Working working(party, 1, Working::options(1), 1min);
        party.submit();
        party.settle(10s);
        working.killRunner();
        party.settle(100ms);
        QCOMPARE(troubleIn(party), QString());
    }
};

QTEST_GUILESS_MAIN(SickMachineTest)
#include "sick_machine_test.moc"
