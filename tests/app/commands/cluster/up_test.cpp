#include "app/support/drover_program.h"
#include "support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTest>

using namespace drover::test;

// `drover up` whose workers cannot run jobs.
class UpTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void withoutTheRunnerNothingIsStarted()
    {
        DroverProgram drover;
        const QString folder = drover.directory() + QStringLiteral("/bin");
        const QString real = qEnvironmentVariable("DROVER_BIN_DIR");
        QVERIFY(QDir().mkpath(folder)
                && QFile::copy(real + QStringLiteral("/drover"), folder + QStringLiteral("/drover")));
        qputenv("DROVER_BIN_DIR", folder.toUtf8());
        const auto mend = qScopeGuard([&] { qputenv("DROVER_BIN_DIR", real.toUtf8()); });
        drover.setVariable("DROVER_BIN_DIR", folder);
        for (const char *const command : {"up --workers 1", "up --workers 1 --detach"}) {
            const Finished refused = drover.run(words(command));
            QCOMPARE(refused.exitCode, 1);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("cannot run jobs without"), refused.err);
            QVERIFY(!QDir(drover.environment().value(QStringLiteral("XDG_DATA_HOME")) + QStringLiteral("/drover"))
                         .exists());
        }
    }

    // A file lies where its spool has to be.
    void upSaysWhyAWorkerDoesNotStart()
    {
        const DroverProgram drover;
        const QString state = drover.environment().value(QStringLiteral("XDG_STATE_HOME")) + QStringLiteral("/drover");
        QVERIFY(QDir().mkpath(state));
        QFile spool(state + QStringLiteral("/spool"));
        QVERIFY(spool.open(QIODevice::WriteOnly));
        const Finished failed = drover.run(words("up --workers 1 --detach"), 120'000);
        QCOMPARE(failed.exitCode, 1);
        QCOMPARE(failed.out, QByteArray());
        QVERIFY2(failed.complainsOnce() && failed.err.contains("worker up-1 does not start: "), failed.err);
        QVERIFY2(failed.err.contains(state.toUtf8() + "/spool"), failed.err);
        QVERIFY(drover.run(words("down")).err.contains("not running"));
    }

    // Its program is gone when it is to be started, so it writes nothing. The line is of an earlier day.
    void theReasonIsNoLineOfAnOlderLog()
    {
        DroverProgram drover;
        const QString folder = drover.directory() + QStringLiteral("/bin");
        const QString real = qEnvironmentVariable("DROVER_BIN_DIR");
        QVERIFY(QDir().mkpath(folder));
        for (const char *const name : {"/drover", "/drover-runner"})
            QVERIFY(QFile::copy(real + QLatin1String(name), folder + QLatin1String(name)));
        const QString state = drover.environment().value(QStringLiteral("XDG_STATE_HOME")) + QStringLiteral("/drover");
        QVERIFY(QDir().mkpath(state));
        QFile log(state + QStringLiteral("/up-1.log"));
        QVERIFY(log.open(QIODevice::WriteOnly) && log.write("drover: the story of an earlier day\n") > 0);
        log.close();
        qputenv("DROVER_BIN_DIR", folder.toUtf8());
        const auto mend = qScopeGuard([&] { qputenv("DROVER_BIN_DIR", real.toUtf8()); });
        const std::unique_ptr<QProcess> up = drover.start(words("up --workers 1"));
        const QString data = drover.environment().value(QStringLiteral("XDG_DATA_HOME")) + QStringLiteral("/drover");
        QVERIFY(QTest::qWaitFor([&] { return QDir(data + QStringLiteral("/zookeeper")).exists(); }, 60'000));
        QVERIFY(QFile::remove(folder + QStringLiteral("/drover"))); // before ZooKeeper serves
        const Finished failed = DroverProgram::finish(*up, 120'000);
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(failed.err.contains("worker up-1 does not start: No such file"), failed.err);
        QVERIFY2(!failed.err.contains("earlier day"), failed.err);
    }

    // It waits for a worker that cannot start.
    void ctrlCEndsItBeforeTheWorkersHaveJoined()
    {
        const DroverProgram drover;
        const QString state = drover.environment().value(QStringLiteral("XDG_STATE_HOME")) + QStringLiteral("/drover");
        QVERIFY(QDir().mkpath(state));
        QFile spool(state + QStringLiteral("/spool"));
        QVERIFY(spool.open(QIODevice::WriteOnly));
        const std::unique_ptr<QProcess> up = drover.start(words("up --workers 1"));
        QByteArray seen;
        QVERIFY2(waitForMessage(*up, "starting it again", seen, 120'000), seen);
        QVERIFY(sendSignal(*up, SIGINT));
        const Finished stopped = DroverProgram::finish(*up);
        QCOMPARE(stopped.exitCode, 128 + SIGINT);
        QVERIFY2(!stopped.err.contains("does not start"), stopped.err);
    }

    void ctrlCEndsItWhileTheServerBegins()
    {
        const DroverProgram drover;
        const std::unique_ptr<QProcess> up = drover.start(words("up --workers 1"));
        const QString data = drover.environment().value(QStringLiteral("XDG_DATA_HOME")) + QStringLiteral("/drover");
        QVERIFY(QTest::qWaitFor([&] { return QDir(data + QStringLiteral("/zookeeper")).exists(); }, 60'000));
        QVERIFY(sendSignal(*up, SIGINT));
        const Finished stopped = DroverProgram::finish(*up);
        QCOMPARE(stopped.exitCode, 128 + SIGINT);
        QCOMPARE(stopped.out, QByteArray());
    }

    // Who is configured for another cluster can paste what it says.
    void theSuggestedNextCommandFindsTheCluster()
    {
        DroverProgram drover;
        drover.setVariable("DROVER_CONNECT", QStringLiteral("127.0.0.1:1"));
        const Finished started = drover.run(words("up --workers 1 --detach -o table"), 120'000);
        QVERIFY2(started.exitCode == 0, started.err);
        const QByteArray next = started.out.mid(started.out.indexOf("next: ") + 6).split('\n').first();
        QVERIFY2(next.contains(" --connect 127.0.0.1:"), started.out);
        const Finished ran = drover.shell(QByteArray(next).replace(0, 6, "\"$DROVER_BIN_DIR/drover\""));
        QVERIFY2(ran.exitCode == 0 && ran.out == "hello\n", ran.err);
        QCOMPARE(drover.run(words("down")).exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(UpTest)
#include "up_test.moc"
