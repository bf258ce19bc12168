#include "app/launch/ssh_hosts.h"
#include "support/sanitized.h"
#include "support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <QTcpServer>
#include <QTest>

#include <csignal>

#include <unistd.h>

using namespace drover;
using namespace drover::test;

namespace {

constexpr int Hosts = 5;

} // namespace

// Five machines.
class LaunchTest : public QObject, SshHosts
{
    Q_OBJECT

    QByteArrayList linesOfRuns() const
    {
        QFile file(path(QStringLiteral("runs")));
        return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().split('\n') : QByteArrayList();
    }

private Q_SLOTS:
    void initTestCase() { startHosts(Hosts); }

    void init() { writeHosts(allHosts()); }

    void cleanup() { stopWorkers(); }

    void aHostThatFailsStopsNoOther()
    {
        writeHosts(hostTable(QStringLiteral("refuses")) + allHosts()
                   + hostTable(QStringLiteral("full"), "address = \"host-1\"\nmin_free = \"100T\"\n"));
        const Finished started = launch("start");
        QCOMPARE(started.exitCode, 1);
        const QMap<QString, QJsonObject> rows = rowsOf(started);
        QVERIFY2(rows[QStringLiteral("refuses")][u"trouble"].toString().contains(u"refused"), started.out);
        QVERIFY2(rows[QStringLiteral("full")][u"trouble"].toString().contains(u"min_free is"), started.out);
        QVERIFY2(pidsOf(started).size() == Hosts, started.out);
        QCOMPARE(members().size(), Hosts);
        for (int number = 1; number <= Hosts; ++number) {
            const Finished ran =
                m_drover.run(words(QStringLiteral("run --label %1 -- printenv DROVER_JOB_ID").arg(hostName(number))));
            QVERIFY2(ran.exitCode == 0, ran.err);
        }
    }

