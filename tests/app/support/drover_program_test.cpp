#include "drover_program.h"
#include "leftovers.h"

#include <QFile>
#include <QTest>

#include <csignal>
#include <cstdio>

#include <unistd.h>

using namespace drover::test;

// What is left when a test has ended, or was killed. This program plays such tests itself, as a process of its own.
class DroverProgramTest : public QObject
{
    Q_OBJECT

    // Says its directory first, and then nothing.
    static QString directoryOf(QProcess &played, const QStringList &arguments)
    {
        played.start(QCoreApplication::applicationFilePath(), arguments);
        QByteArray seen;
        return waitForOutput(played, "\n", seen, 120'000) ? QString::fromUtf8(seen.trimmed()) : QString();
    }

private Q_SLOTS:
    void aKilledTestLeavesNoClusterBehind()
    {
        QProcess played;
        const QString directory = directoryOf(played, {QStringLiteral("--play"), QStringLiteral("cluster")});
        QVERIFY2(!directory.isEmpty(), played.readAllStandardError());
        const QList<Leftover> running = processesIn(directory);
        // ZooKeeper, its worker, the guard, and a worker that the test has started.
        QVERIFY2(running.size() >= 4, qPrintable(QString::number(running.size())));
        QFile lock(directory + QStringLiteral("/xdg_runtime_dir/drover/up.lock"));
        QVERIFY(lock.open(QIODevice::ReadOnly));
        const qint64 up = lock.readAll().trimmed().toLongLong();
        QVERIFY(up > 0);
        played.kill();
        QVERIFY(played.waitForFinished());
        QTRY_COMPARE_WITH_TIMEOUT(processesIn(directory).size(), 0, 90'000);
        QTRY_VERIFY_WITH_TIMEOUT(!isRunning(up), 90'000);
        QVERIFY(QDir(directory).removeRecursively());
    }

    void aProcessThatOutlivesItsTestFailsIt()
    {
        QProcess played;
        const QString directory = directoryOf(played, {QStringLiteral("--play"), QStringLiteral("stray")});
        QVERIFY2(!directory.isEmpty(), played.readAllStandardError());
        QVERIFY(played.waitForFinished(90'000));
        QCOMPARE(played.exitStatus(), QProcess::CrashExit);
        const QByteArray said = played.readAllStandardError();
        QVERIFY2(said.contains("left running") && said.contains("sleep 3600"), said);
        QTRY_COMPARE_WITH_TIMEOUT(processesIn(directory).size(), 0, 90'000); // killed ones may be dying still
        QDir(directory).removeRecursively();
    }

    void aProcessThatEndsInTimeDoesNotFailItsTest()
    {
        QProcess played;
        const QString directory = directoryOf(played, {QStringLiteral("--play"), QStringLiteral("slow")});
        QVERIFY2(!directory.isEmpty(), played.readAllStandardError());
        QVERIFY(played.waitForFinished(90'000));
        QCOMPARE(played.exitStatus(), QProcess::NormalExit);
        QCOMPARE(played.exitCode(), 0);
    }
};

namespace {

int play(const QString &part)
{
    DroverProgram drover;
    std::unique_ptr<QProcess> worker;
    drover.setPatience(std::chrono::seconds(part == u"stray" ? 3 : 30));
    if (part == u"cluster") {
        const Finished up = drover.run(words("up --detach --workers 1"), 120'000);
        if (up.exitCode != 0)
            return 1;
        worker = drover.start(words("worker --queue other"));
        QByteArray seen;
        if (!waitForMessage(*worker, "queues other", seen))
            return 1;
    } else {
        QProcess stray;
        stray.setWorkingDirectory(drover.directory());
        stray.setProgram(QStringLiteral("sleep"));
        stray.setArguments({part == u"stray" ? QStringLiteral("3600") : QStringLiteral("2")});
        stray.startDetached();
    }
    std::puts(drover.directory().toUtf8().constData());
    std::fflush(stdout);
    if (part == u"cluster")
        ::pause();
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == u"--play")
        return play(arguments.value(2));
    DroverProgramTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "drover_program_test.moc"
