#include "app/support/drover_program.h"
#include "workers/dead_mount.h"
#include "workers/stalled_mount.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <signal.h>

using namespace drover::test;

// Jobs whose directory or output is on a file server that hangs, beside others of the same worker.
class HungPathTest : public QObject
{
    Q_OBJECT

    DeadMount m_dead; // before the worker: its jobs see the mounts that it finds
    StalledMount m_stalled;
    DroverProgram m_drover;

    // Of a job whose command ends at once, and whose copy then hangs.
    QString submitCopied(const char *name)
    {
        const int before = m_stalled.writesThatHang();
        const Finished copied = m_drover.run(
            {u"submit"_qs, u"--stdout"_qs, m_stalled.path(QString::fromUtf8(name)), u"--"_qs, u"echo"_qs, u"kept"_qs});
        const bool hangs =
            QTest::qWaitFor([&] { return m_stalled.writesThatHang() > before; }, 60'000) && copied.exitCode == 0;
        return hangs ? QString::fromUtf8(copied.out.trimmed()) : QString();
    }
    Finished waitFor(const QString &job) const
    {
        return m_drover.run({u"wait"_qs, u"--timeout"_qs, u"60s"_qs, job}, 90'000);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!m_dead.isMounted() || !m_stalled.isMounted())
            QSKIP("needs root and /dev/fuse");
        const Finished up = m_drover.run(words("up --detach --workers 1 --slots 3 -o json"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
    }
    void cleanupTestCase()
    {
        if (m_dead.isMounted())
            QCOMPARE(m_drover.run(words("down")).exitCode, 0);
    }

    void onlyThatJobWaits()
    {
        const QString begun = m_drover.directory() + u"/begun"_qs;
        const Finished hung =
            m_drover.run({u"submit"_qs, u"--dir"_qs, m_dead.path(u"folder"_qs), u"--"_qs, u"touch"_qs, begun});
        QVERIFY2(hung.exitCode == 0, hung.err);
        const QString id = QString::fromUtf8(hung.out.trimmed());
        const Finished copied =
            m_drover.run({u"submit"_qs, u"--stdout"_qs, m_dead.path(u"out"_qs), u"--"_qs, u"touch"_qs, begun});
        QVERIFY2(copied.exitCode == 0, copied.err);

        for (int i = 0; i < 3; ++i) {
            const Finished run = m_drover.run(words("run -- echo hello"));
            QVERIFY2(run.exitCode == 0, run.err);
            QCOMPARE(run.out, "hello\n");
        }
        const Finished limited = m_drover.run(words("run --time-limit 100ms -- sleep 1000"));
        QVERIFY(limited.exitCode != 0);
        QVERIFY2(limited.err.contains("time"), limited.err);

        for (const QString &job : {id, QString::fromUtf8(copied.out.trimmed())}) {
            QCOMPARE(m_drover.run({u"cancel"_qs, job}).exitCode, 0);
            const Finished ended = waitFor(job);
            QVERIFY2(ended.exitCode > 0 && ended.exitCode != 124, ended.err);
        }
        QVERIFY(!QFile::exists(begun));
    }

    // The worker ends a start that takes half a minute, and returns the job: a cancel does not wait for that.
    void aStartThatHangsIsCancelledAtOnce_data()
    {
        QTest::addColumn<QString>("option");
        QTest::newRow("in its directory") << u"--dir"_qs;
        QTest::newRow("in its output") << u"--stdout"_qs;
    }
    void aStartThatHangsIsCancelledAtOnce()
    {
        QFETCH(QString, option);
        const Finished hung = m_drover.run({u"submit"_qs, option, m_dead.path(u"here"_qs), u"--"_qs, u"true"_qs});
        QVERIFY2(hung.exitCode == 0, hung.err);
        const QString job = QString::fromUtf8(hung.out.trimmed());
        QTRY_COMPARE_WITH_TIMEOUT(json(m_drover.run({u"show"_qs, u"-o"_qs, u"json"_qs, job})).value(u"state"),
                                  QJsonValue(u"running"_qs), 120'000);
        QCOMPARE(m_drover.run({u"cancel"_qs, job}).exitCode, 0);
        // What has been returned is not ended by a signal.
        const Finished ended = waitFor(job);
        QVERIFY2(ended.exitCode == 128 + SIGTERM, ended.err);
        const QByteArray shown = m_drover.run({u"show"_qs, job}).out;
        QVERIFY2(shown.contains("cancelled"), shown);
    }

    // The command has ended. Its writer hangs in the kernel, where no signal ends it.
    void aCopyThatHangsDoesNotKeepAJobRunning()
    {
        const QString cancelled = submitCopied("cancelled");
        QVERIFY(!cancelled.isEmpty());
        QCOMPARE(m_drover.run({u"cancel"_qs, cancelled}).exitCode, 0);
        const Finished atOnce = waitFor(cancelled);
        QVERIFY2(atOnce.exitCode == 0, atOnce.err); // it had ended by itself

        const QString hung = submitCopied("hung");
        QVERIFY(!hung.isEmpty());
        const Finished beside = m_drover.run(words("run -- echo hello"));
        QCOMPARE(beside.out, "hello\n");
        QCOMPARE(waitFor(hung).exitCode, 0);
        const QByteArray shown = m_drover.run({u"show"_qs, hung}).out;
        const QByteArray expected = "cannot write '" + m_stalled.path(u"hung"_qs).toUtf8()
            + "': it has taken nothing for 30 s since the command ended, and is incomplete";
        QVERIFY2(shown.contains(expected), shown);
        QCOMPARE(m_drover.run({u"logs"_qs, hung}).out, "kept\n");
    }

    // The job runs again when the file server answers again.
    void aWorkerThatDiesMeanwhileLosesNothing()
    {
        const QString job = submitCopied("again");
        QVERIFY(!job.isEmpty());
        const QJsonObject workers = json(m_drover.run(words("worker ls -o json")));
        const qint64 pid = workers.value(u"workers"_qs).toArray().at(0).toObject().value(u"pid"_qs).toInteger();
        QVERIFY(pid > 1);
        QCOMPARE(::kill(pid_t(pid), SIGKILL), 0);
        m_stalled.answer();
        const Finished ended = waitFor(job);
        QVERIFY2(ended.exitCode == 0, ended.err);
        const QByteArray shown = m_drover.run({u"show"_qs, job}).out;
        QVERIFY2(!shown.contains("cannot write"), shown);
        QCOMPARE(m_drover.run({u"logs"_qs, job}).out, "kept\n");
    }
};

QTEST_GUILESS_MAIN(HungPathTest)
#include "hung_path_test.moc"
