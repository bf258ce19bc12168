#include "app/support/drover_program.h"

#include <QFile>
#include <QTest>

using namespace drover::test;

// `drover down` while another `drover up` begins.
class DownTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Each `down` falls on another moment of the start: the first process looks, and makes way for the one it starts.
    void downStopsAnUpThatHasJustBegun()
    {
        const DroverProgram drover;
        const QString lock =
            drover.environment().value(QStringLiteral("XDG_RUNTIME_DIR")) + QStringLiteral("/drover/up.lock");
        for (int delay = 0; delay <= 60; delay += 20) {
            const std::unique_ptr<QProcess> up = drover.start(words("up --detach --workers 1"));
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(lock), 60'000);
            QTest::qWait(delay);
            const Finished down = drover.run(words("down"));
            QVERIFY2(down.exitCode == 0, down.err);
            const Finished begun = DroverProgram::finish(*up);
            const bool wasStopped = down.out == "stopped\n";
            QVERIFY2(!wasStopped || drover.run(words("down")).err.contains("not running"), begun.err);
            QCOMPARE(drover.run(words("down")).exitCode, 0); // whatever it met, nothing is left for the next
            QVERIFY(QFile::remove(lock));
        }
    }

    // The pid in the lock's file is of a process that lives and is another: the holder has not written its own yet.
    void downNeverSignalsWhoHeldTheLockBefore()
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
