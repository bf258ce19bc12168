#include "app/support/drover_program.h"
#include "zk/server/free_port.h"
#include "zk/server/java_installation.h"
#include "zk/server/server_process.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QRandomGenerator>
#include <QTest>

using namespace drover;
using namespace drover::test;

// drover cluster prepare: real servers start from what it writes, and drover cluster check finds nothing to change.
class ClusterPrepareTest : public QObject
{
    Q_OBJECT

    using Servers = std::vector<std::unique_ptr<zk::ServerProcess>>;

    // Loopback addresses of this run: the ports between the servers are always the same.
    const QString m_network = QStringLiteral("127.%1.%2.")
                                  .arg(QRandomGenerator::global()->bounded(1, 255))
                                  .arg(QRandomGenerator::global()->bounded(0, 255));

    static QByteArray read(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void write(const QString &path, const QByteArray &text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

    QStringList addresses(int count) const
    {
        const QList<quint16> ports = zk::freePorts(count);
        QStringList all;
        for (int i = 0; i < count; ++i)
            all.append(QStringLiteral("%1%2:%3").arg(m_network).arg(i + 1).arg(ports[i]));
        return all;
    }

    // As an operator would copy and start them, but for the data: a test is in /tmp, which no server's data should be.
    Servers start(const DroverProgram &drover, const QStringList &addresses) const
    {
        const zk::JavaInstallation installation;
        Servers servers;
        for (const QString &address : addresses) {
            const QString folder = drover.directory() + u'/' + address.section(u':', 0, 0);
            const QString data = folder + QStringLiteral("/data");
            QDir().mkpath(data);
            for (const QString &name : {QStringLiteral("myid"), QStringLiteral("initialize")})
                QFile::copy(folder + u'/' + name, data + u'/' + name);
            QByteArray config = read(folder + QStringLiteral("/zoo.cfg"));
            const QByteArray usual = "dataDir=/var/lib/zookeeper\n";
            if (!config.contains(usual))
                qFatal("%s", config.constData());
            const QString used = folder + QStringLiteral("/used.cfg");
            write(used, config.replace(usual, "dataDir=" + QFile::encodeName(data) + '\n'));
            servers.push_back(std::make_unique<zk::ServerProcess>());
            const QString trouble = servers.back()->start(
                installation.java(),
                {QStringLiteral("-Xmx256m"), QStringLiteral("-XX:TieredStopAtLevel=1"), QStringLiteral("-cp"),
                 installation.classPath(), QStringLiteral("org.apache.zookeeper.server.quorum.QuorumPeerMain"), used},
                folder + QStringLiteral("/server.log"), zk::Lifetime::WithStarter);
            if (!trouble.isEmpty())
                qFatal("%s", qPrintable(trouble));
        }
        return servers;
    }

private Q_SLOTS:
    void threeServersStartAndNothingIsToChange()
    {
        DroverProgram drover;
        const QStringList three = addresses(3);
        const Finished prepared = drover.run(words("cluster prepare") + three);
        QVERIFY2(prepared.exitCode == 0 && prepared.err.isEmpty(), prepared.out + prepared.err);
        const QString connect = three.join(u',');
        QVERIFY2(prepared.out.startsWith(m_network.toUtf8() + "1, "), prepared.out);
        QVERIFY2(prepared.out.contains("drover cluster init --connect " + connect.toUtf8() + '\n'), prepared.out);

        QStringList files = words("cluster check");
        for (const QString &each : three)
            files += {QStringLiteral("--server-config"), each.section(u':', 0, 0) + QStringLiteral("/zoo.cfg")};
        const Finished ofFiles = drover.run(files);
        QVERIFY2(ofFiles.exitCode == 0 && ofFiles.out.endsWith("\nall is well\n"), ofFiles.out + ofFiles.err);

        const Servers servers = start(drover, three);
        drover.setVariable("DROVER_CONNECT", connect);
        const auto allServe = [&] {
            return drover.run(words("cluster status")).out.contains("3 of 3 servers serve, 2 must: 1 may fail");
        };
        QTRY_VERIFY_WITH_TIMEOUT(allServe(), 120'000);
        const Finished ofServers = drover.run(words("cluster check"));
        QVERIFY2(ofServers.out.contains("ensemble: 3 voting servers\n"), ofServers.out);
        QVERIFY2(ofServers.out.endsWith("\n0 problems, 0 warnings, 4 unknown\n"), ofServers.out); // what none can tell
        const Finished founded = drover.run(words("cluster init --connect") << connect);
        QVERIFY2(founded.exitCode == 0, founded.err);
        for (const QString &each : three)
            QVERIFY(!QFile::exists(drover.directory() + u'/' + each.section(u':', 0, 0)
                                   + QStringLiteral("/data/initialize")));
    }

    void oneServerStartsToo()
    {
        DroverProgram drover;
        const QStringList one = addresses(1);
        const Finished prepared = drover.run(words("cluster prepare") + one);
        QCOMPARE(prepared.exitCode, 0);
        QVERIFY2(prepared.complainsOnce() && prepared.err.contains("one server alone"), prepared.err);
        QCOMPARE(QDir(drover.directory() + u'/' + one[0].section(u':', 0, 0)).entryList(QDir::Files),
                 QStringList{QStringLiteral("zoo.cfg")});
        const Servers servers = start(drover, one);
        drover.setVariable("DROVER_CONNECT", one[0]);
        QTRY_COMPARE_WITH_TIMEOUT(drover.run(words("cluster status")).exitCode, 0, 120'000);
        const Finished check = drover.run(words("cluster check"));
        QVERIFY2(check.out.endsWith("\n0 problems, 1 warning, 2 unknown\n"), check.out);
    }

    void whatCannotServeIsRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("why");
        const auto add = [](const char *arguments, const char *why) {
            QTest::newRow(arguments) << words(arguments) << QByteArray(why);
        };
        add("zk1 zk2 zk1", "zk1 is named twice");
        add("zk1:2888 zk2 zk3", "clientPort: the servers use port 2888 among themselves");
        add("zk1:2181,ZK1:2182", "ZK1 is named twice");
        add("zk1 ..", "\"..\" cannot be the name of a host");
        add("zk1..a", "\"zk1..a\" cannot be the name of a host");
        add("zk1 zk$2", "\"zk$2\" is not a host");
        add("zk1 zk2:port", "\"port\" is not a port");
        add("zk1 zk2:0", "\"0\" is not a port");
        add("zk1/jobs", "without a path");
        add("::1", "needs brackets");
        add("localhost zk2 zk3", "\"localhost\" is each machine's own name");
        add("--data-dir /tmp/zookeeper zk1", "dataDir: /tmp/zookeeper: the system deletes");
        add("--data-dir  zk1", "dataDir: is not set");
        add("--data-dir /srv\\zookeeper zk1", "without backslashes");
    }

    void whatCannotServeIsRefused()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, why);
        const DroverProgram drover;
        const Finished refused = drover.run(words("cluster prepare --dir made") + arguments);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.err.contains(why), refused.err);
        QVERIFY(refused.out.isEmpty() && !QFile::exists(drover.directory() + QStringLiteral("/made")));
    }

