#include "app/support/drover_on_server.h"
#include "support/sanitized.h"
#include "support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// A master that had better wait: its history is away, or its clock is wrong. The real program.
class HeldBackTest : public QObject
{
    Q_OBJECT

    // Open: a worker with a wrong clock leaves signed jobs to others.
    DroverOnServer m_cluster{DroverOnServer::Access::Open};

    Finished drover(const char *arguments) const { return m_cluster.drover.run(words(arguments)); }
    QByteArray submit(const char *options = "") const
    {
        QStringList command = words("submit");
        for (const QString &option : words(options))
            command += option.isEmpty() ? QStringList() : QStringList(option);
        return m_cluster.drover.run(command << QStringLiteral("--") << QStringLiteral("true")).out.trimmed();
    }
    QByteArray stateOf(const QByteArray &id) const
    {
        return json(m_cluster.drover.run(words("show -o json") << QString::fromUtf8(id)))
            .value(QStringLiteral("state"))
            .toString()
            .toUtf8();
    }
    // The clock of the programs from now on.
    static void setClock(DroverProgram &drover, const char *ahead)
    {
        QString library = QStringLiteral("/usr/lib/%1-linux-gnu/faketime/libfaketimeMT.so.1");
        library = library.arg(QSysInfo::currentCpuArchitecture() == u"arm64" ? QStringLiteral("aarch64")
                                                                             : QStringLiteral("x86_64"));
        if (!QFile::exists(library))
            qFatal("install the package faketime");
        drover.setVariable("LD_PRELOAD", library);
        drover.setVariable("FAKETIME", QLatin1String(ahead));
        drover.setVariable("DONT_FAKE_MONOTONIC", QStringLiteral("1"));
    }
    static void resetClock(DroverProgram &drover)
    {
        for (const char *const name : {"LD_PRELOAD", "FAKETIME", "DONT_FAKE_MONOTONIC"})
            drover.setVariable(name, {});
    }
    // A worker whose clock is a month fast.
    static std::unique_ptr<QProcess> startAMonthFast(DroverProgram &drover)
    {
        setClock(drover, "+30d");
        std::unique_ptr<QProcess> fast = drover.start(words("worker --id fast"));
        resetClock(drover);
        return fast;
    }
    static void stop(QProcess &worker)
    {
        sendSignal(worker, SIGTERM);
        QCOMPARE(DroverProgram::finish(worker).exitCode, 0);
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }

    // They were deleted, and jobs went on.
    void noJobIsClaimedWhileRecordsWaitForAHistoryThatIsAway()
    {
        QCOMPARE(drover("cluster limits --done-limit 3").exitCode, 0);
        const QString missing = m_cluster.drover.directory() + QStringLiteral("/away");
        const QString history = missing + QStringLiteral("/h.sqlite");
        const std::unique_ptr<QProcess> worker = m_cluster.drover.start(words("worker --slots 1 --history") << history);
        QByteArrayList ids;
        for (int i = 0; i < 3; ++i) {
            ids.append(submit());
            const Finished waited = m_cluster.drover.run(words("wait") << QString::fromUtf8(ids.back()));
            QVERIFY2(waited.exitCode == 0, waited.err);
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.throttle()).contains("claims"), true, 30'000);
        const QByteArray held = submit();
        const QString id = QString::fromUtf8(held);
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.drover.run(words("why") << id).out.contains("no worker claims jobs since"),
                                 30'000);
        QVERIFY(drover("doctor").out.contains("no job is claimed since"));
        QVERIFY(drover("worker ls").err.contains("no worker claims jobs: 3 finished jobs wait for the history"));
        QVERIFY(drover("top").out.contains("no job is claimed: 3 finished jobs wait"));
        QVERIFY(drover("history keep").out.contains("no job is claimed once 3 final records wait for it"));
        QCOMPARE(stateOf(held), QByteArray("ready"));
        QCOMPARE(m_cluster.children(m_cluster.layout.done()).size(), 3);

        QVERIFY(QDir().mkpath(missing)); // it is back
        QCOMPARE(m_cluster.drover.run(words("wait") << id).exitCode, 0);
        const QByteArray all = m_cluster.drover.run(words("history --history") << history).out;
        for (const QByteArray &early : ids)
            QVERIFY2(all.contains(early), all);
        stop(*worker);
        QCOMPARE(drover("cluster limits --done-limit 20000").exitCode, 0);
    }

