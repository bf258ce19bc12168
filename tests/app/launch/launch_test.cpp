#include "app/support/drover_on_server.h"
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
constexpr int LimitMs = 240'000; // sshd, copies and workers on a busy machine

} // namespace

// Five machines: each is a real sshd on a port of its own on loopback, with its own host key and its own folder.
class LaunchTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::vector<std::unique_ptr<QProcess>> m_servers;
    QByteArray m_sshConfig;

    QString path(const QString &name) const { return m_drover.directory() + u'/' + name; }
    QString folderOf(const QString &host) const { return path(host); }
    static QString hostName(int number) { return QStringLiteral("host-%1").arg(number); }

    void write(const QString &name, const QByteArray &text) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }

    void makeKey(const QString &name) const
    {
        const Finished made = m_drover.shell("ssh-keygen -q -t ed25519 -N '' -f " + name.toUtf8());
        QVERIFY2(made.exitCode == 0, made.err);
    }

    static quint16 freePort()
    {
        QTcpServer probe;
        probe.listen(QHostAddress::LocalHost);
        return probe.serverPort();
    }

    void addToSshConfig(const QString &host, quint16 port)
    {
        m_sshConfig += "Host " + host.toUtf8() + "\n  HostName 127.0.0.1\n  Port " + QByteArray::number(port)
            + "\n  IdentityFile " + path(QStringLiteral("id")).toUtf8()
            + "\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile "
            + path(QStringLiteral("known")).toUtf8() + '\n';
    }

    void startServer(int number)
    {
        const QString key = QStringLiteral("key-%1").arg(number);
        makeKey(key);
        const quint16 port = freePort();
        write(QStringLiteral("sshd-%1").arg(number),
              "ListenAddress 127.0.0.1:" + QByteArray::number(port) + "\nHostKey " + path(key).toUtf8()
                  + "\nPidFile none\nSetEnv PATH=" + path(QStringLiteral("ahead")).toUtf8()
                  + ":/usr/bin:/bin\nAuthorizedKeysFile " + path(QStringLiteral("id.pub")).toUtf8()
                  + "\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n"
                    "KbdInteractiveAuthentication no\nLogLevel ERROR\n");
        auto server = std::make_unique<QProcess>();
        server->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        server->start(QStringLiteral("/usr/sbin/sshd"),
                      {QStringLiteral("-D"), QStringLiteral("-e"), QStringLiteral("-f"),
                       path(QStringLiteral("sshd-%1").arg(number))});
        QVERIFY2(server->waitForStarted(), "install openssh-server");
        m_servers.push_back(std::move(server));
        addToSshConfig(hostName(number), port);
        const QByteArray ask = "ssh -F ssh_config -o BatchMode=yes " + hostName(number).toUtf8() + " true";
        write(QStringLiteral("ssh_config"), m_sshConfig);
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.shell(ask).exitCode == 0, 30'000);
    }

    // The programs as they are installed: without the information for debuggers.
    void stripPrograms(const QString &folder) const
    {
        QDir().mkpath(path(folder));
        const QByteArray to = path(folder).toUtf8();
        const Finished stripped = m_drover.shell("for one in drover drover-runner; do strip -o " + to
                                                 + "/$one $DROVER_BIN_DIR/$one || exit; done");
        QVERIFY2(stripped.exitCode == 0, stripped.err);
    }

    QByteArray hostTable(const QString &name, const QByteArray &more = {}) const
    {
        return "[[host]]\nname = \"" + name.toUtf8() + "\"\nprefix = \"" + folderOf(name).toUtf8()
            + "\"\nworker = { labels = [\"" + name.toUtf8() + "\"] }\n" + more;
    }

    QByteArray common() const
    {
        return "ssh_config = \"ssh_config\"\nmin_free = \"1M\"\ncredentials = \""
            + path(QStringLiteral("xdg_config_home/drover/credentials/default")).toUtf8()
            + "\"\n[worker]\nslots = 2\nlisten = \"none\"\ngrace = \"1m\"\nallow_root = "
            + (::geteuid() == 0 ? "true" : "false") + "\n";
    }

    QByteArray fiveHosts() const
    {
        QByteArray tables;
        for (int number = 1; number <= Hosts; ++number)
            tables += hostTable(hostName(number));
        return tables;
    }

    void writeHosts(const QByteArray &rest) const { write(QStringLiteral("hosts.toml"), common() + rest); }

    // By the host's name.
    QMap<QString, QJsonObject> rowsOf(const Finished &finished) const
    {
        QMap<QString, QJsonObject> rows;
        for (const QJsonValue &row : json(finished)[u"hosts"].toArray())
            rows[row[u"host"].toString()] = row.toObject();
        return rows;
    }

    Finished launch(const char *verb) const
    {
        return m_drover.run(words("launch") << path(QStringLiteral("hosts.toml"))
                                            << words(QLatin1String(verb) + QStringLiteral(" --output json")),
                            LimitMs);
    }

    // Later commands are of a program with other bytes.
    void useOtherPrograms(const QByteArray &folder) const
    {
        const Finished copied = m_drover.shell("cp -r bin " + folder + "; echo " + folder + " >>" + folder + "/drover");
        QVERIFY2(copied.exitCode == 0, copied.err);
        qputenv("DROVER_BIN_DIR", path(QString::fromLatin1(folder)).toUtf8());
    }

    // Of the five: each has joined. By the host's name.
    QMap<QString, qint64> pidsOf(const Finished &finished) const
    {
        QMap<QString, qint64> pids;
        const QMap<QString, QJsonObject> rows = rowsOf(finished);
        for (auto row = rows.begin(); row != rows.end(); ++row) {
            if (row.value()[u"state"].toString() == u"running")
                pids[row.key()] = row.value()[u"pid"].toInteger();
        }
        return pids;
    }

    QByteArrayList linesOfRuns() const
    {
        QFile file(path(QStringLiteral("runs")));
        return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().split('\n') : QByteArrayList();
    }

    QByteArrayList members() { return m_cluster.children(m_cluster.layout.members()); }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        m_cluster.drover.setVariable("DROVER_CONNECT", m_cluster.server.connectString());
        if (::geteuid() == 0)
            QDir().mkpath(QStringLiteral("/run/sshd")); // where sshd of root has its processes without rights
        stripPrograms(QStringLiteral("bin"));
        qputenv("DROVER_BIN_DIR", path(QStringLiteral("bin")).toUtf8());
        makeKey(QStringLiteral("id"));
        for (int number = 1; number <= Hosts; ++number)
            startServer(number);
        addToSshConfig(QStringLiteral("refuses"), freePort());
        write(QStringLiteral("ssh_config"), m_sshConfig);
    }

    void init() { writeHosts(fiveHosts()); }

    void cleanup()
    {
        writeHosts(fiveHosts());
        const Finished stopped = launch("stop");
        QVERIFY2(stopped.exitCode == 0, stopped.out + stopped.err);
        QTRY_COMPARE_WITH_TIMEOUT(members().size(), 0, 30'000);
    }

    void cleanupTestCase()
    {
        for (const std::unique_ptr<QProcess> &server : m_servers) {
            server->terminate();
            server->waitForFinished();
        }
    }

    void aHostThatFailsStopsNoOther()
    {
        writeHosts(hostTable(QStringLiteral("refuses")) + fiveHosts()
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
        QCOMPARE(m_drover.run(words("wait") << array, LimitMs).exitCode, 0);
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
        writeHosts("spool_keep = \"for ever\"\n" + fiveHosts());
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
        writeHosts(fiveHosts().replace(one, QByteArray(one).replace("worker = { ", listen)));
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
