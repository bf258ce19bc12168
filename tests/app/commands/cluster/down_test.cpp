#include "app/support/drover_program.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <sys/file.h>

using namespace drover::test;

// `drover down` while another `drover up` begins.
class DownTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Its first process has just looked, and makes way for the one that it starts.
    void downStopsAnUpThatHasJustBegun()
    {
        const DroverProgram drover;
        const QString lock =
            drover.environment().value(QStringLiteral("XDG_RUNTIME_DIR")) + QStringLiteral("/drover/up.lock");
        for (int attempt = 0; attempt < 3; ++attempt) {
            const std::unique_ptr<QProcess> up = drover.start(words("up --detach --workers 1"));
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(lock), 60'000);
            const Finished down = drover.run(words("down"));
            QVERIFY2(down.exitCode == 0, down.err);
            const Finished begun = DroverProgram::finish(*up);
            const bool wasStopped = down.out == "stopped\n";
            QVERIFY2(!wasStopped || drover.run(words("down")).err.contains("not running"), begun.err);
            QCOMPARE(drover.run(words("down")).exitCode, 0); // whatever it met, nothing is left for the next
            QVERIFY(QFile::remove(lock));
        }
    }

    // The lock is held, and the pid in its file is of a holder that has ended: the present one has written none yet.
    void downNeverSignalsAnEarlierHolderOfTheLock()
    {
        const DroverProgram drover;
        const QString folder =
            drover.environment().value(QStringLiteral("XDG_RUNTIME_DIR")) + QStringLiteral("/drover");
        QVERIFY(QDir().mkpath(folder));
        QProcess ended;
        ended.start(QStringLiteral("true"), QStringList());
        QVERIFY(ended.waitForStarted());
        const qint64 pid = ended.processId();
        QVERIFY(ended.waitForFinished());
        QFile lock(folder + QStringLiteral("/up.lock"));
        QVERIFY(lock.open(QIODevice::ReadWrite) && lock.write(QByteArray::number(pid) + '\n') > 0 && lock.flush());
        QCOMPARE(::flock(lock.handle(), LOCK_EX | LOCK_NB), 0);
        const Finished down = drover.run(words("down"));
        QCOMPARE(down.exitCode, 0);
        QVERIFY2(down.err.contains("not running"), down.err);
    }

    void theLockFileIsEmptyAfterDown()
    {
        const DroverProgram drover;
        QCOMPARE(drover.run(words("up --detach --workers 1")).exitCode, 0);
        QCOMPARE(drover.run(words("down")).exitCode, 0);
        QFile lock(drover.environment().value(QStringLiteral("XDG_RUNTIME_DIR")) + QStringLiteral("/drover/up.lock"));
        QVERIFY(lock.open(QIODevice::ReadOnly));
        QCOMPARE(lock.readAll(), QByteArray());
    }
};

QTEST_GUILESS_MAIN(DownTest)
#include "down_test.moc"
