#include "jobs/client/cancel_job.h"
#include "output/spool_files.h"
#include "workers/attempts/appending_jobs.h"
#include "workers/attempts/command_translation.h"
#include "workers/attempts/output_appender.h"

#include <QDir>
#include <QTemporaryDir>
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
        JobSpec spec = lastAttempt();
        spec.maxAttempts = JobSpec().maxAttempts;
        return spec;
    }

    // Lost once more, it would be given up.
    static JobSpec lastAttempt(const QString &file = QStringLiteral("/hung/file")) { return lastAttempts(1, file); }

    static void stopWhileItWaits(WorkerCluster &fake, Working &working)
    {
        fake.settle(10s);
        working.worker.stop();
        fake.settle(10s);
        QVERIFY(!working.ended());
        working.worker.abandonJobs();
        fake.settle(100ms);
        QVERIFY(working.ended());
    }

private Q_SLOTS:
    void aCancelEndsIt()
    {
        WorkerCluster fake(2);
        hangFilesOf(fake, 1);
        const JobId id = fake.submit(appending());
        const Working working(fake, 1);
        fake.settle(1min);
        QCOMPARE(working.begun(), 1u);
        QCOMPARE(working.worker.running(), 0);
        QVERIFY(fake.isClaimedBy(id, 1));
        const JobId next = fake.submit();
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::Asked);
        fake.settle(2min);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(fake.recordOf(id).reason.contains(QStringLiteral("/hung/file")));
        QCOMPARE(fake.recordOf(next).state(), JobState::Succeeded); // it has the slot
        QCOMPARE(working.worker.rejectedReports(), 0);
    }

    // The job's record says why output was not kept.
    void aRecordSaysWhyOutputWasNotKept_data()
    {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("told");
        QTest::newRow("the limit") << quint64(101) << QString()
                                   << u"not all of it was kept (--output-limit, or --max-output of the worker)"_qs;
        const QString full = u"cannot write '/spool/a.1.out': No space left on device"_qs;
        QTest::newRow("a full disk") << quint64(100) << full << u"not all of it was kept; "_qs + full;
    }
    void aRecordSaysWhyOutputWasNotKept()
    {
        QFETCH(quint64, bytes);
        QFETCH(QString, problem);
        QFETCH(QString, told);
        WorkerCluster fake(2);
        workers::ClaimedJob job = fake.claimOne(1);
        job.spec.appendTo = QStringLiteral("/file");
        job.spec.outputLimit = 100;
        const workers::Outcome outcome{.reason = problem.toStdString(), .outputBytes = bytes, .outputTruncated = true};
        FinalRecord record = workers::recordOf(job, {.id = QStringLiteral("w1")}, outcome);
        const workers::JobBounds bounds;
        workers::OutputAppender appender(jobs::Cluster(fake[1], fake.layout), "w1", bounds, {});
        fake.run(appender.append(job, outcome, QStringLiteral("/spool/a.1.out"), record));
        QCOMPARE(record.code, 74);
        QVERIFY2(record.reason.endsWith(u"not appended to /file: "_qs + told), qPrintable(record.reason));
    }

    // The command has succeeded, and a planned stop costs no attempt.
    void abandoningTheJobsEndsIt()
    {
        WorkerCluster fake(3);
        hangFilesOf(fake, 1);
        const JobId id = fake.submit(lastAttempt());
        Working working(fake, 1);
        stopWhileItWaits(fake, working);
        QVERIFY(!fake.exists(fake.layout.claim(id)));
        QVERIFY(!fake.exists(fake.layout.done(id)));
        const workers::Claims claims = fake.claimReady(2);
        QCOMPARE(claims.jobs.size(), 1u);
        QCOMPARE(claims.jobs.front().attempts.number(), 1);
    }

    // If no other worker has claimed the job, it has ended and need not run again.
    void theNextWorkerReportsAnAbandonedAppend_data()
    {
        QTest::addColumn<bool>("claimed");
        QTest::addColumn<bool>("anew");
        QTest::newRow("no worker has claimed the job since") << false << false;
        QTest::newRow("another worker has claimed the job") << true << false;
        QTest::newRow("another job has its number and was given back as often") << false << true;
    }
    void theNextWorkerReportsAnAbandonedAppend()
    {
        QFETCH(bool, claimed);
        QFETCH(bool, anew);
        QTemporaryDir folder;
        WorkerCluster fake(4);
        hangFilesOf(fake, 1);
        const JobId id = fake.submit(lastAttempt(folder.filePath(QStringLiteral("file"))));
        std::vector<workers::KeptResult> kept;
        {
            Working working(fake, 1);
            stopWhileItWaits(fake, working);
            QCOMPARE(working.begun(), 1u);
            kept = working.kept();
        }
        QCOMPARE(kept.size(), 1u);
        if (claimed)
            QCOMPARE(fake.claimReady(3).jobs.size(), 1u);
        if (anew) {
            const zk::Path path = fake.pathOf(id);
            const QByteArray data = fake.node(path).data;
            fake.commit(zk::Transaction().remove(path).create(path, data));
            fake.commit(zk::Transaction().set(path, data).set(path, data));
        }
        const QDir spool(folder.filePath(QStringLiteral("spool")));
        QVERIFY(spool.mkpath(QStringLiteral(".")));
        workers::WorkerOptions options = Working::options(1);
        options.spool = spool.path();
        QFile output(output::SpoolFiles::of(spool.path(), id, 1).output);
        QVERIFY(output.open(QIODevice::WriteOnly) && output.write("five\n") == 5);
        output.close();
        Working next(fake, 2, options);
        next.keep(kept.front());
        fake.settle(2min);
        QCOMPARE(next.worker.keptReported(), claimed || anew ? 0 : 1);
        QCOMPARE(next.begun(), anew ? 1u : 0u);
        QCOMPARE(fake.exists(fake.layout.done(id)), !claimed);
        if (claimed || anew)
            return;
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).attempts.number(), 1);
        QFile file(folder.filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), "five\n");
        QCOMPARE(next.worker.rejectedReports(), 0);
    }

    // A record that an earlier life has reserved gets into the file once the file server is back. So its job has not
    // failed because a path cannot be resolved meanwhile, and the next attempt does not fail for that either.
    void anEarlierLifesRecordIsWaitedFor_data()
    {
        QTest::addColumn<bool>("committed");
        QTest::addColumn<bool>("mountPoint");
        QTest::newRow("reserved, and the path cannot be resolved") << false << false;
        QTest::newRow("reserved, and the mount point is empty") << false << true;
        QTest::newRow("committed, and the path cannot be resolved") << true << false;
        QTest::newRow("committed, and the mount point is empty") << true << true;
    }
    void anEarlierLifesRecordIsWaitedFor()
    {
        QFETCH(bool, committed);
        QFETCH(bool, mountPoint);
        const QTemporaryDir folder;
        const QString mount = folder.filePath(QStringLiteral("mount"));
        const QString away = folder.filePath(QStringLiteral("away"));
        QVERIFY(QDir().mkdir(mount));
        WorkerCluster fake(3);
        const JobId id = fake.submit(lastAttempts(2, mount + QStringLiteral("/file")));
        const workers::ClaimedJob job = fake.claimReady(2).jobs.at(0);
        reserve(fake, job, committed);
        QVERIFY(QDir().rename(mount, away));
        if (mountPoint)
            QVERIFY(QDir().mkdir(mount));
        fake.commit(zk::Transaction().remove(fake.layout.claim(id))); // its worker is killed

        Working working(fake, 1);
        working.keep({.keptClaim = workers::encodeClaim(job), .outcome = {.runId = 1000, .outputBytes = 5}});
        fake.settle(2min);
        QCOMPARE(working.worker.keptReported(), 1);
        QCOMPARE(working.begun(), 1u); // of the next attempt
        QVERIFY(!fake.exists(fake.layout.done(id)));
        if (mountPoint)
            QVERIFY(QDir(mount).removeRecursively());
        QVERIFY(QDir().rename(away, mount));
        fake.settle(2min);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QFile file(mount + QStringLiteral("/file"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), "five\n");
    }

    // A record in the file is of a command that has succeeded. The last attempt fails, and the job is not tried again.
    void aFailedJobIsNotInTheFile_data()
    {
        QTest::addColumn<bool>("reserved");
        QTest::addColumn<bool>("committed");
        QTest::newRow("an earlier attempt has appended nothing") << false << false;
        QTest::newRow("an earlier attempt has reserved its record") << true << false;
        QTest::newRow("an earlier attempt has committed its record") << true << true;
    }
    void aFailedJobIsNotInTheFile()
    {
        QFETCH(bool, reserved);
        QFETCH(bool, committed);
        const QTemporaryDir folder;
        WorkerCluster fake(3);
        const JobId id = fake.submit(lastAttempts(2, folder.filePath(QStringLiteral("file"))));
        const workers::ClaimedJob job = fake.claimReady(2).jobs.at(0);
        if (reserved)
            reserve(fake, job, committed);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id))); // its worker is killed

        Working working(fake, 1);
        working.setFailures(1);
        fake.settle(2min);
        QCOMPARE(working.begun(), 1u);
        QVERIFY(fake.exists(fake.layout.done(id)));
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.state(), reserved ? JobState::Succeeded : JobState::Failed);
        QCOMPARE(record.reason.contains(u"an earlier attempt has succeeded"), reserved);
        QCOMPARE(working.worker.rejectedReports(), 0);
        QFile file(folder.filePath(QStringLiteral("file")));
        QCOMPARE(file.open(QIODevice::ReadOnly), reserved);
        QCOMPARE(file.readAll(), reserved ? "five\n" : "");
    }

    // The look at the file fails: its ledger was written by hand.
    void aFailedJobSaysThatTheFileWasNotAsked()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("file"));
        WorkerCluster fake(3);
        const JobId id = fake.submit(lastAttempts(2, path));
        reserve(fake, fake.claimReady(2).jobs.at(0), true);
        fake.commit(
            zk::Transaction().set(fake.layout.file(files::FileStore::canonicalPath(path)) / "meta", "nonsense"));
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        Working working(fake, 1);
        working.setFailures(1);
        fake.settle(2min);
        verifyIsInDoubt(fake, id, path);
    }

    // The last attempt fails where the file hangs, or cannot be reached, or is forbidden.
    void theLookForAnEarlierRecordEnds_data()
    {
        QTest::addColumn<bool>("hangs");
        QTest::newRow("the file hangs") << true;
        QTest::newRow("its folder is not there") << false;
    }
    void theLookForAnEarlierRecordEnds()
    {
        QFETCH(bool, hangs);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("file"));
        WorkerCluster fake(3);
        const JobId id = fake.submit(lastAttempts(2, path));
        reserve(fake, fake.claimReady(2).jobs.at(0), true);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        if (hangs)
            hangFilesOf(fake, 1);
        else
            QVERIFY(folder.remove());
        Working working(fake, 1);
        working.setFailures(1);
        fake.settle(8min);
        QCOMPARE(working.begun(), 1u);
        QVERIFY(!fake.exists(fake.layout.done(id)));
        const QByteArray claim = fake.node(fake.layout.claim(id)).data;
        QVERIFY2(hangs || claim.contains("whether it has the output of an earlier attempt"), claim.constData());
        fake.settle(5min);
        verifyIsInDoubt(fake, id, path);
        QCOMPARE(working.worker.rejectedReports(), 0);
    }

    // It hangs, or its process has stood still, while another worker has run the job again.
    void anAttemptThatIsOverReservesNothing()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("file"));
        WorkerCluster fake(3);
        const JobId id = fake.submit(lastAttempts(3, path));
        const workers::ClaimedJob first = fake.claimReady(2).jobs.at(0);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        QCOMPARE(fake.claimReady(1).jobs.size(), 1u);
        QFile output(folder.filePath(QStringLiteral("output")));
        QVERIFY(output.open(QIODevice::WriteOnly) && output.write("five\n") == 5);
        output.close();
        const workers::Outcome outcome{.outputBytes = 5};
        FinalRecord record = workers::recordOf(first, {.id = QStringLiteral("w2")}, outcome);
        const workers::JobBounds bounds;
        workers::OutputAppender appender(jobs::Cluster(fake[2], fake.layout), "w2", bounds, {});
        fake.run(appender.append(first, outcome, output.fileName(), record));
        QCOMPARE(record.state(), JobState::Cancelled); // of which the cluster takes no report
        QVERIFY2(record.reason.contains(QStringLiteral("does not get it")), qPrintable(record.reason));
        QFile file(path);
        QVERIFY(!file.open(QIODevice::ReadOnly) || file.size() == 0);
    }

    // No file of that name has a ledger, so that nothing can have been reserved.
    void aKeptEndWithAWrongPathFails()
    {
        WorkerCluster fake(3);
        const JobId id = fake.submit(lastAttempts(2, QStringLiteral("/no such folder/file")));
        const workers::ClaimedJob job = fake.claimReady(2).jobs.at(0);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        Working working(fake, 1);
        working.keep({.keptClaim = workers::encodeClaim(job), .outcome = {.runId = 1000, .outputBytes = 5}});
        fake.settle(2s);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).code, 74);
    }

    void theEndOfTheSessionEndsAStuckAppend()
    {
        WorkerCluster fake(2);
        hangFilesOf(fake, 1);
        fake.submit(appending());
        const Working working(fake, 1);
        fake.settle(10s);
        fake.server.expire(fake[1].sessionId());
        fake.settle(100ms);
        QVERIFY(working.ended());
    }

    // Its worker was lost, and the next life is to append it.
    void anAppendOfAnEarlierLifeDelaysNoJob_data()
    {
        QTest::addColumn<bool>("cancelled");
        QTest::newRow("the job is run again") << false;
        QTest::newRow("the job is cancelled") << true;
    }
    void anAppendOfAnEarlierLifeDelaysNoJob()
    {
        QFETCH(bool, cancelled);
        WorkerCluster fake(3);
        hangFilesOf(fake, 1);
        fake.submit(appending());
        const workers::Claims claims = fake.claimReady(2);
        QCOMPARE(claims.jobs.size(), 1u);
        const workers::ClaimedJob &job = claims.jobs.front();
        fake.commit(zk::Transaction().remove(fake.layout.claim(job.id)));
        const JobId other = fake.submit();
        Working working(fake, 1, 2);
        working.keep({.keptClaim = workers::encodeClaim(job), .outcome = {.runId = 1000, .outputBytes = 5}});
        fake.settle(1s);
        QCOMPARE(working.begun(), 0u); // what has ended need not run again
        if (cancelled)
            fake.run(cancel(Cluster(fake[0], fake.layout), job.id));
        fake.settle(2min);
        QCOMPARE(working.worker.keptReported(), 1);
        QVERIFY(fake.exists(fake.layout.done(other)));
        QCOMPARE(fake.recordOf(other).state(), JobState::Succeeded);
        QCOMPARE(working.began(job.id), !cancelled);
        working.worker.abandonJobs();
        fake.settle(100ms);
        QVERIFY(working.ended());
        if (cancelled)
            QCOMPARE(fake.recordOf(job.id).state(), JobState::Cancelled);
    }
};

QTEST_GUILESS_MAIN(StuckAppendTest)
#include "stuck_append_test.moc"
