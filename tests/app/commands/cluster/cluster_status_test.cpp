#include "app/support/drover_program.h"
#include "support/zk_server.h"

#include <QJsonArray>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

using namespace drover;
using namespace drover::test;

namespace {

// A server in front of a real one that refuses the word conf, or, without one, says the same to all.
class Front
{
public:
    explicit Front(quint16 behind, QByteArray answer = {}) : m_behind(behind), m_answer(std::move(answer))
    {
        m_server.listen(QHostAddress::LocalHost);
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] {
            while (QTcpSocket *const client = m_server.nextPendingConnection())
                QObject::connect(client, &QTcpSocket::readyRead, client, [this, client] { pass(client); });
        });
    }
    QString address() const { return QStringLiteral("127.0.0.1:%1").arg(m_server.serverPort()); }

private:
    void pass(QTcpSocket *client)
    {
        if (client->findChild<QTcpSocket *>())
            return;
        const QByteArray first = client->readAll();
        if (m_behind == 0 || first == "conf") {
            client->write(m_behind == 0 ? m_answer : "conf is not executed because it is not in the whitelist.\n");
            client->disconnectFromHost();
            return;
        }
        auto *const server = new QTcpSocket(client);
        QObject::connect(server, &QTcpSocket::readyRead, client, [=] { client->write(server->readAll()); });
        QObject::connect(client, &QTcpSocket::readyRead, server, [=] { server->write(client->readAll()); });
        QObject::connect(server, &QTcpSocket::disconnected, client, &QTcpSocket::disconnectFromHost);
        QObject::connect(client, &QTcpSocket::disconnected, server, &QTcpSocket::disconnectFromHost);
        server->connectToHost(QHostAddress::LocalHost, m_behind);
        server->write(first);
    }

    quint16 m_behind;
    QByteArray m_answer;
    QTcpServer m_server;
};

} // namespace

// drover cluster status and drover cluster check, on servers that serve, hang, are dead or are no ZooKeeper.
class ClusterStatusTest : public QObject
{
    Q_OBJECT

    const DroverProgram m_drover;
    TestEnsemble m_servers;

    Finished run(const char *command, const QString &connect) const
    {
        return m_drover.run(words(command) << QStringLiteral("--connect") << connect);
    }
    QJsonObject status(const QString &connect, int exitCode = 0) const
    {
        const Finished finished = run("cluster status -o json", connect);
        if (finished.exitCode != exitCode || !finished.err.isEmpty())
            qWarning("exit code %d: %s%s", finished.exitCode, finished.out.constData(), finished.err.constData());
        return finished.exitCode == exitCode ? json(finished) : QJsonObject();
    }
    // The roles, sorted.
    static QStringList roles(const QJsonObject &status)
    {
        QStringList roles;
        for (const QJsonValue server : status.value(QStringLiteral("servers")).toArray())
            roles << server.toObject().value(QStringLiteral("role")).toString();
        roles.sort();
        return roles;
    }
    static QStringList roles(const char *text) { return QString::fromUtf8(text).split(u','); }
    static int number(const QJsonObject &object, const char *key) { return object.value(QLatin1String(key)).toInt(-1); }
    QString address(int server) { return m_servers.ensemble().server(server).connectString(); }
    // The level of the finding with this subject, and what it says.
    static QString finding(const Finished &check, const char *subject)
    {
        for (const QJsonValue each : json(check).value(QStringLiteral("findings")).toArray()) {
            const QJsonObject row = each.toObject();
            if (row.value(QStringLiteral("subject")).toString() == QLatin1String(subject))
                return row.value(QStringLiteral("level")).toString() + u' '
                    + row.value(QStringLiteral("what")).toString();
        }
        return QStringLiteral("none");
    }

private Q_SLOTS:
    void initTestCase() { m_servers.start(); }

    void allServe()
    {
        const QJsonObject all = status(m_servers.connectString());
        QCOMPARE(roles(all), roles("follower,follower,leader"));
        QVERIFY(number(all, "voters") == 3 && number(all, "serving") == 3 && number(all, "majority") == 2);
        QCOMPARE(number(all, "may_fail"), 1);
        for (const QJsonValue each : all.value(QStringLiteral("servers")).toArray()) {
            const QJsonObject server = each.toObject();
            QCOMPARE(server.value(QStringLiteral("zookeeper_version")).toString(), QStringLiteral("3.8.0"));
            QVERIFY(server.value(QStringLiteral("zxid")).toString().startsWith(u"0x"));
            if (server.value(QStringLiteral("role")).toString() == u"leader")
                QCOMPARE(number(server, "lag"),
                         0); // a follower may be of a former leader's epoch until the first write
            for (const char *const field : {"connections", "watches"})
                QVERIFY2(number(server, field) >= 0, field);
        }
        const Finished table = run("cluster status", m_servers.connectString());
        QVERIFY2(table.out.endsWith("3 of 3 servers serve, 2 must: 1 may fail\n"), table.out);
    }