    void aSecondStartChangesNothing()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0 && pidsOf(first).size() == Hosts, first.out + first.err);
        const Finished second = launch("start");
        QCOMPARE(second.exitCode, 0);
        QCOMPARE(pidsOf(second), pidsOf(first));
        QCOMPARE(pidsOf(launch("status")), pidsOf(first));
    }

    void aWorkerWhoseFileIsWrongIsNotStarted()
    {
        writeHosts("spool_keep = \"for ever\"\n" + hostTable(hostName(1)));
        const Finished started = launch("start");
        QCOMPARE(started.exitCode, 1);
        const QString why = rowsOf(started)[hostName(1)][u"trouble"].toString();
        QVERIFY2(why.startsWith(u"worker.toml:") && why.contains(u"spool_keep"), qPrintable(why));
    }

    void aLauncherThatIsKilledIsRunAgain()
    {
        for (int number = 1; number <= Hosts; ++number)
            QDir(folderOf(hostName(number)) + QStringLiteral("/releases")).removeRecursively();
        const std::unique_ptr<QProcess> killed = m_drover.start(words("launch") << path(QStringLiteral("hosts.toml")));
        const auto begun = [this] {
            int hosts = 0;
            for (int number = 1; number <= Hosts; ++number) {
                const QDir releases(folderOf(hostName(number)) + QStringLiteral("/releases"));
                hosts += releases.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty() ? 0 : 1;
            }
            return hosts > 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(begun(), 60'000);
        killed->kill();
        QVERIFY(killed->waitForFinished());
        const Finished again = launch("start");
        QVERIFY2(again.exitCode == 0 && pidsOf(again).size() == Hosts, again.out + again.err);
        QCOMPARE(members().size(), Hosts);
        for (int number = 1; number <= Hosts; ++number) {
            const QDir releases(folderOf(hostName(number)) + QStringLiteral("/releases"));
            QCOMPARE(releases.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(), 1);
        }
    }

    // Its jobs end first.
    void aRestartGivesEachWorkerANewProcess()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0, first.out + first.err);
        const QByteArray job = m_drover.run(words("submit --label host-2 -- sleep 6")).out.trimmed();
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("show") << QString::fromUtf8(job)).out.contains("running"), 30'000);
        const Finished second = launch("restart");
        QVERIFY2(second.exitCode == 0 && pidsOf(second).size() == Hosts, second.out + second.err);
        for (int number = 1; number <= Hosts; ++number)
            QVERIFY(pidsOf(second)[hostName(number)] != pidsOf(first)[hostName(number)]);
        QCOMPARE(m_drover.run(words("wait") << QString::fromUtf8(job)).exitCode, 0);
        const QJsonObject ended = json(m_drover.run(words("show -o json") << QString::fromUtf8(job)));
        QCOMPARE(ended[u"attempt"].toInt(), 1);
    }

    // Other programs for all five, while each has jobs. The first launcher is killed when it drains the first worker.
    void anUpgradeUnderLoadCostsNoJobAnything()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0, first.out + first.err);
        const QString array = QString::fromUtf8(
            m_drover
                .run(words("submit --array 1-300 -- sh -c")
                     << QStringLiteral("echo begin $DROVER_JOB_ID $DROVER_ATTEMPT >>runs; sleep 0.3; echo end >>runs"))
                .out.trimmed());
        QTRY_VERIFY_WITH_TIMEOUT(!linesOfRuns().isEmpty(), 30'000);

        useOtherPrograms("bin-2");
        const std::unique_ptr<QProcess> killed =
            m_drover.start(words("launch") << path(QStringLiteral("hosts.toml")) << QStringLiteral("upgrade"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_cluster.children(m_cluster.layout.cordon("x").parent()).isEmpty(), 60'000);
        killed->kill();
        QVERIFY(killed->waitForFinished());
        const Finished upgraded = launch("upgrade");
        QVERIFY2(upgraded.exitCode == 0, upgraded.out + upgraded.err);

        const QMap<QString, QJsonObject> before = rowsOf(first);
        const QMap<QString, QJsonObject> after = rowsOf(launch("status"));
        for (int number = 1; number <= Hosts; ++number) {
            const QJsonObject row = after[hostName(number)];
            QCOMPARE(row[u"state"].toString(), QStringLiteral("running"));
            QVERIFY(row[u"drover_version"] != before[hostName(number)][u"drover_version"]);
        }
        QCOMPARE(m_cluster.children(m_cluster.layout.cordon("x").parent()), QByteArrayList());
        QCOMPARE(m_drover.run(words("wait") << array, LaunchLimitMs).exitCode, 0);
        const QByteArrayList lines = linesOfRuns();
        QCOMPARE(lines.count("end"), 300);
        QSet<QByteArray> begun;
        for (const QByteArray &line : lines) {
            if (line.startsWith("begin "))
                QVERIFY2(line.endsWith(" 1") && !begun.contains(line), line); // the first attempt, once
            begun.insert(line);
        }
        QCOMPARE(begun.size(), 301); // and "end"
        const QJsonArray tasks =
            json(m_drover.run(words("ls --all --tasks --rows 1000 -o json") << array))[u"jobs"].toArray();
        QCOMPARE(tasks.size(), 301); // and the array
        for (const QJsonValue &task : tasks) {
            if (task[u"id"].toString() == array)
                continue;
            QVERIFY2(task[u"attempt"].toInt() == 1 && task[u"state"].toString() == u"succeeded",
                     QJsonDocument(task.toObject()).toJson());
        }
    }

    void anUpgradeThatIsInterruptedLeavesNoCordon()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0, first.out + first.err);
        const QByteArray job = m_drover.run(words("submit --label host-1 -- sleep 600")).out.trimmed();
        const QStringList show = words("show -o json") << QString::fromUtf8(job);
        QTRY_COMPARE_WITH_TIMEOUT(json(m_drover.run(show))[u"state"].toString(), QStringLiteral("running"), 30'000);
        useOtherPrograms("bin-5");
        const std::unique_ptr<QProcess> upgrading =
            m_drover.start(words("launch") << path(QStringLiteral("hosts.toml")) << QStringLiteral("upgrade"));
        const zk::Path cordons = m_cluster.layout.cordon("x").parent();
        QTRY_VERIFY_WITH_TIMEOUT(!m_cluster.children(cordons).isEmpty(), 60'000);
        sendSignal(*upgrading, SIGINT);
        QVERIFY(upgrading->waitForFinished(60'000));
        QCOMPARE(upgrading->exitCode(), 130);
        QCOMPARE(m_cluster.children(cordons), QByteArrayList());
        QCOMPARE(pidsOf(launch("status")), pidsOf(first));
        QCOMPARE(m_drover.run(words("cancel") << QString::fromUtf8(job)).exitCode, 0);
    }

    // The programs of host-1 are not those of this machine: they are an hour ahead.
    void aWrongClockOfAHostIsReported()
    {
        if (Sanitized)
            QSKIP("the sanitizer's runtime has to be loaded first, and so has libfaketime");
        const QByteArray real = qgetenv("DROVER_BIN_DIR");
        QDir().mkpath(path(QStringLiteral("ahead")));
        write(QStringLiteral("ahead/drover"),
              "#!/bin/sh\nexport LD_PRELOAD=$(echo /usr/lib/*/faketime/libfaketimeMT.so.1) FAKETIME=+1h "
              "DONT_FAKE_MONOTONIC=1\nexec "
                  + real + "/drover \"$@\"\n");
        QVERIFY(QFile(path(QStringLiteral("ahead/drover")))
                    .setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        writeHosts(hostTable(hostName(1), "programs = \"installed\"\n") + hostTable(hostName(2)));
        const Finished started = launch("start");
        QVERIFY2(started.exitCode == 0, started.out + started.err);
        const QMap<QString, QJsonObject> rows = rowsOf(started);
        QVERIFY2(rows[hostName(1)][u"drover_version"].toString().startsWith(u"installed-"), started.out);
        QVERIFY2(rows[hostName(1)][u"trouble"].toString().startsWith(u"its clock is "), started.out);
        QVERIFY2(!rows[hostName(2)].contains(u"trouble"), started.out);
    }

    void noWorkerIsStoppedWhoseFileIsWrong()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0, first.out + first.err);
        useOtherPrograms("bin-3");
        writeHosts("spool_keep = \"for ever\"\n" + allHosts());
        for (const char *const verb : {"restart", "upgrade"}) {
            const Finished refused = launch(verb);
            QCOMPARE(refused.exitCode, 1);
            QVERIFY2(rowsOf(refused)[hostName(2)][u"trouble"].toString().contains(u"spool_keep"), refused.out);
            QCOMPARE(pidsOf(launch("status")), pidsOf(first));
        }
        QCOMPARE(m_cluster.children(m_cluster.layout.cordon("x").parent()), QByteArrayList());
    }

    // One that reaches no ZooKeeper keeps its worker.
    void anUpgradeEndsWhereAWorkerDoesNotComeBack()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0, first.out + first.err);
        const QByteArray one = hostTable(hostName(1));
        writeHosts(one + "connect = \"127.0.0.1:1\"\n");
        const Finished unreached = launch("restart");
        QVERIFY2(unreached.out.contains("ZooKeeper does not serve this machine: no majority serves"), unreached.out);

        QTcpServer other; // has the port already
        QVERIFY(other.listen(QHostAddress::LocalHost));
        const QByteArray listen = "worker = { listen = \"127.0.0.1:" + QByteArray::number(other.serverPort()) + "\", ";
        writeHosts(allHosts().replace(one, QByteArray(one).replace("worker = { ", listen)));
        QCOMPARE(pidsOf(launch("status")), pidsOf(first));
        useOtherPrograms("bin-4");
        for (int i = 0; i < 2; ++i) { // again, when the first host has no worker
            const Finished upgraded = launch("upgrade --start-timeout 1s");
            QCOMPARE(upgraded.exitCode, 1);
            QVERIFY2(rowsOf(upgraded)[hostName(2)][u"trouble"].toString().contains(u"host-1 does not start"),
                     upgraded.out);
        }
        QMap<QString, qint64> others = pidsOf(first);
        others.remove(hostName(1));
        QCOMPARE(pidsOf(launch("status")), others);
    }
};

QTEST_GUILESS_MAIN(LaunchTest)
#include "launch_test.moc"
