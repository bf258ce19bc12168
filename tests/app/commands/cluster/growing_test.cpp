#include "app/support/drover_program.h"
#include "zk/server/free_port.h"
#include "zk/server/java_installation.h"

#include <QDir>
#include <QJsonArray>
#include <QScopeGuard>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

namespace {

// The machines zk1, zk2 and zk3 are folders here: ssh runs a command with the paths of its machine, and systemctl runs
// a real server, whose addresses are those of this machine.
const char Ssh[] = R"(#!/bin/sh
export HOST=$1; shift
command=$(printf %s "$*" | sed "s, /var/, $ROOT/$HOST/var/,g; s, /etc/, $ROOT/$HOST/etc/,g")
exec sh -c "$command"
)";

const char Systemctl[] = R"(#!/bin/sh
cd $ROOT/$HOST
case $1 in
start)
    sed "s,=/var/,=$ROOT/$HOST/var/,; s,zk1:2888:3888,127.0.0.1:$PEERS1,; s,zk2:2888:3888,127.0.0.1:$PEERS2,
         s,zk3:2888:3888,127.0.0.1:$PEERS3,; s,clientPort=2181,clientPort=$(cat port)," \
        etc/zookeeper/conf/zoo.cfg > used.cfg
    setsid "$JAVA" -Xmx256m -XX:TieredStopAtLevel=1 -cp "$JARS" \
        org.apache.zookeeper.server.quorum.QuorumPeerMain used.cfg > log 2>&1 < /dev/null &
    echo $! > pid ;;
stop)
    kill $(cat pid)
    while kill -0 $(cat pid) 2> /dev/null; do sleep 0.1; done ;;
esac
)";

const char Config[] = "tickTime=2000\ndataDir=/var/lib/zookeeper\nclientPort=2181\nclientPortAddress=127.0.0.1\n"
                      "admin.enableServer=false\n4lw.commands.whitelist=srvr,mntr,conf\nmaxClientCnxns=0\n";

} // namespace

// The page packaging/docs/growing-zookeeper.md, command by command, while jobs run.
class GrowingTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;
    QList<quint16> m_ports = zk::freePorts(9);

    QString root() const { return m_drover.directory() + QStringLiteral("/machines"); }
    QString address(int server) const { return QStringLiteral("127.0.0.1:%1").arg(m_ports[server]); }
    QString all() const { return address(0) + u',' + address(1) + u',' + address(2); }

    static void write(const QString &path, const QByteArray &text, bool isProgram = false)
    {
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        if (isProgram)
            file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    void makeMachines()
    {
        const zk::JavaInstallation installation;
        m_drover.setVariable("ROOT", root());
        m_drover.setVariable("JAVA", installation.java());
        m_drover.setVariable("JARS", installation.classPath());
        const QString programs = m_drover.directory() + QStringLiteral("/programs");
        write(programs + QStringLiteral("/ssh"), Ssh, true);
        write(programs + QStringLiteral("/systemctl"), Systemctl, true);
        m_drover.setVariable(
            "PATH", programs + u':' + qEnvironmentVariable("DROVER_BIN_DIR") + u':' + qEnvironmentVariable("PATH"));
        for (int i = 0; i < 3; ++i) {
            const QString machine = QStringLiteral("%1/zk%2").arg(root()).arg(i + 1);
            write(machine + QStringLiteral("/etc/zookeeper/conf/zoo.cfg"), i == 0 ? Config : "");
            write(machine + QStringLiteral("/port"), QByteArray::number(m_ports[i]));
            QDir().mkpath(machine + QStringLiteral("/var/lib/zookeeper"));
            m_drover.setVariable(QStringLiteral("PEERS%1").arg(i + 1).toLatin1(),
                                 QStringLiteral("%1:%2").arg(m_ports[3 + i]).arg(m_ports[6 + i]));
        }
    }

    // What stands in the code blocks of the page.
    QByteArray commandsOfThePage() const
    {
        QFile page(QStringLiteral(DROVER_SOURCE_DIR "/packaging/docs/growing-zookeeper.md"));
        if (!page.open(QIODevice::ReadOnly))
            return {};
        QByteArray commands;
        bool isCode = false;
        for (const QByteArray &line : page.readAll().split('\n')) {
            if (line.startsWith("```"))
                isCode = !isCode;
            else if (isCode)
                commands += line + '\n';
        }
        return commands.replace("zk1,zk2,zk3", all().toUtf8());
    }

    Finished paste(const QByteArray &commands) const
    {
        QProcess shell;
        shell.setProcessEnvironment(m_drover.environment());
        shell.setWorkingDirectory(m_drover.directory());
        shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), QString::fromUtf8(commands)});
        shell.closeWriteChannel();
        return DroverProgram::finish(shell, 180'000);
    }

    qint64 pidOf(int server) const
    {
        QFile file(QStringLiteral("%1/zk%2/pid").arg(root()).arg(server + 1));
        return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toLongLong() : 0;
    }