    void serversThatAreNotNamedCount()
    {
        const int leader = m_servers.elected(3);
        QCOMPARE(number(status(address(leader)), "may_fail"), 1);
        const QJsonObject byFollower = status(address((leader + 1) % 3));
        QVERIFY(number(byFollower, "voters") == 3 && number(byFollower, "serving") == 1);
        const Finished check = run("cluster check -o json", address(leader));
        QCOMPARE(finding(check, "ensemble"), QStringLiteral("warning the connect string names 1 of its 3 servers"));
    }

    void checkSaysWhatIsUnknown()
    {
        const Finished check = run("cluster check -o json", m_servers.connectString());
        QVERIFY2(check.exitCode == 0, check.err);
        for (const char *const subject : {"autopurge", "jute.maxbuffer", "db.autocreate", "forceSnapshotSync"})
            QVERIFY2(finding(check, subject).startsWith(u"unknown "), subject);
        QCOMPARE(finding(check, "ensemble"), QStringLiteral("ok 3 voting servers"));
        QCOMPARE(finding(check, "maxClientCnxns"), QStringLiteral("ok no limit"));
        QCOMPARE(finding(check, "tickTime"), QStringLiteral("ok 500 ms"));
        const Finished table = run("cluster check", m_servers.connectString());
        QVERIFY2(table.out.endsWith("0 problems, 0 warnings, 4 unknown\n"), table.out);
    }

    // A server of ZooKeeper's default configuration answers srvr alone; then the session knows the members.
    void theMembersAreReadFromZooKeeper()
    {
        const Front front(m_servers.ensemble().server(m_servers.elected(3)).port());
        QCOMPARE(number(status(front.address()), "voters"), 3);
        const Finished check = run("cluster check -o json", front.address());
        QCOMPARE(finding(check, "ensemble"), QStringLiteral("warning the connect string names 1 of its 3 servers"));
        QVERIFY(finding(check, "4lw.commands.whitelist").startsWith(u"warning conf"));
        QVERIFY(finding(check, "tickTime").startsWith(u"unknown"));
    }

    void aStrangerIsNamed()
    {
        const Front web(0, "HTTP/1.1 400 Bad Request\r\n\r\n");
        const QJsonObject all = status(m_servers.connectString() + u',' + web.address());
        QCOMPARE(roles(all), roles("follower,follower,leader,stranger"));
        QCOMPARE(number(all, "voters"), 3);
        QCOMPARE(number(status(web.address(), 6), "serving"), 0);
        const Front flood(0, QByteArray(8 << 20, 'x'));
        QCOMPARE(roles(status(flood.address(), 6)), roles("silent"));
        const Front liar(0, "Zookeeper version: \x1b[2J\nMode: leader\nZxid: 0xffffffffffffffff\n");
        const Finished lies = run("cluster status", liar.address());
        QVERIFY2(!lies.out.contains('\x1b'), lies.out);
    }

    void aServerThatHangsIsSilent()
    {
        const int hung = (m_servers.elected(3) + 1) % 3;
        m_servers.pause(hung);
        const QJsonObject all = status(m_servers.connectString());
        m_servers.resume(hung);
        QCOMPARE(roles(all), roles("follower,leader,silent"));
        QCOMPARE(number(all, "serving"), 2);
        QCOMPARE(number(all, "may_fail"), 0);
    }