    // Its day is long over by this clock.
    void aMasterWhoseClockIsAMonthFastBeginsNothingByIt()
    {
        if (Sanitized)
            QSKIP("the sanitizer's runtime has to be loaded first, and so has libfaketime");
        const QByteArray later = submit("--delay 2s");
        const QByteArray at = submit("--delay 1h");
        const std::unique_ptr<QProcess> fast = startAMonthFast(m_cluster.drover);
        QTRY_VERIFY_WITH_TIMEOUT(drover("doctor").out.contains("ahead of ZooKeeper's: schedules"), 30'000);
        QCOMPARE(stateOf(at), QByteArray("waiting"));
        QCOMPARE(stateOf(later), QByteArray("waiting")); // it cannot tell
        const QByteArray again = m_cluster.drover.run(words("submit --retries 1 -- false")).out.trimmed();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(again), QByteArray("waiting"), 30'000);

        const std::unique_ptr<QProcess> right = m_cluster.drover.start(words("worker --id right"));
        const Finished waited = m_cluster.drover.run(words("wait") << QString::fromUtf8(later), 120'000);
        QVERIFY2(waited.exitCode == 0, waited.err);
        QVERIFY(drover("master show").out.contains("right"));
        // Its worker said by that clock when it was to be tried again.
        QCOMPARE(m_cluster.drover.run(words("wait") << QString::fromUtf8(again), 120'000).exitCode, 1);
        QCOMPARE(stateOf(at), QByteArray("waiting"));
        stop(*fast);
        stop(*right);
    }

    // By its clock the signatures are older than they may be.
    void aWorkerWhoseClockIsAMonthFastRefusesNoSignedJob()
    {
        if (Sanitized)
            QSKIP("the sanitizer's runtime has to be loaded first, and so has libfaketime");
        DroverOnServer closed;
        closed.start({QByteArrayLiteral("default")});
        const std::unique_ptr<QProcess> fast = startAMonthFast(closed.drover);
        const QString id = QString::fromUtf8(closed.drover.run(words("submit -- true")).out.trimmed());
        QTRY_VERIFY_WITH_TIMEOUT(
            closed.drover.run(words("doctor")).out.contains("so it cannot tell which signed jobs it may run"), 30'000);
        QCOMPARE(json(closed.drover.run(words("show -o json") << id)).value(QStringLiteral("state")).toString(),
                 QStringLiteral("ready"));
        const std::unique_ptr<QProcess> right = closed.drover.start(words("worker --id right"));
        const Finished waited = closed.drover.run(words("wait") << id, 30'000);
        QVERIFY2(waited.exitCode == 0, waited.err);
        stop(*fast);
        stop(*right);
    }

    // It printed an id, and workers refused the job as signed in the future.
    void aJobIsNotSignedInTheFuture()
    {
        if (Sanitized)
            QSKIP("the sanitizer's runtime has to be loaded first, and so has libfaketime");
        DroverOnServer closed;
        closed.start({QByteArrayLiteral("default"), QByteArrayLiteral("other")});
        for (const char *const line :
             {"submit --hold -- true", "submit --hold -- true", "cancel default-0", "cron add yearly @yearly -- true"})
            QCOMPARE(closed.drover.run(words(line)).exitCode, 0);
        for (const char *const line :
             {"submit --hold -- true", "run -- true", "resubmit default-0", "move default-1 other",
              "cron add monthly @monthly -- true", "cron run yearly"}) {
            setClock(closed.drover, "+10m");
            const Finished refused = closed.drover.run(words(line));
            resetClock(closed.drover);
            QVERIFY2(refused.exitCode == 4, line + (": " + refused.out + refused.err));
            QVERIFY2(refused.complainsOnce() && refused.err.contains("ahead of ZooKeeper's"), refused.err);
        }
        QCOMPARE(closed.children(closed.layout.queue("other")).size(), 0);
        QCOMPARE(closed.children(closed.layout.schedules()).size(), 1);
        setClock(closed.drover, "+2m"); // workers take it
        const Finished submitted = closed.drover.run(words("submit --hold -- true"));
        resetClock(closed.drover);
        QVERIFY2(submitted.exitCode == 0, submitted.err);
        QCOMPARE(closed.children(closed.layout.queue("default")).size(), 2);
    }
};

QTEST_GUILESS_MAIN(HeldBackTest)
#include "held_back_test.moc"