private Q_SLOTS:
    void initTestCase() { makeMachines(); }

    void cleanupTestCase()
    {
        for (int i = 0; i < 3; ++i) {
            if (pidOf(i) > 0)
                ::kill(static_cast<pid_t>(pidOf(i)), SIGKILL);
        }
    }

    void jobsRunWhileItGrows()
    {
        QVERIFY(paste("ssh zk1 systemctl start zookeeper").exitCode == 0);
        m_drover.setVariable("DROVER_CONNECT", address(0));
        QTRY_COMPARE_WITH_TIMEOUT(m_drover.run(words("cluster status")).exitCode, 0, 60'000);
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --slots 2 --id w1 --grace 1s"));
        const auto endWorker = qScopeGuard([&] {
            worker->terminate();
            DroverProgram::finish(*worker);
        });
        QByteArray seen;
        QVERIFY2(waitForMessage(*worker, ": queues ", seen), seen);
        const QByteArray many =
            m_drover.run(words("submit --array 1-60%1 -- sh -c") << QStringLiteral("sleep 0.3")).out;
        const QByteArray one =
            m_drover.run(words("submit -- sh -c") << QStringLiteral("until test -e grown; do sleep 0.1; done")).out;

        const QByteArray commands = commandsOfThePage();
        QVERIFY(commands.count("ssh ") > 5);
        const Finished grown = paste("set -e\n" + commands);
        QVERIFY2(grown.exitCode == 0, grown.out + grown.err);
        QVERIFY2(grown.out.contains("3 of 3 servers serve, 2 must: 1 may fail"), grown.out);
        QVERIFY2(grown.out.contains("3 voting servers") && grown.out.contains("0 problems"), grown.out);

        write(m_drover.directory() + QStringLiteral("/grown"), {});
        const Finished ended = m_drover.run(
            {QStringLiteral("wait"), QString::fromUtf8(many.trimmed()), QString::fromUtf8(one.trimmed())}, 120'000);
        QVERIFY2(ended.exitCode == 0, ended.out + ended.err);
    }

    void anyOfTheThreeMayFail()
    {
        m_drover.setVariable("DROVER_CONNECT", all());
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --id w2 --grace 1s"));
        const auto endWorker = qScopeGuard([&] {
            worker->terminate();
            DroverProgram::finish(*worker);
        });
        QVERIFY(pidOf(0) > 0 && ::kill(static_cast<pid_t>(pidOf(0)), SIGKILL) == 0); // the one of before
        QCOMPARE(m_drover.run(words("run --connect-timeout 50s -- echo alive")).out, "alive\n");
        const auto status = [this] { return m_drover.run(words("cluster status")).out; };
        QTRY_VERIFY_WITH_TIMEOUT(status().contains("2 of 3 servers serve, 2 must: none may fail"), 60'000);
    }
};

QTEST_GUILESS_MAIN(GrowingTest)
#include "growing_test.moc"