    void withoutAMajorityTheExitCodeSaysSo()
    {
        m_servers.elected(3);
        m_servers.kill9(0);
        m_servers.elected(2);
        QCOMPARE(number(status(m_servers.connectString()), "may_fail"), 0);
        m_servers.kill9(1);
        const auto isLost = [&] { return run("cluster status", m_servers.connectString()).exitCode == 6; };
        QTRY_VERIFY_WITH_TIMEOUT(isLost(), 60'000);
        const Finished table = run("cluster status", m_servers.connectString());
        QVERIFY2(table.out.endsWith("no majority serves: 2 of 3 servers must\n"), table.out);
        QCOMPARE(run("cluster check", m_servers.connectString()).exitCode, 1);
        m_servers.start();
    }

    void aSingleServerIsJudged()
    {
        zk::LocalServerOptions options = testServerOptions();
        options.tickTime = std::chrono::milliseconds(3000);
        options.extraConfig = {QStringLiteral("maxClientCnxns=60"), QStringLiteral("4lw.commands.whitelist=srvr,conf")};
        TestServer server(options);
        server.start();
        const QJsonObject alone = status(server.connectString());
        QCOMPARE(roles(alone), roles("standalone"));
        QVERIFY(number(alone, "voters") == 1 && number(alone, "may_fail") == 0);
        const Finished check = run("cluster check -o json", server.connectString());
        QCOMPARE(check.exitCode, 1);
        QVERIFY(finding(check, "ensemble").startsWith(u"warning one server alone"));
        QVERIFY(finding(check, "tickTime").startsWith(u"problem 3000 ms"));
        QVERIFY(finding(check, "maxClientCnxns").startsWith(u"warning 60"));
        QVERIFY(finding(check, "4lw.commands.whitelist").startsWith(u"warning mntr"));
        QCOMPARE(finding(check, "db.autocreate"), QStringLiteral("none"));
        const Finished both = run("cluster check -o json", server.connectString() + u',' + address(0));
        QVERIFY(finding(both, "ensemble").startsWith(u"problem a standalone server is named beside others"));
    }

    // The text of a configuration at standard input.
    Finished checkText(const QByteArray &text, const char *options = "") const
    {
        QFile file(m_drover.directory() + QStringLiteral("/zoo.cfg"));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        file.close();
        return m_drover.shell(QByteArray("drover cluster check --server-config - ") + options + " < zoo.cfg");
    }

    void aConfigurationIsJudgedWithoutAServer()
    {
        // As the packages of Debian have it.
        const QByteArray debian("tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir=/tmp/zookeeper\nclientPort=2181\n");
        const Finished check = checkText(debian, "-o json");
        QCOMPARE(check.exitCode, 1);
        QVERIFY(check.err.isEmpty());
        QVERIFY(finding(check, "dataDir").startsWith(u"problem /tmp/zookeeper"));
        for (const char *const subject :
             {"ensemble", "maxClientCnxns", "autopurge", "4lw.commands.whitelist", "admin.enableServer"})
            QVERIFY2(finding(check, subject).startsWith(u"warning "), subject);
        for (const char *const subject : {"tickTime", "session time-outs", "clientPort", "jute.maxbuffer"})
            QVERIFY2(finding(check, subject).startsWith(u"ok "), subject);
        const Finished table = checkText(debian);
        QVERIFY2(table.out.contains("\nproblem  dataDir (standard input:4): /tmp/zookeeper: "), table.out);
        QVERIFY2(table.out.endsWith("1 problem, 5 warnings\n"), table.out);
        QVERIFY(finding(checkText(debian, "-o json --session-timeout 4s"), "tickTime").startsWith(u"problem 2000 ms"));
    }

    void aTextThatIsNoConfigurationIsRefused()
    {
        const auto refuses = [](const Finished &check, const char *why) {
            return check.exitCode == 2 && check.complainsOnce() && check.out.isEmpty() && check.err.contains(why);
        };
        QVERIFY(refuses(checkText({}), "standard input: no setting"));
        QVERIFY(refuses(checkText("# zk1\n\ntickTime=2000\n=hello\n"), "standard input:4: \"=hello\""));
        QVERIFY(refuses(checkText(QByteArray("a=1\n\0=2\n", 8)), "standard input:2: a control character"));
        QVERIFY(refuses(checkText(QByteArray((1 << 20) + 1, 'a')), "more than 1 MiB"));
        QVERIFY(refuses(checkText("a=1\n", "--server-config -"), "once"));
        QVERIFY(refuses(checkText("a=1\n", "--connect 127.0.0.1:1"), "leave --connect out"));
        QVERIFY(refuses(checkText("a=1\n", "--server-config /nonexistent/zoo.cfg"), "/nonexistent/zoo.cfg"));
    }

    void withoutServersOrWithBadOnesItIsRefused()
    {
        for (const char *const command : {"cluster status", "cluster check"}) {
            const Finished none = m_drover.run(words(command));
            QVERIFY2(none.exitCode == 6 && none.complainsOnce(), none.err);
            const Finished bad = run(command, QStringLiteral("zk1:port"));
            QVERIFY2(bad.exitCode == 2 && bad.complainsOnce() && bad.err.contains("--connect"), bad.err);
        }
    }
};

QTEST_GUILESS_MAIN(ClusterStatusTest)
#include "cluster_status_test.moc"
