#include "app/support/drover_program.h"
#include "workers/full_mount.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace drover::test;

// What a job may use and where its output goes, as a user sees it, on a cluster of this machine.
class RunningTest : public QObject
{
    Q_OBJECT

    FullMount m_full; // before the worker: its jobs see the mounts that it finds
    DroverProgram m_drover;

    QByteArray content(const char *name) const
    {
        QFile file(m_drover.directory() + u'/' + QLatin1String(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no file)");
    }
    Finished shell(const char *options, const char *script)
    {
        return m_drover.run(words(options) << QStringLiteral("--") << QStringLiteral("sh") << QStringLiteral("-c")
                                           << QString::fromUtf8(script));
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished up = m_drover.run(words("up --detach --workers 1 --slots 2 -o json"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
    }
    void cleanupTestCase() { QCOMPARE(m_drover.run(words("down")).exitCode, 0); }

    void outputGoesToItsFileAndToTheLogs()
    {
        const Finished run = shell("run --name a/b --stdout out/%n.%j --stderr %%err", "echo one; echo two >&2");
        QVERIFY2(run.exitCode == 0, run.err);
        QCOMPARE(run.out, "one\n");
        QCOMPARE(content("out/a_b.default-0"), "one\n");
        QCOMPARE(content("%err"), "two\n");
        QCOMPARE(m_drover.run(words("logs default-0")).out, "one\n");
        const QString shown =
            json(m_drover.run(words("show -o json default-0"))).value(QStringLiteral("stdout")).toString();
        QVERIFY2(shown.endsWith(u"/out/a_b.default-0"), qPrintable(shown));

        const Finished array = shell("submit --array 3-4 --stdout task.%a", "echo $DROVER_ARRAY_INDEX");
        QVERIFY2(array.exitCode == 0, array.err);
        QCOMPARE(m_drover.run(words("wait default-1")).exitCode, 0);
        QCOMPARE(content("task.3"), "3\n");
        QCOMPARE(content("task.4"), "4\n");
        QVERIFY(m_drover.run(words("show default-1")).out.contains("/task.%a"));
        QVERIFY(m_drover.run(words("show default-1.4")).out.contains("/task.4"));
    }

    void outputThatIsTooLongKeepsItsEnd()
    {
        const QByteArray end = "\n5000\nFATAL: reason\n";
        const auto isCut = [&](const QByteArray &text) {
            return text.startsWith("1\n2\n") && text.endsWith(end) && text.count(" bytes were not kept ...\n") == 1
                && text.size() < 1024 + 60;
        };
        const Finished submitted = shell("submit --output-limit 1K",
                                         "seq 1 5000; until test -e enough; do sleep 0.05; done; echo FATAL: reason");
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        const auto follower = m_drover.start(words("logs -f") << id);
        QByteArray seen;
        QVERIFY2(waitForOutput(*follower, "\n5000\n", seen), seen);
        QVERIFY(QFile(m_drover.directory() + QStringLiteral("/enough")).open(QIODevice::WriteOnly));
        const Finished followed = DroverProgram::finish(*follower);
        QVERIFY2(followed.exitCode == 0 && followed.err.isEmpty(), followed.err);
        seen += followed.out;
        QVERIFY2(seen.startsWith("1\n2\n") && seen.endsWith(end), seen);
        const Finished logs = m_drover.run(words("logs") << id);
        QVERIFY2(isCut(logs.out) && logs.err.isEmpty(), logs.out + logs.err);
        QCOMPARE(m_drover.run(words("logs --tail 2") << id).out, "5000\nFATAL: reason\n");
        const Finished run = shell("run --output-limit 1K", "seq 1 5000; echo FATAL: reason");
        QVERIFY2(run.out.startsWith("1\n2\n") && run.out.endsWith(end), run.out);
    }

    // The second attempt's output, not that of both.
    void eachAttemptBeginsItsFileAnew()
    {
        const Finished run = shell("run --retries 1 --backoff 10ms --stdout retried",
                                   "echo attempt $DROVER_ATTEMPT; test -e again || ! touch again");
        QVERIFY2(run.exitCode == 0, run.err);
        QCOMPARE(content("retried"), "attempt 2\n");
    }

    void aFileThatCannotBeWrittenIsReported()
    {
        const Finished run = shell("run --stdout /proc/none/out", "echo one");
        QCOMPARE(run.exitCode, 126);
        const Finished failed = m_drover.run(words("ls --state failed -o jsonl"));
        const QString id = QJsonDocument::fromJson(failed.out).object().value(u"id").toString();
        const Finished shown = m_drover.run(words("show") << id);
        QVERIFY2(shown.out.contains("cannot write the file '/proc/none/out'"), shown.out + failed.out);
    }

    // Also of one whose exit code is its own.
    void aWaitingClientGetsTheReason()
    {
        if (m_full.isMounted()) { // by root
            const Finished full =
                shell(qPrintable(QStringLiteral("run --stdout ") + m_full.path(QStringLiteral("out"))), "seq 1 5000");
            QCOMPARE(full.exitCode, 0);
            QVERIFY2(full.err.contains("has ended with exit code 0: cannot write "), full.err);
        }

        const Finished waited = shell("submit --wait --stdout /proc/none/out", "echo one");
        QCOMPARE(waited.exitCode, 126);
        QVERIFY2(waited.complainsOnce() && waited.err.contains("cannot write the file '/proc/none/out'"), waited.err);
        const Finished failed = shell("submit --wait", "exit 3");
        QCOMPARE(failed.exitCode, 3);
        QVERIFY2(failed.complainsOnce() && failed.err.contains("has ended with exit code 3; drover logs "), failed.err);
        QCOMPARE(shell("submit --wait", "exit 0").err, QByteArray());
    }

    void standardInputIsNotPassedOn()
    {
        const Finished piped = m_drover.shell("echo lost | drover run -- cat");
        QVERIFY2(piped.exitCode == 0 && piped.err.contains("standard input is not passed on"), piped.err);
        const Finished file = m_drover.shell("echo kept > kept; drover run -- cat < kept");
        QVERIFY2(file.exitCode == 0 && file.err.contains("--input FILE"), file.err);
        const Finished passed = m_drover.shell("drover run --input kept -- cat < kept");
        QVERIFY2(passed.out == "kept\n" && passed.err.isEmpty(), passed.err);
        QCOMPARE(m_drover.shell("drover run -- true < /dev/null").err, QByteArray());
        const Finished dash = m_drover.shell("echo x | drover submit --input - -- cat");
        QVERIFY2(dash.exitCode == 2 && dash.complainsOnce() && dash.err.contains("name that"), dash.err);
    }

    void aFileOfThisDirectoryIsNotAProgram()
    {
        const Finished bare = m_drover.shell("printf '#!/bin/sh\\nexit 5\\n' > mine.sh; chmod +x mine.sh; "
                                             "drover submit mine.sh");
        QVERIFY2(bare.exitCode == 0 && bare.complainsOnce(), bare.err);
        QVERIFY2(bare.err.contains("did you mean ./mine.sh?"), bare.err);
        const Finished right = m_drover.shell("drover run ./mine.sh");
        QVERIFY2(right.exitCode == 5 && right.err.isEmpty(), right.err);
        QCOMPARE(m_drover.shell("touch true; drover submit -- true").err, QByteArray()); // in PATH, too
    }

    void aCommandInOnePairOfQuotesIsNotAProgram()
    {
        const Finished whole = m_drover.shell("drover submit 'echo hi'");
        QVERIFY2(whole.exitCode == 0 && whole.complainsOnce(), whole.err);
        QVERIFY2(whole.err.contains("leave the quotation marks out, or give the line to a shell: -- sh -c 'echo hi'"),
                 whole.err);
        const Finished path =
            m_drover.shell("printf '#!/bin/sh\\n' >own.sh; chmod +x own.sh; drover submit './own.sh 1'");
        QVERIFY2(path.complainsOnce() && path.err.contains("leave the quotation marks out"), path.err);
        for (const char *const fine : {"echo hi", "-- sh -c 'echo hi'", "'nowhere hi'", "'./echo hi'"})
            QCOMPARE(m_drover.shell(QByteArray("drover submit ") + fine).err, QByteArray());
        const Finished named = m_drover.shell("mkdir -p p; printf '#!/bin/sh\n' >'p/echo hi'; chmod +x 'p/echo hi'; "
                                              "PATH=$PWD/p:$PATH drover submit 'echo hi'");
        QVERIFY2(named.exitCode == 0 && named.err.isEmpty(), named.err);
    }

    void aJobThatNoWorkerCanRunIsReportedAtOnce()
    {
        for (const char *const need : {"--label nowhere", "--slots 99", "--memory 4T"}) {
            const Finished submitted = m_drover.run(words("submit -o json") << words(need) << words("-- true"));
            QCOMPARE(submitted.exitCode, 0);
            const QString id = json(submitted).value(QStringLiteral("id")).toString();
            QVERIFY2(submitted.complainsOnce() && submitted.err.contains(id.toLatin1() + ": "), submitted.err);
            QCOMPARE(m_drover.run({QStringLiteral("cancel"), id}).exitCode, 0);
        }
        QCOMPARE(shell("submit --slots 2", "true").err, QByteArray());
    }

    void aWaitingJobReportsItsReason()
    {
        const std::unique_ptr<QProcess> running = m_drover.start(words("run --hold --name kept -- true"));
        QByteArray said;
        QVERIFY2(waitForMessage(*running, "it is held by ", said), said);
        const QString id = QString::fromUtf8(said).section(u' ', 1, 1).chopped(1);
        QByteArray alike;
        const std::unique_ptr<QProcess> waiting = m_drover.start({QStringLiteral("wait"), id});
        QVERIFY2(waitForMessage(*waiting, id.toLatin1() + ": it is held by ", alike), alike);
        const std::unique_ptr<QProcess> following = m_drover.start({QStringLiteral("logs"), QStringLiteral("-f"), id});
        QVERIFY2(waitForMessage(*following, id.toLatin1() + ": it is held by ", alike), alike);
        const std::unique_ptr<QProcess> quiet = m_drover.start(words("wait -o json") << id);
        // The second question, after six seconds, finds the same reason.
        QVERIFY(!waitForMessage(*running, "it is held by ", said = {}, 7'000));
        QCOMPARE(m_drover.run({QStringLiteral("release"), id}).exitCode, 0);
        const Finished asJson = DroverProgram::finish(*quiet);
        QVERIFY2(asJson.exitCode == 0 && asJson.err.isEmpty(), asJson.err);
        QCOMPARE(DroverProgram::finish(*running).exitCode, 0);
        QCOMPARE(DroverProgram::finish(*waiting).exitCode, 0);
        QCOMPARE(DroverProgram::finish(*following).exitCode, 0);
    }

    // None of them runs, though an array is called running while its tasks wait.
    void arraysAndSeveralJobsReportTheirReason()
    {
        const auto submitted = [&](const char *options) {
            return QString::fromUtf8(m_drover.run(words("submit --id-only") << words(options) << words("-- true")).out)
                .trimmed();
        };
        QCOMPARE(m_drover.run(words("queue pause default")).exitCode, 0);
        const QString array = submitted("--array 1-3");
        const QStringList jobs{submitted("--tag both"), submitted("--tag both")};
        const std::unique_ptr<QProcess> forArray = m_drover.start({QStringLiteral("wait"), array});
        const std::unique_ptr<QProcess> forBoth = m_drover.start(words("wait") + jobs);
        const std::unique_ptr<QProcess> forTag = m_drover.start(words("wait --tag both"));
        QByteArray said;
        QVERIFY2(waitForMessage(*forArray, "queue default was paused", said), said);
        QVERIFY2(waitForMessage(*forBoth, "2 of 2 jobs wait; " + jobs[0].toUtf8() + ": queue default was paused", said),
                 said);
        QVERIFY2(waitForMessage(*forTag, "2 of 2 jobs wait; ", said), said);
        QCOMPARE(m_drover.run(words("queue resume default")).exitCode, 0);
        for (QProcess *const process : {forArray.get(), forBoth.get(), forTag.get()})
            QCOMPARE(DroverProgram::finish(*process).exitCode, 0);
    }

    void aRetryIsNotCalledALoss()
    {
        const std::unique_ptr<QProcess> process =
            m_drover.start(words("run --retries 1 --backoff 10ms -- sh -c")
                           << QStringLiteral("echo attempt $DROVER_ATTEMPT; while [ ! -e end.$DROVER_ATTEMPT ]; do "
                                             "sleep 0.05; done; test $DROVER_ATTEMPT = 2 || exit 7"));
        QByteArray out;
        QVERIFY(waitForOutput(*process, "attempt 1\n", out));
        QVERIFY(QFile(m_drover.directory() + QStringLiteral("/end.1")).open(QIODevice::WriteOnly));
        QByteArray err;
        QVERIFY2(waitForMessage(*process, "attempt 1 has failed and is retried; attempt 2 begins on up-", err), err);
        QVERIFY(QFile(m_drover.directory() + QStringLiteral("/end.2")).open(QIODevice::WriteOnly));
        QCOMPARE(DroverProgram::finish(*process).exitCode, 0);
    }

    void limitsReachTheProcess()
    {
        const Finished run = shell("run --ulimit nofile=55 --ulimit core=0", "ulimit -n");
        QVERIFY2(run.exitCode == 0, run.err);
        QCOMPARE(run.out, "55\n");
    }

    void aJobThatTakesTooMuchMemoryFails()
    {
        const Finished submitted =
            shell("submit --memory 40M", "head -c 200000000 /dev/zero | tail -c 150000000 | wc -c");
        QVERIFY2(submitted.exitCode == 0, submitted.err);
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        m_drover.run(words("wait") << id);
        const Finished shown = m_drover.run(words("show -o json") << id);
        const QString reason = QJsonDocument::fromJson(shown.out).object().value(u"reason").toString();
        // Without control groups tail is refused the memory instead, and says so itself.
        const Finished logs = m_drover.run(words("logs --stderr") << id);
        QVERIFY2(reason == QStringLiteral("out of memory (limit 40 MiB)") || logs.err.contains("memory"), shown.out);
    }

    void logsNameTheStreamThatWasUsed()
    {
        const QString id =
            QString::fromUtf8(shell("submit --wait", "echo warned >&2").out.trimmed()).section(u'\n', 0, 0);
        const Finished none = m_drover.run(words("logs") << id);
        QCOMPARE(none.out, QByteArray());
        QVERIFY2(none.err.contains("drover logs --stderr " + id.toUtf8()), none.err);
        const Finished error = m_drover.run(words("logs -f --stderr") << id);
        QCOMPARE(error.err, QByteArray("warned\n"));
    }

    // A program that fails usually says why on standard error.
    void logsOfAFailedJobShowItsStandardError()
    {
        const auto idOf = [](const Finished &submitted) {
            return QString::fromUtf8(submitted.out.trimmed()).section(u'\n', 0, 0);
        };
        const QString failed = idOf(shell("submit --wait", "echo one; echo two; echo broken >&2; exit 3"));
        for (const char *const how : {"logs", "logs -f", "logs --attempt 1", "logs --tail 5"}) {
            const Finished logs = m_drover.run(words(how) << failed);
            QCOMPARE(logs.out, QByteArray("one\ntwo\n"));
            QCOMPARE(logs.err, QByteArray("broken\n"));
        }
        const Finished error = m_drover.run(words("logs --stderr") << failed);
        QCOMPARE(error.out + '|' + error.err, QByteArray("|broken\n"));

        const QString following = idOf(shell("submit", "echo one; echo broken >&2; sleep 1; exit 3"));
        const Finished followed = m_drover.run(words("logs -f") << following);
        QCOMPARE(followed.out, QByteArray("one\n"));
        QVERIFY2(followed.err.endsWith("broken\n") && followed.err.count("broken") == 1, followed.err);

        const QString succeeded = idOf(shell("submit --wait", "echo one; echo warned >&2"));
        QCOMPARE(m_drover.run(words("logs") << succeeded).err, QByteArray());
    }

    // Where nothing was written, the record alone knows what went wrong.
    void logsSayWhyAJobFailed_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("reason");
        const QString none;
        QTest::newRow("no such program") << none << "no-such-prog"
                                         << "command 'no-such-prog' is not in the job's PATH";
        QTest::newRow("no such directory") << "--dir /nonexistent"
                                           << "true"
                                           << "/nonexistent";
        QTest::newRow("time limit") << "--time-limit 100ms"
                                    << "sleep 60"
                                    << "was ended by its time limit";
        QTest::newRow("exit code") << none << "false"
                                   << "has ended with exit code 1, and wrote nothing";
        QTest::newRow("task") << "--array 0"
                              << "no-such-prog"
                              << "'no-such-prog' is not in the job's PATH";
    }

    void logsSayWhyAJobFailed()
    {
        QFETCH(QString, options);
        QFETCH(QString, command);
        QFETCH(QString, reason);
        const Finished submitted = m_drover.run(words("submit --wait") + options.split(u' ', Qt::SkipEmptyParts)
                                                << QStringLiteral("--") << command.split(u' '));
        QString id = QString::fromUtf8(submitted.out.trimmed()).section(u'\n', 0, 0);
        if (options.startsWith(u"--array"))
            id += QStringLiteral(".0");
        for (const char *const how : {"logs", "logs -f", "logs --stderr"}) {
            const Finished logs = m_drover.run(words(how) << id);
            QCOMPARE(logs.exitCode, 0);
            const QByteArray last = logs.err.trimmed().split('\n').constLast();
            QVERIFY2(last.startsWith("drover: job " + id.toUtf8()) && last.contains(reason.toUtf8()), logs.err);
        }
    }

    void logsOfAJobThatNeverBeganSaySo()
    {
        const QString id = QString::fromUtf8(m_drover.run(words("submit --hold -- true")).out.trimmed());
        QCOMPARE(m_drover.run(words("cancel") << id).exitCode, 0);
        for (const char *const how : {"logs", "logs -f"}) {
            const Finished logs = m_drover.run(words(how) << id);
            QCOMPARE(logs.exitCode, 4);
            QVERIFY2(logs.err.contains("job " + id.toUtf8() + " was cancelled before it had begun"), logs.err);
        }
    }

    // Its run did not count, and it was cancelled while it waited again: it has written all the same.
    void logsOfAJobThatWasGivenBackAreThere()
    {
        const QString id = QString::fromUtf8(shell("submit", "echo said; sleep 600").out.trimmed());
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("logs") << id).out.contains("said"), 60'000);
        QCOMPARE(m_drover.run(words("queue pause default")).exitCode, 0);
        QCOMPARE(m_drover.run(words("requeue") << id).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("show") << id).out.contains("ready"), 60'000);
        QCOMPARE(m_drover.run(words("cancel") << id).exitCode, 0);
        const Finished logs = m_drover.run(words("logs") << id);
        QCOMPARE(logs.exitCode, 0);
        QVERIFY2(!logs.err.contains("before it had begun") && logs.err.contains("cancelled"), logs.err);
        QCOMPARE(m_drover.run(words("queue resume default")).exitCode, 0);
    }

    void aJobThatWasWaitedForAsJson()
    {
        const Finished finished = shell("submit --wait -o json", "echo said; exit 3");
        QCOMPARE(finished.exitCode, 3);
        const QJsonObject job = json(finished);
        QCOMPARE(job.value(QStringLiteral("state")).toString(), QStringLiteral("failed"));
        QCOMPARE(job.value(QStringLiteral("output_tail")).toString(), QStringLiteral("said\n"));
        const QByteArray id = job.value(QStringLiteral("id")).toString().toLatin1();
        QVERIFY2(finished.complainsOnce() && finished.err.contains("job " + id + " was submitted"), finished.err);
    }
};

QTEST_GUILESS_MAIN(RunningTest)
#include "running_test.moc"
