#include "app/server_config/config_checks.h"
#include "support/zk_server.h"
#include "zk/server/java_installation.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace drover::test;

namespace {

const QByteArray Servers("initLimit=10\nsyncLimit=5\nserver.1=127.0.0.1:1:2\nserver.2=127.0.0.1:3:4\n");

// Whether one of the findings says that ZooKeeper does not start with this text.
bool isSaidNotToStart(const QByteArray &text)
{
    const Findings findings =
        checkServerConfigs({ServerConfig(QStringLiteral("zoo.cfg"), text)}, std::chrono::seconds(10));
    return std::any_of(findings.begin(), findings.end(), [](const Finding &each) {
        return each.level == Finding::Level::Problem && each.what.contains(u"does not start");
    });
}

} // namespace

// What the judge of configurations says that ZooKeeper does not start with, and what it does start with, on real
// servers.
class StartedConfigsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsSaidNotToStartDoesNot_data()
    {
        QTest::addColumn<QByteArray>("lines");
        for (const QByteArray &lines :
             {QByteArray("tickTime=2000 # ms\n"), QByteArray("tickTime=0\n"), QByteArray("tickTime\n"),
              QByteArray("clientPort=70000\n"), QByteArray("autopurge.purgeInterval=1h\n"),
              QByteArray("quorumListenOnAllIPs=yes\n"), QByteArray("minSessionTimeout=9000\nmaxSessionTimeout=8000\n"),
              QByteArray("dataDir=\n"), Servers + "initLimit=0\n", Servers + "server.x=127.0.0.1:5:6\n",
              Servers + "server.3=127.0.0.1:5\n", Servers + "server.3=127.0.0.1:5:5\n",
              Servers + "server.3=127.0.0.1:5:6:watcher\n", Servers + "dynamicConfigFile=members\n"})
            QTest::newRow(lines.constData()) << lines;
    }

    void whatIsSaidNotToStartDoesNot()
    {
        QFETCH(QByteArray, lines);
        const QTemporaryDir folder;
        const QByteArray text = "dataDir=" + QFile::encodeName(folder.path())
            + "/data\nclientPort=0\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n" + lines;
        QVERIFY(isSaidNotToStart(text));
        QFile file(folder.filePath(QStringLiteral("zoo.cfg")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        const zk::JavaInstallation installation;
        QProcess server;
        server.start(installation.java(),
                     {QStringLiteral("-Xmx64m"), QStringLiteral("-cp"), installation.classPath(),
                      QStringLiteral("org.apache.zookeeper.server.quorum.QuorumPeerMain"), file.fileName()});
        const bool hasEnded = server.waitForFinished(60'000);
        server.kill();
        server.waitForFinished();
        QVERIFY2(hasEnded && server.exitStatus() == QProcess::NormalExit && server.exitCode() != 0,
                 server.readAllStandardError());
    }

    void whatIsOddStarts()
    {
        zk::LocalServerOptions options = testServerOptions();
        options.extraConfig = {QStringLiteral("maxClientCnxns=-1"),
                               QStringLiteral("autopurge.purgeInterval=-3"),
                               QStringLiteral("maxSessionTimeout=-1"),
                               QStringLiteral("admin.serverPort=http"),
                               QStringLiteral("forceSnapshotSync"),
                               QStringLiteral("ticktime = 3"),
                               QStringLiteral("! a comment"),
                               QStringLiteral("server.1:127.0.0.1:1:2;3"),
                               QStringLiteral("standaloneEnabled TRUE"),
                               QStringLiteral("skipACL=no\\\n  ne")};
        TestServer server(options);
        server.start();
        QFile file(server.server().dataDirectory() + QStringLiteral("/../zoo.cfg"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains("ticktime = 3"));
        QVERIFY(!isSaidNotToStart(text));
    }
};

QTEST_GUILESS_MAIN(StartedConfigsTest)
#include "started_configs_test.moc"
