#include "app/cli/failure.h"
#include "app/cluster/listen_address.h"
#include "app/commands/commands.h"
#include "app/environment/credentials_file.h"
#include "app/environment/directories.h"
#include "app/environment/settings.h"
#include "app/program/command_line.h"
#include "trust/issuer.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <pwd.h>
#include <unistd.h>

using namespace drover::app;
namespace trust = drover::trust;

class SettingsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;

    static Settings collect(QStringList arguments)
    {
        arguments.prepend(QStringLiteral("ls"));
        arguments.prepend(QStringLiteral("drover"));
        return Settings::collect(*CommandLine::parse(arguments).arguments);
    }

    static QByteArray errorOf(const QStringList &arguments)
    {
        try {
            collect(arguments);
        } catch (const UsageError &error) {
            return error.what();
        }
        return {};
    }

    QString write(const QString &path, const QByteArray &text)
    {
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(path));
        return path;
    }

private Q_SLOTS:
    // Without HOME, and with one that is no path, it is that of the user.
    void aHomeWithoutTheVariable()
    {
        const QByteArray home = qgetenv("HOME");
        const ::passwd *const user = ::getpwuid(::geteuid());
        if (!user)
            QSKIP("this user has no entry");
        const QString ofUser = QFile::decodeName(user->pw_dir);
        for (const char *const bad : {"", "here"}) {
            qputenv("HOME", bad);
            QCOMPARE(homeDirectory(), ofUser);
        }
        qunsetenv("HOME");
        QCOMPARE(homeDirectory(), ofUser);
        for (const char *const name : {"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"})
            qunsetenv(name);
        for (const QString &folder : {dataDirectory(), stateDirectory(), userConfigFile()})
            QVERIFY2(folder.startsWith(ofUser + QStringLiteral("/.")), qPrintable(folder));
        qputenv("HOME", "/nowhere/at/all/");
        QCOMPARE(homeDirectory(), QStringLiteral("/nowhere/at/all"));
        qputenv("HOME", home);
    }

    void initTestCase() { setCommandGroups(droverCommands()); }

    void init()
    {
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(m_directory.filePath(QStringLiteral("config"))));
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_directory.filePath(QStringLiteral("run"))));
        qunsetenv("DROVER_CONNECT");
        qunsetenv("DROVER_CLUSTER");
        qunsetenv("DROVER_HISTORY");
        qunsetenv("DROVER_LISTEN");
        qputenv("XDG_DATA_HOME", QFile::encodeName(m_directory.filePath(QStringLiteral("data"))));
        QFile::remove(userConfigFile());
    }

    void defaultsWithoutAnySetting()
    {
        const Settings settings = collect({});
        QVERIFY(settings.connect.isEmpty());
        QCOMPARE(settings.cluster, QByteArray("default"));
        QCOMPARE(settings.connectTimeout, std::chrono::milliseconds(5000));
        QCOMPARE(settings.format, Format::Table);
    }

    void theNearerSourceWins()
    {
        const QString file =
            write(userConfigFile(), "connect = \"file:1\"\ncluster = \"from-file\"\nconnect_timeout = \"7s\"\n");
        Settings settings = collect({});
        QCOMPARE(settings.connect, QStringLiteral("file:1"));
        QCOMPARE(settings.connectSource, file + QStringLiteral(":1"));
        QCOMPARE(settings.cluster, QByteArray("from-file"));
        QCOMPARE(settings.connectTimeout, std::chrono::milliseconds(7000));

        qputenv("DROVER_CONNECT", "environment:1");
        qputenv("DROVER_CLUSTER", "from-environment");
        settings = collect({});
        QCOMPARE(settings.connect, QStringLiteral("environment:1"));
        QCOMPARE(settings.connectSource, QStringLiteral("DROVER_CONNECT"));
        QCOMPARE(settings.cluster, QByteArray("from-environment"));

        settings = collect({QStringLiteral("--connect"), QStringLiteral("option:1"), QStringLiteral("--cluster=mine")});
        QCOMPARE(settings.connect, QStringLiteral("option:1"));
        QCOMPARE(settings.cluster, QByteArray("mine"));
    }

    // As the console looks for those of a cluster that is typed in.
    void eachClusterHasItsOwnCredentials()
    {
        const auto issued = [](const QByteArray &cluster, const QString &name) {
            const trust::Issuer issuer = trust::Issuer::found(cluster, QStringLiteral("zk1:2181"));
            return issuer.issue({.name = name, .roles = {trust::Role::Submit}});
        };
        makeDirectory(QFileInfo(userCredentialsFile("two")).path());
        issued("two", QStringLiteral("bob")).write(userCredentialsFile("two"));
        issued("one", QStringLiteral("alice")).write(userCredentialsFile("one"));
        const QString named = m_directory.filePath(QStringLiteral("named.drover"));
        issued("one", QStringLiteral("carol")).write(named);

        const auto nameOf = [](const Settings &start, const QByteArray &cluster) {
            const FoundCredentials found = findCredentialsOf(start, QStringLiteral("zk1:2181"), cluster);
            return found.credentials ? found.credentials->ownCertificate().name : QString();
        };
        Settings start = collect({QStringLiteral("--cluster=one")});
        QCOMPARE(nameOf(start, "one"), QStringLiteral("alice"));
        QCOMPARE(nameOf(start, "two"), QStringLiteral("bob"));
        QCOMPARE(nameOf(start, "three"), QString());
        start.credentials = named;
        QCOMPARE(nameOf(start, "one"), QStringLiteral("carol"));
        QCOMPARE(nameOf(start, "two"), QStringLiteral("bob"));
        start.credentials = QStringLiteral("none");
        QCOMPARE(nameOf(start, "two"), QString());
    }

    void aWorkerListensAtTheGivenAddress()
    {
        QVERIFY(collect({}).listen.isEmpty());
        write(userConfigFile(), "listen = \"10.0.0.7:7117\"\nadvertise = \"build-7\"\n");
        Settings settings = collect({});
        QCOMPARE(settings.listen, QStringLiteral("10.0.0.7:7117"));
        QVERIFY(settings.listenSource.endsWith(u"config.toml:1"));
        QCOMPARE(settings.advertise, QStringLiteral("build-7"));
        qputenv("DROVER_LISTEN", "none");
        settings = collect({});
        QCOMPARE(settings.listen, QStringLiteral("none"));
        QCOMPARE(settings.listenSource, QStringLiteral("DROVER_LISTEN"));
    }

    void listeningIsAnAddressAndPerhapsAPort()
    {
        const QString source = QStringLiteral("--listen");
        QVERIFY(!ListenAddress::parse(QStringLiteral("none"), source));
        const ListenAddress all = ListenAddress::parse(QStringLiteral("*:7117"), source).value();
        QCOMPARE(all.address, QHostAddress(QHostAddress::Any));
        QCOMPARE(all.port, 7117);
        const ListenAddress six = ListenAddress::parse(QStringLiteral("[::1]:7"), source).value();
        QCOMPARE(six.address, QHostAddress(QHostAddress::LocalHostIPv6));
        QCOMPARE(addressForOthers(six, QStringLiteral("127.0.0.1:2181")), QStringLiteral("::1"));
        QCOMPARE(ListenAddress::parse(QStringLiteral("::1"), source)->port, 0);
        for (const char *const text : {"", "localhost", "*:0", "10.0.0.7:x", "1.2.3.4:5:6", "[10.0.0.7"})
            QVERIFY_THROWS_EXCEPTION(UsageError, ListenAddress::parse(QLatin1String(text), source));
    }

    void aMachineAllowsOneHistoryOrSeveral()
    {
        QCOMPARE(collect({}).historyAllow, QStringList());
        write(userConfigFile(), "history_allow = \"postgresql://db/drover\"\n");
        QCOMPARE(collect({}).historyAllow, QStringList(QStringLiteral("postgresql://db/drover")));
        write(userConfigFile(), "history-allow = [\"postgresql://db/drover\", \"shared:/mnt/a b\"]\n");
        QCOMPARE(collect({}).historyAllow,
                 QStringList({QStringLiteral("postgresql://db/drover"), QStringLiteral("shared:/mnt/a b")}));
        for (const char *const wrong : {"history_allow = [1]\n", "history_allow = 1\n", "connect = [\"a:1\"]\n"}) {
            write(userConfigFile(), wrong);
            QVERIFY_THROWS_EXCEPTION(UsageError, collect({}));
        }
    }

    // Before anything needs it.
    void aBadValueIsReportedWithItsPlace_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("complaint");
        const auto row = [](const char *name, const char *text, const char *complaint) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(complaint);
        };
        row("the history", "# mine\nhistory = \"mysql://db/x\"\n", ":2: history: \"mysql://db/x\" is not a place");
        row("an allowed history", "history_allow = [\"/srv/a\",\n  \"mysql://db/x\"]\n",
            ":2: history_allow: \"mysql://db/x\" is not a place");
        row("its parameter", "history_allow = \"postgresql://db/x?PORT=1\"\n", ":1: history_allow: ");
        row("the address for others", "\n\nadvertise = \"a,b\"\n", ":3: advertise: \"a,b\" is not one HOST[:PORT]");
        row("its port", "advertise = \"a:b\"\n", ":1: advertise: ");
        row("the servers", "\nconnect = \" \"\n", ":2: ");
        row("the time-out", "\nconnect_timeout = \"soon\"\n", ":2: ");
        row("the cluster", "\ncluster = \"A B\"\n", ":2: ");
    }
    void aBadValueIsReportedWithItsPlace()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, complaint);
        const QByteArray file = QFile::encodeName(write(userConfigFile(), text));
        const QByteArray error = errorOf({});
        QVERIFY2(error.startsWith(file + complaint), error);
        QVERIFY2(!error.contains('\n'), error);
    }

    // A worker beside one of three ZooKeepers is to be reached from the machines of the others.
    void theAddressTowardsServersIsThatOfTheNetwork()
    {
        const QHostAddress loopback(QHostAddress::LocalHost);
        QCOMPARE(addressTowardsServers(QStringLiteral("127.0.0.1:2181")), loopback);
        QCOMPARE(addressTowardsServers(QStringLiteral("localhost:2181,127.0.0.1:2182")), loopback);
        const QHostAddress any(QHostAddress::Any); // the name may lead to this machine elsewhere
        QCOMPARE(addressTowardsServers(QStringLiteral("none.invalid:2181")), any);
        QCOMPARE(addressForOthers({any}, QStringLiteral("none.invalid:2181")), QSysInfo::machineHostName());
        const QHostAddress far = addressTowardsServers(QStringLiteral("192.0.2.1:2181")); // nothing is sent
        if (far.isLoopback())
            QSKIP("this machine has no network");
        QCOMPARE(addressTowardsServers(QStringLiteral("127.0.0.1:2181,192.0.2.1:2181")), far);
        QCOMPARE(addressForOthers({}, QStringLiteral("127.0.0.1:2181,192.0.2.1:2181")), far.toString());
    }

    void theHistoryIsTheNamedOneOrThatOfUp()
    {
        QCOMPARE(collect({}).history, QString());
        const QString left = write(dataDirectory() + QStringLiteral("/history.sqlite"), "");
        QCOMPARE(collect({}).history, left);
        QCOMPARE(collect({}).historySource, QString());
        // Of another cluster it would be the wrong one.
        QCOMPARE(collect({QStringLiteral("--connect"), QStringLiteral("a:1")}).history, QString());

        write(userConfigFile(), "history = \"postgresql://db/drover\"\n");
        QCOMPARE(collect({}).history, QStringLiteral("postgresql://db/drover"));
        QVERIFY(collect({}).historySource.endsWith(u"config.toml:1"));
        qputenv("DROVER_HISTORY", "/from/environment");
        QCOMPARE(collect({}).history, QStringLiteral("/from/environment"));
        const Settings none = collect({QStringLiteral("--history"), QStringLiteral("none")});
        QCOMPARE(none.history, QString());
        QCOMPARE(none.historySource, QStringLiteral("--history"));
        QFile::remove(left);
    }

    void aNamedFileReplacesTheUsers()
    {
        write(userConfigFile(), "connect = \"users:1\"\n");
        const QString other = write(m_directory.filePath(QStringLiteral("other.toml")), "cluster = \"other\"\n");
        const Settings settings = collect({QStringLiteral("--config"), other});
        QVERIFY(settings.connect.isEmpty());
        QCOMPARE(settings.cluster, QByteArray("other"));
    }

    void hyphensAndUnderscoresMeanTheSame()
    {
        for (const char *const name : {"connect-timeout", "connect_timeout"}) {
            write(userConfigFile(), QByteArray(name) + " = \"7s\"\n");
            QCOMPARE(collect({}).connectTimeout, std::chrono::seconds(7));
        }
    }

    void aBadFileIsReportedWithItsLine()
    {
        const QByteArray place = QFile::encodeName(userConfigFile());
        write(userConfigFile(), "cluster = \"a\"\nconnect = \n");
        QVERIFY(errorOf({}).startsWith(place + ":2: "));
        write(userConfigFile(), "\n\nconect = \"a:1\"\n");
        QVERIFY(errorOf({}).startsWith(place + ":3: unknown setting \"conect\"; did you mean connect?"));
        write(userConfigFile(), "slots = 4\n");
        QVERIFY(errorOf({}).contains("; a worker's keys belong into /etc/drover/worker.toml; known"));
        write(userConfigFile(), "connect = zk1\n");
        QVERIFY(errorOf({}).endsWith("; a text stands in quotes: key = \"text\""));
        write(userConfigFile(), "connect_timeout = \"1s\"\nconnect-timeout = \"1s\"\n");
        QVERIFY(errorOf({}).contains(" is there twice"));
        write(userConfigFile(), "cluster = 7\n");
        QVERIFY(errorOf({}).startsWith(place + ":1: cluster has to be a string"));
        write(userConfigFile(), "cluster = \"Not A Name\"\n");
        QVERIFY(errorOf({}).startsWith(place + ":1: \"Not A Name\""));
        write(userConfigFile(), "connect_timeout = \"soon\"\n");
        QVERIFY(errorOf({}).startsWith(place + ":1: \"soon\" is not a duration"));
        QVERIFY(errorOf({QStringLiteral("--config"), QStringLiteral("/nowhere.toml")}).contains("/nowhere.toml"));
    }

    void badValues()
    {
        QVERIFY(errorOf({QStringLiteral("-o"), QStringLiteral("xml")}).contains("xml"));
        QVERIFY(errorOf({QStringLiteral("--cluster"), QStringLiteral("../x")}).contains("--cluster"));
    }
};

QTEST_GUILESS_MAIN(SettingsTest)
#include "settings_test.moc"