    void anEvenNumberIsWritten()
    {
        const DroverProgram drover;
        const Finished two = drover.run(words("cluster prepare zk1 zk2"));
        QCOMPARE(two.exitCode, 0);
        QVERIFY2(two.complainsOnce() && two.err.contains("2 voting servers: no more of them may fail than of 1"),
                 two.err);
    }

    void otherFilesAreKept()
    {
        const DroverProgram drover;
        const QString made = drover.directory() + QStringLiteral("/made/");
        const QStringList command = words("cluster prepare --dir made zk1 zk2:2182 [2001:db8::3]");
        QCOMPARE(drover.run(command).exitCode, 0);
        QVERIFY(read(made + QStringLiteral("zk2/zoo.cfg")).contains("\nclientPort=2182\n"));
        QVERIFY(read(made + QStringLiteral("2001:db8::3/zoo.cfg")).contains("\nserver.3=[2001:db8::3]:2888:3888\n"));
        QCOMPARE(read(made + QStringLiteral("2001:db8::3/myid")), "3\n");
        const Finished again = drover.run(command + words("-o json"));
        QCOMPARE(again.exitCode, 0);
        QCOMPARE(json(again).value(QStringLiteral("connect")).toString(),
                 QStringLiteral("zk1:2181,zk2:2182,[2001:db8::3]:2181"));
        QCOMPARE(json(again)[u"servers"][1][u"file"].toString(), QStringLiteral("made/zk2/zoo.cfg"));

        write(made + QStringLiteral("zk2/myid"), "7\n");
        QVERIFY(QDir(made + QStringLiteral("zk1")).removeRecursively());
        const Finished refused = drover.run(command);
        QCOMPARE(refused.exitCode, 4);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("made/zk2/myid is there already"), refused.err);
        QCOMPARE(read(made + QStringLiteral("zk2/myid")), "7\n");
        QVERIFY(!QFile::exists(made + QStringLiteral("zk1")));
    }

    void aFolderThatCannotBeMadeIsNamed()
    {
        const DroverProgram drover;
        const Finished refused = drover.run(words("cluster prepare --dir /dev/null/x zk1 zk2 zk3"));
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("cannot make the directory /dev/null/x/zk1"),
                 refused.err);
    }
};

QTEST_GUILESS_MAIN(ClusterPrepareTest)
#include "cluster_prepare_test.moc"
