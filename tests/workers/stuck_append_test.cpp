#include "jobs/cancel.h"
#include "workers/execution.h"
#include "workers/working.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Jobs whose output is appended to a file of a server that hangs.
class StuckAppendTest : public QObject
{
    Q_OBJECT

    static JobSpec appending()
    {
        JobSpec spec = JobParty::spec();
        spec.environment[QStringLiteral("TAKES")] = QStringLiteral("1000");
        spec.environment[QStringLiteral("WRITES")] = QStringLiteral("5");
        spec.appendTo = QStringLiteral("/hung/file");
        return spec;
    }

    // What this worker does with files never comes to an end.
    static void hangFilesOf(WorkerParty &party, int who)
    {
        party.process(who).setPool([](const std::function<void()> &) {});
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void aCancelEndsIt()
    {
        WorkerParty party(2);
        hangFilesOf(party, 1);
        const JobId id = party.submit(appending());
        const Working working(party, 1);
        party.settle(1min);
        QCOMPARE(working.begun(), 1u);
        QCOMPARE(working.worker.running(), 0);
        QVERIFY(party.isClaimedBy(id, 1));
        const JobId next = party.submit();
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Asked);
        party.settle(2min);
        QVERIFY(party.exists(party.layout.done(id)));
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(party.recordOf(id).reason.contains(QStringLiteral("/hung/file")));
        QCOMPARE(party.recordOf(next).state(), JobState::Succeeded); // it has the slot
        QCOMPARE(working.worker.rejectedReports(), 0);
    }

    void abandoningTheJobsEndsIt()
    {
        WorkerParty party(3);
        hangFilesOf(party, 1);
        const JobId id = party.submit(appending());
        Working working(party, 1);
        party.settle(10s);
        working.worker.stop();
        party.settle(10s);
        QVERIFY(!working.ended());
        working.worker.abandonJobs();
        party.settle(100ms);
        QVERIFY(working.ended());
        QVERIFY(!party.exists(party.layout.claim(id)));
        QCOMPARE(party.claimReady(2).jobs.size(), 1u);
    }

    void theEndOfTheSessionEndsIt()
    {
        WorkerParty party(2);
        hangFilesOf(party, 1);
        party.submit(appending());
        const Working working(party, 1);
        party.settle(10s);
        party.server.expire(party[1].sessionId());
        party.settle(100ms);
        QVERIFY(working.ended());
    }

    // Its worker was lost, and the next life is to append it.
    void oneOfAnEarlierLifeKeepsNobodyWaiting_data()
    {
        QTest::addColumn<bool>("cancelled");
        QTest::newRow("the job is run again") << false;
        QTest::newRow("the job is cancelled") << true;
    }
    void oneOfAnEarlierLifeKeepsNobodyWaiting()
    {
        QFETCH(bool, cancelled);
        WorkerParty party(3);
        hangFilesOf(party, 1);
        party.submit(appending());
        const workers::Claims claims = party.claimReady(2);
        QCOMPARE(claims.jobs.size(), 1u);
        const workers::ClaimedJob &job = claims.jobs.front();
        party.commit(zk::Transaction().remove(party.layout.claim(job.id)));
        const JobId other = party.submit();
        Working working(party, 1, 2);
        working.keep({.token = 1000, .note = workers::noteOf(job), .outcome = {.outputBytes = 5}});
        party.settle(1s);
        QCOMPARE(working.begun(), 0u); // what has ended need not run again
        if (cancelled)
            party.run(cancel(party[0], party.layout, job.id));
        party.settle(2min);
        QCOMPARE(working.worker.keptReported(), 1);
        QVERIFY(party.exists(party.layout.done(other)));
        QCOMPARE(party.recordOf(other).state(), JobState::Succeeded);
        QCOMPARE(working.began(job.id), !cancelled);
        working.worker.abandonJobs();
        party.settle(100ms);
        QVERIFY(working.ended());
        if (cancelled)
            QCOMPARE(party.recordOf(job.id).state(), JobState::Cancelled);
    }
};

QTEST_GUILESS_MAIN(StuckAppendTest)
#include "stuck_append_test.moc"
