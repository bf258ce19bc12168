#include "async/or_timeout.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/server/four_letter_word.h"
#include "zk/server/free_port.h"
#include "zk/server/local_server.h"

#include <QDataStream>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

template <typename Error, typename Action>
QString messageOf(Action action)
{
    try {
        action();
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

// Opens a session by hand, which is one transaction: version, last zxid, time-out, id and password of an old session.
void openSession(quint16 port)
{
    QByteArray request;
    QDataStream stream(&request, QIODevice::WriteOnly);
    stream << qint32(44) << qint32(0) << qint64(0) << qint32(30000) << qint64(0) << QByteArray(16, '\0');
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
    socket.write(request);
    QVERIFY(QTest::qWaitFor([&] { return socket.bytesAvailable() > 0; }, 30000));
}

qlonglong zxidOf(TestServer &server)
{
    return zk::fieldOf(server.ask("srvr"), "Zxid").toLongLong(nullptr, 16);
}

} // namespace

class LocalServerTest : public QObject
{
    Q_OBJECT

private:
    async::QtLoop m_loop;

private Q_SLOTS:
    void startsAnswersAndStops()
    {
        TestServer server;
        QElapsedTimer clock;
        clock.start();
        server.start();
        qInfo("a standalone server was ready after %lld ms", clock.elapsed());
        QCOMPARE(server.ask("ruok"), QByteArray("imok"));
        QCOMPARE(zk::fieldOf(server.ask("srvr"), "Mode"), QByteArray("standalone"));
        QCOMPARE(zk::fieldOf(server.ask("conf"), "minSessionTimeout"), QByteArray("1000"));
        QVERIFY(zk::fieldOf(server.ask("mntr"), "zk_version").startsWith("3."));
        server.stop();
        QVERIFY(!server.server().running());
        QVERIFY_THROWS_EXCEPTION(zk::NoAnswer, server.ask("ruok"));
    }

    void listensOnLoopbackAlone()
    {
        TestServer server;
        server.start();
        QTcpServer probe; // another loopback address with the same port is free
        QVERIFY2(probe.listen(QHostAddress(QStringLiteral("127.0.0.2")), server.port()),
                 qPrintable(probe.errorString()));
    }

    void killAndRestartKeepPortAndData()
    {
        TestServer server;
        server.start();
        const quint16 port = server.port();
        const qint64 pid = server.server().pid();
        openSession(port);
        const qlonglong zxid = zxidOf(server);
        QVERIFY(zxid > 0);
        server.kill9();
        QVERIFY(!server.server().running());
        server.restart();
        QCOMPARE(server.port(), port);
        QVERIFY(server.server().pid() != pid);
        QCOMPARE(zxidOf(server), zxid);
    }

    void pausedServerKeepsSilentUntilResumed()
    {
        TestServer server;
        server.start();
        server.pause();
        const auto ask = [&] { return zk::fourLetterWord(QStringLiteral("127.0.0.1"), server.port(), "ruok"); };
        QVERIFY_THROWS_EXCEPTION(async::Timeout, await(async::orTimeout(m_loop, ask(), 300ms)));
        server.resume();
        QCOMPARE(server.ask("ruok"), QByteArray("imok"));
        server.pause();
        server.stop(); // gracefully, although it was paused
        QVERIFY(!server.server().running());
    }

    void aTakenPortIsAnErrorOfOneLine()
    {
        QTcpServer thief;
        QVERIFY(thief.listen(QHostAddress::LocalHost, zk::freePorts(1).first()));
        zk::LocalServerOptions options = testServerOptions();
        options.clientPort = thief.serverPort();
        TestServer server(options);
        const QString message = messageOf<zk::LocalServerError>([&] { server.start(); });
        QVERIFY2(message.contains(QStringLiteral("port %1 is taken").arg(thief.serverPort())), qPrintable(message));
        QVERIFY2(!message.contains(u'\n'), qPrintable(message));
        QVERIFY(!server.server().running());
    }

    void missingProgramsSayWhatToInstall()
    {
        zk::LocalServerOptions options = testServerOptions();
        options.installation.javaHome.clear();
        options.installation.path = QStringLiteral("/nonexistent");
        TestServer noJava(options);
        const QString java = messageOf<zk::NotInstalled>([&] { noJava.start(); });
        QVERIFY2(java.contains(QStringLiteral("apt-get install default-jre-headless")), qPrintable(java));

        options = testServerOptions();
        options.installation.jars = QStringLiteral("/nonexistent");
        TestServer noPackage(options);
        const QString package = messageOf<zk::NotInstalled>([&] { noPackage.start(); });
        QVERIFY2(package.contains(QStringLiteral("apt-get install zookeeper")), qPrintable(package));
    }

    void aDirectoryServesOneServer()
    {
        TestServer first;
        first.start();
        zk::LocalServerOptions options = first.server().options();
        options.clientPort = 0;
        zk::LocalServer second(m_loop, options);
        const QString message = messageOf<zk::LocalServerError>([&] { await(second.start()); });
        QVERIFY2(message.contains(QString::number(first.server().pid())), qPrintable(message));
        QCOMPARE(first.ask("ruok"), QByteArray("imok"));
    }

    void aDetachedServerOutlivesItsOwnerAndIsAdopted()
    {
        const QTemporaryDir directory;
        zk::LocalServerOptions options = testServerOptions();
        options.directory = directory.path();
        options.lifetime = zk::Lifetime::Detached;
        quint16 port = 0;
        {
            zk::LocalServer owner(m_loop, options);
            await(owner.start());
            port = owner.port();
        }
        zk::LocalServer heir(m_loop, options);
        QVERIFY(heir.adopt());
        QCOMPARE(heir.port(), port);
        QCOMPARE(await(zk::fourLetterWord(QStringLiteral("127.0.0.1"), port, "ruok")), QByteArray("imok"));
        await(heir.stop());
        QVERIFY(!heir.running());
        QVERIFY(!zk::LocalServer(m_loop, options).adopt());
    }

    void aServerDiesWithTheProgramThatStartedIt()
    {
        int pipes[2];
        QCOMPARE(pipe(pipes), 0);
        const pid_t program = fork();
        if (program == 0) { // a program that starts a process and is then killed, without a chance to clean up
            zk::ServerProcess process;
            process.start(QStringLiteral("/bin/sleep"), {QStringLiteral("1000")}, QStringLiteral("/dev/null"),
                          zk::Lifetime::WithStarter);
            const qint64 pid = process.running() ? process.pid() : 0;
            [[maybe_unused]] const auto written = write(pipes[1], &pid, sizeof pid);
            kill(getpid(), SIGKILL);
        }
        qint64 pid = 0;
        QCOMPARE(read(pipes[0], &pid, sizeof pid), ssize_t(sizeof pid));
        close(pipes[0]);
        close(pipes[1]);
        QCOMPARE(waitpid(program, nullptr, 0), program);
        QVERIFY(pid > 0);
        zk::ServerProcess orphan;
        QVERIFY(QTest::qWaitFor([&] { return !orphan.adopt(pid, QStringLiteral("1000")) || !orphan.running(); }));
    }

    void portsAreBelowTheEphemeralRangeAndDiffer()
    {
        const QList<quint16> ports = zk::freePorts(20);
        QCOMPARE(QSet<quint16>(ports.begin(), ports.end()).size(), 20);
        QFile range(QStringLiteral("/proc/sys/net/ipv4/ip_local_port_range"));
        QVERIFY(range.open(QIODevice::ReadOnly));
        const int first = range.readAll().simplified().split(' ').first().toInt();
        for (const quint16 port : ports)
            QVERIFY(port < first || first < 11000);
    }
};

QTEST_GUILESS_MAIN(LocalServerTest)
#include "local_server_test.moc"
