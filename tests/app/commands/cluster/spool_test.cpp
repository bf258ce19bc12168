#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTest>

#include <csignal>

#include <sched.h>
#include <sys/mount.h>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

// How a worker keeps its spool small, as a user sees it.
class SpoolTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    QString spool() const { return m_drover.directory() + QStringLiteral("/output"); }
    QString outputOf(const QString &id) const { return QStringLiteral("%1/%2.1.out").arg(spool(), id); }

    void startWorker(const char *limits)
    {
        m_worker = m_drover.start(words("worker --id w-1") + words(limits) << QStringLiteral("--spool") << spool());
        QByteArray seen;
        QVERIFY2(waitForMessage(*m_worker, "queues", seen), seen);
    }
    void stopWorker()
    {
        sendSignal(*m_worker, SIGTERM);
        QCOMPARE(DroverProgram::finish(*m_worker).exitCode, 0);
        m_worker.reset();
    }

    void makeOld(const QString &id, std::chrono::seconds age)
    {
        QFile file(outputOf(id));
        QVERIFY(file.open(QIODevice::ReadWrite));
        const QDateTime then = QDateTime::currentDateTime().addSecs(-age.count());
        QVERIFY(file.setFileTime(then, QFile::FileModificationTime));
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }
    void cleanup()
    {
        if (m_worker)
            stopWorker();
    }

    // It would claim jobs and give them back for ever.
    void aWorkerWithoutADroverRunnerDoesNotStart()
    {
        const QString alone = m_drover.directory() + QStringLiteral("/drover");
        QVERIFY(QFile::copy(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"), alone));
        const Finished refused = m_drover.shell("DROVER_BIN_DIR= ./drover worker --allow-root");
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("install drover-runner beside drover"), refused.err);
        QVERIFY(m_cluster.children(m_cluster.layout.members()).isEmpty());
        QVERIFY(QFile::remove(alone));
    }

    void aSpoolThatCannotBeMadeIsReportedWithTheOption()
    {
        const Finished refused = m_drover.shell("drover worker --allow-root --spool /proc/spool");
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("a worker's with --spool"), refused.err);
    }

    void removedOutputIsReportedInALine()
    {
        startWorker("--spool-keep 1h");
        QCOMPARE(m_drover.run(words("run -- seq 1 5000")).exitCode, 0);
        stopWorker();
        makeOld(QStringLiteral("default-0"), 24h);

        startWorker("--spool-keep 1h");
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(outputOf(QStringLiteral("default-0"))), 60'000);
        const Finished logs = m_drover.run(words("logs default-0"));
        QCOMPARE(logs.exitCode, 0);
        QVERIFY2(logs.complainsOnce() && logs.err.contains("it was removed (worker --spool-keep"), logs.err);
        QVERIFY(logs.out.size() == 4096 && logs.out.endsWith("\n5000\n")); // of the record
    }

    // Of two outputs of 24 KB the older one goes.
    void theOldestGoesWhereThereIsTooMuch()
    {
        startWorker("--spool-size 1G");
        QString ids[2];
        for (int i = 0; i < 2; ++i) {
            const Finished submitted = m_drover.run(words("submit -- seq 1 5000"));
            ids[i] = QString::fromUtf8(submitted.out.trimmed());
            QCOMPARE(m_drover.run(words("wait") << ids[i]).exitCode, 0);
        }
        stopWorker();
        makeOld(ids[0], 5min);
        makeOld(ids[1], 4min);

        startWorker("--spool-size 30K");
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(outputOf(ids[0])), 60'000);
        QVERIFY(QFile::exists(outputOf(ids[1])));
        QCOMPARE(m_drover.run(words("logs") << ids[1]).out.size(), 23'893);
    }

    // What jobs write there would be lost, although they succeed.
    void aNearlyFullDiskStopsClaimsUntilThereIsRoom()
    {
        const QByteArray folder = QFile::encodeName(spool());
        QVERIFY(QDir().mkpath(spool()));
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
            || ::mount("none", folder.constData(), "tmpfs", 0, "size=16m") != 0)
            QSKIP("only root mounts a small spool");
        const auto unmount = qScopeGuard([&] { ::umount2(folder.constData(), MNT_DETACH); });
        startWorker("--slots 1 --spool-reserve 8M");
        QCOMPARE(m_drover.run(words("run -- echo before")).exitCode, 0);

        QFile filler(spool() + QStringLiteral("/filler"));
        QVERIFY(filler.open(QIODevice::WriteOnly));
        QCOMPARE(filler.write(QByteArray(12 << 20, 'x')), qint64(12) << 20);
        filler.close();
        QByteArray seen;
        QVERIFY2(waitForMessage(*m_worker, "it goes on once 10 MiB is free", seen), seen);
        const QString id = QString::fromUtf8(m_drover.run(words("submit -- echo after")).out.trimmed());
        const auto reasonIn = [&](const char *command) {
            return m_drover.run(words(command)).out.contains("--spool-reserve is 8 MiB");
        };
        QTRY_VERIFY_WITH_TIMEOUT(reasonIn("worker show w-1"), 60'000);
        QVERIFY(reasonIn("doctor"));
        QVERIFY(m_drover.run(words("doctor")).out.contains("it goes on by itself within a minute"));
        QVERIFY(reasonIn(qPrintable(u"why "_qs + id)));
        QVERIFY(m_drover.run(words("worker ls")).out.contains("troubled"));
        const Finished shown = m_drover.run({u"show"_qs, id, u"-o"_qs, u"json"_qs});
        QCOMPARE(json(shown).value(u"state").toString(), u"ready"_qs);

        QVERIFY(filler.remove());
        QCOMPARE(m_drover.run({u"wait"_qs, id}).exitCode, 0);
        QCOMPARE(m_drover.run({u"logs"_qs, id}).out, "after\n");
        QVERIFY2(waitForMessage(*m_worker, "claims jobs again", seen) && seen.count("claims") == 2, seen);
        stopWorker();
    }

    void outputOnThisMachineIsReadWithoutZooKeeper()
    {
        startWorker("--slots 1");
        const Finished elsewhere = m_drover.run(words("submit --wait -- echo elsewhere"));
        const QString inOutput = QString::fromUtf8(elsewhere.out.trimmed());
        stopWorker();
        m_worker = m_drover.start(words("worker --id w-1"));
        QByteArray seen;
        QVERIFY2(waitForMessage(*m_worker, "queues", seen), seen);
        const Finished submitted = m_drover.run(words("submit --wait -- echo here"));
        const QString id = QString::fromUtf8(submitted.out.trimmed());
        stopWorker();
        m_cluster.server.stop();

        const Finished here = m_drover.run(words("logs --connect-timeout 1s") << id);
        QVERIFY2(here.exitCode == 0, here.err);
        QCOMPARE(here.out, "here\n");
        QVERIFY2(here.err.contains("no ZooKeeper answers")
                     && here.err.contains("/spool/default/" + id.toUtf8() + ".1.out"),
                 here.err);
        const Finished unknown = m_drover.run(words("logs --connect-timeout 1s") << inOutput);
        QCOMPARE(unknown.exitCode, 6);
        QVERIFY2(unknown.complainsOnce() && unknown.err.contains("drover logs --spool DIR " + inOutput.toUtf8()),
                 unknown.err);
        const Finished named = m_drover.run(words("logs --spool") << spool() << inOutput);
        QVERIFY2(named.exitCode == 0, named.err);
        QCOMPARE(named.out, "elsewhere\n");
        const Finished none = m_drover.run(words("logs --spool") << spool() << id);
        QCOMPARE(none.exitCode, 3);
        QVERIFY2(none.complainsOnce(), none.err);
        m_cluster.server.restart();
    }
};

QTEST_GUILESS_MAIN(SpoolTest)
#include "spool_test.moc"
