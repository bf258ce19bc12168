#include "app/support/drover_program.h"
#include "interop/contention_run.h"
#include "interop/interop_fixture.h"
#include "recipes/locks/mutex.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// Curator, kazoo and the real program with the connect string host:port/team/app, beside a session of ours that sees
// the whole tree.
class ChrootInteropTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLockExcludesThoseOfTheSameChroot()
    {
        const QString chroot = QStringLiteral("/team/app");
        InteropFixture fixture(chroot);
        DroverProgram drover;
        drover.setVariable("DROVER_CONNECT", fixture.server.connectString() + chroot);
        const zk::Path whole("/team/app/mutex");
        Mutex mutex(fixture.ours(1), whole);
        const QString command = QStringLiteral("lock --path /mutex");
        ContentionRun run(zk::Path("/mutex"));
        QProcess &gate = run.join(drover.environment(), command, "drover-gate", "lock", 1, "echo held; cat; ");
        QByteArray seen;
        QVERIFY(waitForOutput(gate, "held", seen)); // drover has made the chroot, which Curator would not
        run.join(fixture.curator(), "a", "lock");
        run.join(fixture.kazoo(), "a", "lock");
        run.join(mutex, fixture.ours(1), "a", "lock");
        run.join(drover.environment(), command, "drover-b", "lock", 3, "sleep 0.02; ");
        QVERIFY(fixture.hasChildren(whole, 1 + 4));
        gate.closeWriteChannel();
        run.finish();
        QCOMPARE(run.verdict(), QString());
    }
};

QTEST_GUILESS_MAIN(ChrootInteropTest)
#include "chroot_test.moc"
