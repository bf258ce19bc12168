#include "app/cli/failure.h"
#include "app/server_config/config_checks.h"
#include "app/server_config/prepared_configs.h"
#include "zk/server/server_settings.h"

#include <QFile>
#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace std::chrono_literals;
using Level = Finding::Level;

namespace {

const QByteArray Good("tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir=/srv/zookeeper\nclientPort=2181\n"
                      "maxClientCnxns=0\nautopurge.purgeInterval=1\n4lw.commands.whitelist=srvr, mntr, conf\n"
                      "admin.enableServer=false\ndb.autocreate=false\nforceSnapshotSync=true\n"
                      "server.1=zk1:2888:3888\nserver.2=zk2:2888:3888\nserver.3=zk3:2888:3888\n");

Findings judge(const QByteArrayList &texts)
{
    std::vector<ServerConfig> configs;
    for (const QByteArray &text : texts)
        configs.emplace_back(QStringLiteral("zk%1.cfg").arg(configs.size() + 1), text);
    return checkServerConfigs(configs, 10s);
}

// "problem zk1.cfg:3"; empty: there is no such finding.
QString found(const Findings &findings, const QString &subject)
{
    static const QStringList Levels{QStringLiteral("ok"), QStringLiteral("unknown"), QStringLiteral("warning"),
                                    QStringLiteral("problem")};
    for (const Finding &each : findings) {
        if (each.subject == subject && each.level != Level::Ok)
            return Levels[int(each.level)] + u' ' + each.place;
    }
    return {};
}

bool isWell(const Findings &findings)
{
    for (const Finding &each : findings) {
        if (each.level != Level::Ok)
            qWarning("%s (%s): %s", qPrintable(each.subject), qPrintable(each.place), qPrintable(each.what));
    }
    return std::all_of(findings.begin(), findings.end(), [](const Finding &each) { return each.level == Level::Ok; });
}

QByteArray read(const char *path)
{
    QFile file(QStringLiteral(DROVER_SOURCE_DIR "/packaging/") + QLatin1String(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The block of settings of a document.
QByteArray settingsIn(const char *document)
{
    const QByteArray text = read(document);
    const qsizetype begin = text.indexOf("```ini\n");
    return begin < 0 ? QByteArray() : text.sliced(begin + 7, text.indexOf("```", begin + 7) - begin - 7);
}

} // namespace

// How the configuration file of a ZooKeeper server is read and judged.
class ServerConfigTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itIsReadAsZooKeeperReadsIt()
    {
        const ServerConfig config(QStringLiteral("zoo.cfg"),
                                  "# tickTime=1\n! tickTime=2\n\n  tickTime = 2000 \r\ndataDir:/a\\\n  /b\n"
                                  "clientPort 2181\rsyncLimit=4\nsyncLimit=5\na\\=b=\\u0041\\tc\nbare\nlast=c:\\\\");
        QCOMPARE(config.settings().size(), 8);
        QVERIFY(config.find(QStringLiteral("bare")) && config.value(QStringLiteral("bare")).isEmpty());
        QCOMPARE(config.number(QStringLiteral("tickTime")), std::optional(2000));
        QCOMPARE(config.placeOf(QStringLiteral("tickTime")), QStringLiteral("zoo.cfg:4"));
        QCOMPARE(config.value(QStringLiteral("dataDir")), QStringLiteral("/a/b"));
        QCOMPARE(config.number(QStringLiteral("clientPort")), std::optional(2181));
        QCOMPARE(config.number(QStringLiteral("syncLimit")), std::optional(5));
        QCOMPARE(config.placeOf(QStringLiteral("syncLimit")), QStringLiteral("zoo.cfg:9"));
        QCOMPARE(config.value(QStringLiteral("a=b")), QStringLiteral("A\tc"));
        QCOMPARE(config.value(QStringLiteral("last")), QStringLiteral("c:\\"));
        QCOMPARE(config.placeOf(QStringLiteral("initLimit")), QStringLiteral("zoo.cfg"));
    }

    void whatIsNoConfigurationIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("why");
        const auto row = [](const char *text, const char *why) {
            QTest::newRow(why) << QByteArray(text) << QByteArray(why);
        };
        row("", "zoo.cfg: no setting");
        row("# a comment\n", "zoo.cfg: no setting is in it");
        row("a=1\n=2\n", "zoo.cfg:2: \"=2\" has no key");
        row("a=1\nb=\x1b[2J\n", "zoo.cfg:2: a control character");
        row("a=1\nb=\\u12\n", "zoo.cfg:2: \\u needs");
        row("a=1\nb=\\u12zz\n", "zoo.cfg:2: \\u needs four");
        row("\xef\xbb\xbftickTime=2000\n", "zoo.cfg:1: a byte order mark");
    }

    void whatIsNoConfigurationIsRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, why);
        try {
            const ServerConfig config(QStringLiteral("zoo.cfg"), text);
            QFAIL("it was read");
        } catch (const UsageError &error) {
            QVERIFY2(QByteArray(error.what()).startsWith(why), error.what());
        }
    }

    void oneChangeOfAGoodOne_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("subject");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *from, const char *to, const char *subject, const char *expected) {
            const bool isFirst = !QByteArray(to).isEmpty();
            QTest::newRow(isFirst ? to : from)
                << QByteArray(from) << QByteArray(to) << QString::fromUtf8(subject) << QString::fromUtf8(expected);
        };
        row("", "", "(none)", "");
        // Numbers
        row("tickTime=2000", "tickTime=3000", "tickTime", "problem zk1.cfg:1");
        row("tickTime=2000\n", "", "tickTime", "problem zk1.cfg");
        row("tickTime=2000", "tickTime=2000 # ms", "tickTime", "problem zk1.cfg:1");
        row("tickTime=2000", "tickTime=2147483647", "tickTime", "problem zk1.cfg:1");
        row("tickTime=2000\ninitLimit=10", "tickTime=2147483647\ninitLimit=-1", "initLimit", "warning zk1.cfg:2");
        row("tickTime=2000", "tickTime=2147483648", "tickTime", "problem zk1.cfg:1");
        row("tickTime=2000", "tickTime=0", "tickTime", "problem zk1.cfg:1");
        row("tickTime=2000", "tickTime", "tickTime", "problem zk1.cfg:1");
        row("maxClientCnxns=0", "maxClientCnxns=60", "maxClientCnxns", "warning zk1.cfg:6");
        row("maxClientCnxns=0\n", "", "maxClientCnxns", "warning zk1.cfg");
        row("maxClientCnxns=0", "minSessionTimeout=20000", "session time-outs", "warning zk1.cfg:6");
        row("maxClientCnxns=0", "maxSessionTimeout=5000", "session time-outs", "warning zk1.cfg:6");
        row("maxClientCnxns=0", "maxClientCnxns=0\nminSessionTimeout=-1\nmaxSessionTimeout=-1", "session time-outs",
            "");
        row("maxClientCnxns=0", "maxClientCnxns=-1", "maxClientCnxns", "");
        row("syncLimit=5", "syncLimit=-1", "syncLimit", "warning zk1.cfg:3");
        row("maxClientCnxns=0", "maxSessionTimeout=", "maxSessionTimeout", "problem zk1.cfg:6");
        row("maxClientCnxns=0", "minSessionTimeout=9000\nmaxSessionTimeout=8000", "minSessionTimeout",
            "problem zk1.cfg:6");
        row("initLimit=10\n", "", "initLimit", "problem zk1.cfg");
        row("initLimit=10", "initLimit=2", "initLimit", "warning zk1.cfg:2");
        row("tickTime=2000\ninitLimit=10", "initLimit=3", "initLimit", "warning zk1.cfg:1"); // of the default, 3 s
        row("syncLimit=5", "syncLimit=0", "syncLimit", "problem zk1.cfg:3");
        row("clientPort=2181", "clientPort=70000", "clientPort", "problem zk1.cfg:5");
        // Cleaning, folders, ports
        row("autopurge.purgeInterval=1\n", "", "autopurge", "warning zk1.cfg");
        row("autopurge.purgeInterval=1", "autopurge.purgeInterval=0", "autopurge", "warning zk1.cfg:7");
        row("autopurge.purgeInterval=1", "autopurge.purgeInterval=1h", "autopurge.purgeInterval", "problem zk1.cfg:7");
        row("/srv/zookeeper", "/tmp/zookeeper", "dataDir", "problem zk1.cfg:4");
        row("/srv/zookeeper", "/srv/../tmp/zookeeper", "dataDir", "problem zk1.cfg:4");
        row("/srv/zookeeper", "/var/tmp/zookeeper", "dataDir", "warning zk1.cfg:4");
        row("/srv/zookeeper", "/tmpfiles", "dataDir", "");
        row("/srv/zookeeper", "data", "dataDir", "warning zk1.cfg:4");
        row("dataDir=/srv/zookeeper\n", "", "dataDir", "problem zk1.cfg");
        row("syncLimit=5", "syncLimit=5\ndataLogDir=/tmp", "dataLogDir", "problem zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\ndataLogDir=/srv/zookeeper/log", "dataLogDir", "warning zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\ndataLogDir=/srv/zookeeper/", "dataLogDir", "");
        row("dataDir=/srv/zookeeper", "dataDir=/usr\ndataLogDir=/usr/../usr/lib", "dataLogDir", "warning zk1.cfg:5");
        row("dataDir=/srv/zookeeper", "dataDir=/usr/bin\ndataLogDir=/usr/lib", "dataLogDir", "warning zk1.cfg:5");
        row("dataDir=/srv/zookeeper", "dataDir=/usr/bin\ndataLogDir=/proc", "dataLogDir", "");
        row("clientPort=2181\n", "", "clientPort", "problem zk1.cfg");
        row("clientPort=2181", "secureClientPort=2281", "secureClientPort", "warning zk1.cfg:5");
        row("clientPort=2181", "secureClientPort=2281\nserverCnxnFactory=a.NettyServerCnxnFactory", "secureClientPort",
            "");
        row("syncLimit=5", "secureClientPort=2281\nserverCnxnFactory=a.NettyServerCnxnFactory", "clientPort",
            "warning zk1.cfg:6");
        // Trust and words
        row("conf", "ruok", "4lw.commands.whitelist", "warning zk1.cfg:8");
        row("srvr, mntr, conf", "*", "4lw.commands.whitelist", "");
        row("enableServer=false", "enableServer=False", "admin.enableServer", "warning zk1.cfg:9");
        row("enableServer=false", "enableServer=false\nadmin.serverPort=http", "admin.serverPort", "");
        row("enableServer=false", "serverAddress=127.0.0.1", "admin.enableServer", "");
        row("db.autocreate=false", "db.autocreate=true", "db.autocreate", "warning zk1.cfg:10");
        row("db.autocreate=false\n", "", "db.autocreate", "warning zk1.cfg");
        row("forceSnapshotSync=true\n", "", "forceSnapshotSync", "unknown zk1.cfg");
        row("syncLimit=5", "syncLimit=5\nskipACL=yes", "skipACL", "problem zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nforceSync=no", "forceSync", "problem zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nforceSync=yes", "forceSync", "");
        row("syncLimit=5", "syncLimit=5\nlocalSessionsEnabled=true", "localSessionsEnabled", "problem zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nlocalSessionsEnabled=True", "localSessionsEnabled", "problem zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nquorumListenOnAllIPs=true", "quorumListenOnAllIPs", "warning zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nquorumListenOnAllIPs=yes", "quorumListenOnAllIPs", "problem zk1.cfg:4");
        // Keys
        row("syncLimit=5", "syncLimit=5\njute.maxbuffer=9", "jute.maxbuffer", "warning zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nzookeeper.jute.maxbuffer=9", "zookeeper.jute.maxbuffer", "warning zk1.cfg:4");
        row("db.autocreate", "zookeeper.db.autocreate", "zookeeper.db.autocreate", "warning zk1.cfg:10");
        row("syncLimit=5", "syncLimit=5\nmaxClientCnxn=7", "maxClientCnxn", "warning zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nticktime=7", "ticktime", "warning zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nsyncLimit=6", "syncLimit", "warning zk1.cfg:4");
        row("syncLimit=5", "syncLimit=5\nmaxCnxns=9\npreAllocSize=65536\nssl.clientAuth=need", "maxCnxns", "");
        // Servers
        row("server.3=", "server.2=", "server.2", "problem zk1.cfg:14");
        row("server.3=", "server.2=", "ensemble", "warning ");
        row("server.3=zk3", "server.3=zk2", "server.3", "problem zk1.cfg:14");
        row("server.3=zk3", "server.3=localhost", "server.3", "problem zk1.cfg:14");
        row("server.3=", "server.256=", "server.256", "problem zk1.cfg:14");
        row("server.3=", "server.255=", "server.255", "");
        row("server.3=", "extendedTypesEnabled=true\nserver.255=", "server.255", "problem zk1.cfg:15");
        row("server.3=", "server.three=", "server.three", "problem zk1.cfg:14");
        row("clientPort=2181", "clientPort=3888", "clientPort", "problem zk1.cfg:5");
        row("clientPort=2181", "clientPort=3888\nclientPortAddress=127.0.0.1", "clientPort", "");
        row("clientPort=2181", "clientPort=3888\nclientPortAddress=0.0.0.0", "clientPort", "problem zk1.cfg:5");
        row("clientPort=2181", "clientPort=3888\nclientPortAddress=::", "clientPort", "problem zk1.cfg:5");
        row("zk3:2888:3888", "zk3:2888:3888;0.0.0.0:2888", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "zk3:2888:3888;[::]:2888", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "0.0.0.0:2888:3888;10.0.0.3:2888", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "zk3:2888:3888;2888", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "zk3:2888:3888;zk3:3888", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "zk3:2889:3888;2888", "server.3", "");
        row("zk3:2888:3888", "zk3:2888", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "zk3:2888:2888", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "zk3:2888:3888:watcher", "server.3", "problem zk1.cfg:14");
        row("zk3:2888:3888", "[fd00::3]:2888:3888:participant;[::]:2181", "server.3", "");
        row("server.3=zk3:2888:3888", "server.3=zk3:2888:3888:observer", "ensemble", "warning ");
        row("server.3=zk3:2888:3888", "server.3=zk3:2888:3888\nserver.4=zk4:2888:3888", "ensemble", "warning ");
        row("syncLimit=5", "syncLimit=5\ndynamicConfigFile=/etc/zoo.members", "server.N", "unknown zk1.cfg:4");
    }

    void oneChangeOfAGoodOne()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, subject);
        QFETCH(QString, expected);
        QByteArray text = Good;
        if (!from.isEmpty())
            text.replace(from, to);
        const Findings findings = judge({text});
        QCOMPARE(found(findings, subject), expected);
        for (const Finding &each : findings)
            QCOMPARE(each.advice.isEmpty(), each.level == Level::Ok);
        if (expected.isEmpty())
            QVERIFY(isWell(findings));
    }

    // That it is no number is said once, and not that it is a number that is well.
    void aLimitThatIsNoNumberIsNoTime()
    {
        for (const auto &[from, to] :
             {std::pair("initLimit=10", "initLimit=ten"), std::pair("tickTime=2000", "tickTime=0")}) {
            QByteArray text = Good;
            text.replace(from, to);
            for (const Finding &each : judge({text}))
                QVERIFY2(each.level != Level::Ok || each.subject != u"initLimit", qPrintable(each.what));
        }
    }

    void severalServersAreJudgedTogether()
    {
        QVERIFY(isWell(judge({Good, Good, Good})));
        QByteArray other = Good;
        other.replace("zk3", "zk4").replace("tickTime=2000", "tickTime=1000").replace("db.autocreate=false\n", "");
        const Findings findings = judge({Good, other, other});
        QCOMPARE(found(findings, QStringLiteral("ensemble")), QStringLiteral("problem "));
        QCOMPARE(found(findings, QStringLiteral("tickTime")),
                 QStringLiteral("warning zk1.cfg:1, zk2.cfg:1, zk3.cfg:1"));
        QCOMPARE(found(findings, QStringLiteral("db.autocreate")), QStringLiteral("warning zk2.cfg, zk3.cfg"));
        QByteArray alone = Good;
        alone.truncate(alone.indexOf("server.1"));
        QCOMPARE(found(judge({Good, alone}), QStringLiteral("ensemble")), QStringLiteral("problem "));
        QCOMPARE(found(judge({alone}), QStringLiteral("ensemble")), QStringLiteral("warning "));
    }

    void theGuideShowsWhatIsWritten()
    {
        const zk::ServerList servers = zk::parseConnectString(QStringLiteral("zk1,zk2,zk3"));
        const PreparedEnsemble prepared = prepareEnsemble(servers, QLatin1String(ServerConfig::UsualDataDir), 10s);
        const QByteArray written = prepared.servers.front().files.at(QStringLiteral("zoo.cfg"));
        QVERIFY(isWell(judge({written})));
        QVERIFY(prepared.warnings.isEmpty());
        for (const char *const document : {"docs/operator-guide.md", "docs/zh_CN/operator-guide.md"})
            QCOMPARE(settingsIn(document), written);
    }

    // Its script cannot ask the programs, and db.autocreate is left out there for a reason that it names.
    void theImageHasTheSameValues()
    {
        const QByteArray script = read("containers/zookeeper-server");
        int count = 0;
        const auto compare = [&](const zk::ServerSetting &setting) {
            const QByteArray key = QByteArray(setting.key) + '=';
            if (!script.contains('\n' + key) && !script.contains("-Dzookeeper." + key))
                return;
            ++count;
            QVERIFY2(script.contains(setting.line().toLatin1()), setting.key);
        };
        for (const zk::ServerSetting &each : zk::SettingsOfEach)
            compare(each);
        for (const zk::ServerSetting &each : zk::SettingsOfMembers)
            compare(each);
        QCOMPARE(count, 9);
    }
};

QTEST_GUILESS_MAIN(ServerConfigTest)
#include "server_config_test.moc"
