#include "app/support/drover_on_server.h"
#include "posix/process.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QSet>
#include <QTest>

#include <sched.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

namespace {

constexpr int Machines = 5;
constexpr int LimitMs = 240'000; // sshd, copies and workers on a busy machine
const QString Here = QStringLiteral("10.80.0.254");

// Each network name space is made by this process, which has one of its own.
bool hasOwnNetwork = false;

zk::LocalServerOptions reachable()
{
    zk::LocalServerOptions options = testServerOptions();
    options.extraConfig.append(QStringLiteral("clientPortAddress=0.0.0.0")); // the last one counts
    return options;
}

QString hostName(int number)
{
    return QStringLiteral("host-%1").arg(number);
}

} // namespace

// Five machines, each with a network, a host name, processes and a home directory of its own. A cable leads from each
// to a switch, and so does one from here. A real sshd is their first process. For root.
class NetworksTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster{reachable()};
    const DroverProgram &m_drover = m_cluster.drover;
    std::vector<std::unique_ptr<QProcess>> m_machines;

    QString path(const QString &name) const { return m_drover.directory() + u'/' + name; }

    void write(const QString &name, const QByteArray &text, QFile::Permissions more = {}) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | more));
    }

    void require(const QByteArray &script) const
    {
        const Finished finished = m_drover.shell("set -e; " + script);
        QVERIFY2(finished.exitCode == 0, script + ": " + finished.out + finished.err);
    }

    // Its drover is the one of bin, and lets a worker run jobs as root.
    void writeServerConfig(int number) const
    {
        const QByteArray name = hostName(number).toUtf8();
        require("ssh-keygen -q -t ed25519 -N '' -f key-" + name + "; mkdir home-" + name);
        write(QStringLiteral("sshd-") + hostName(number),
              "HostKey " + path(QStringLiteral("key-")).toUtf8() + name
                  + "\nPidFile none\nSetEnv PATH=" + path(QStringLiteral("there")).toUtf8()
                  + ":/usr/bin:/bin\nAuthorizedKeysFile " + path(QStringLiteral("id.pub")).toUtf8()
                  + "\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n"
                    "KbdInteractiveAuthentication no\nLogLevel ERROR\nSubsystem sftp internal-sftp\n");
    }

    void startMachine(int number)
    {
        const QByteArray name = hostName(number).toUtf8();
        writeServerConfig(number);
        auto machine = std::make_unique<QProcess>();
        machine->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        machine->setWorkingDirectory(m_drover.directory());
        machine->setChildProcessModifier([parent = ::getpid()] { posix::dieWith(parent); });
        machine->start(
            QStringLiteral("unshare"),
            words("--net --uts --mount --pid --fork --kill-child --mount-proc sh -c")
                << QStringLiteral("hostname \"$1\" && mount --bind \"home-$1\" /root && ip link set lo up && "
                                  "echo up && read -r cable && exec /usr/sbin/sshd -D -e -f \"$2\"")
                << QStringLiteral("-") << hostName(number) << path(QStringLiteral("sshd-") + hostName(number)));
        QByteArray said;
        QVERIFY2(waitForOutput(*machine, "up\n", said), said);
        const QByteArray digit = QByteArray::number(number);
        require("inside=$(pgrep --parent " + QByteArray::number(machine->processId()) + "); ip link add cable-" + digit
                + " type veth peer name eth0 netns $inside; ip link set cable-" + digit
                + " master switch up; nsenter --target $inside --net sh -c 'ip address add 10.80.0." + digit
                + "/24 dev eth0; ip link set eth0 up'");
        machine->write("plugged in\n");
        m_machines.push_back(std::move(machine));
        require("printf '10.80.0." + digit + " %s\\n' \"$(cut -d ' ' -f 1,2 key-" + name + ".pub)\" >>known");
    }

    QByteArray sshConfigOf(int number, const char *identity = "id", const char *known = "known") const
    {
        return "Host " + hostName(number).toUtf8() + "\n  HostName 10.80.0." + QByteArray::number(number)
            + "\n  User root\n  IdentityFile " + path(QLatin1String(identity)).toUtf8()
            + "\n  IdentitiesOnly yes\n  StrictHostKeyChecking yes\n  GlobalKnownHostsFile none\n  UserKnownHostsFile "
            + path(QLatin1String(known)).toUtf8() + '\n';
    }

    // As it is for all five when nothing is wrong.
    void writeSshConfig() const
    {
        QByteArray config;
        for (int number = 1; number <= Machines; ++number)
            config += sshConfigOf(number);
        write(QStringLiteral("ssh_config"), config);
    }

    void writeHosts() const
    {
        QByteArray text = "ssh_config = \"ssh_config\"\nmin_free = \"1M\"\nconnect = \"" + Here.toUtf8() + ':'
            + QByteArray::number(m_cluster.server.port()) + "\"\ncredentials = \""
            + path(QStringLiteral("xdg_config_home/drover/credentials/default")).toUtf8()
            + "\"\n[worker]\nslots = 2\nallow_root = true\ngrace = \"1m\"\n";
        for (int number = 1; number <= Machines; ++number)
            text += "[[host]]\nname = \"" + hostName(number).toUtf8() + "\"\nworker = { labels = [\""
                + hostName(number).toUtf8() + "\"] }\n";
        write(QStringLiteral("hosts.toml"), text);
    }

    Finished launch(const char *verb) const
    {
        return m_drover.run(words("launch") << path(QStringLiteral("hosts.toml"))
                                            << words(QLatin1String(verb) + QStringLiteral(" --output json")),
                            LimitMs);
    }

    static QMap<QString, QJsonObject> rowsOf(const Finished &finished)
    {
        QMap<QString, QJsonObject> rows;
        for (const QJsonValue &row : json(finished)[u"hosts"].toArray())
            rows[row[u"host"].toString()] = row.toObject();
        return rows;
    }

    static QString whyOf(const Finished &finished, int number)
    {
        return rowsOf(finished)[hostName(number)][u"trouble"].toString();
    }

    void requireAJobRunsAt(int number) const
    {
        const Finished ran = m_drover.run(words(QStringLiteral("run --label %1 -- hostname").arg(hostName(number))));
        QVERIFY2(ran.exitCode == 0 && ran.out == hostName(number).toUtf8() + '\n', ran.out + ran.err);
    }

    QByteArrayList members() { return m_cluster.children(m_cluster.layout.members()); }

    // What `drover up` prints for another machine, with what its reader chooses.
    static QByteArray chosen(QByteArray line, int number, const char *worker, const char *port)
    {
        return line.trimmed()
            .replace("HOST", hostName(number).toUtf8())
            .replace("second", worker)
            .replace("9182", port);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (::geteuid() != 0)
            QSKIP("only root makes network name spaces");
        if (!hasOwnNetwork)
            QSKIP("this kernel or container allows no network name spaces");
        QVERIFY2(QFile::exists(QStringLiteral("/usr/sbin/sshd")), "install openssh-server");
        QDir().mkpath(QStringLiteral("/run/sshd"));
        require("ip link set lo up; ip link add switch type bridge; ip address add " + Here.toUtf8()
                + "/24 dev switch; ip link set switch up; ssh-keygen -q -t ed25519 -N '' -f id; "
                  "ssh-keygen -q -t ed25519 -N '' -f other; : >known; : >empty; mkdir bin there");
        require("for one in drover drover-runner; do strip -o bin/$one $DROVER_BIN_DIR/$one; done");
        qputenv("DROVER_BIN_DIR", path(QStringLiteral("bin")).toUtf8());
        write(QStringLiteral("there/drover"),
              "#!/bin/sh\n[ \"$1\" != worker ] || set -- \"$@\" --allow-root --policy none\nexec "
                  + path(QStringLiteral("bin")).toUtf8() + "/drover \"$@\"\n",
              QFile::ExeOwner);
        for (const char *const program : {"ssh", "scp"}) // of the user who pastes, with our configuration
            write(QStringLiteral("bin/") + QLatin1String(program),
                  QByteArray("#!/bin/sh\nexec /usr/bin/") + program + " -F "
                      + path(QStringLiteral("ssh_config")).toUtf8() + " \"$@\"\n",
                  QFile::ExeOwner);
        m_cluster.start({"default"});
        m_cluster.drover.setVariable("DROVER_CONNECT", m_cluster.server.connectString());
        for (int number = 1; number <= Machines; ++number)
            startMachine(number);
        writeSshConfig();
        writeHosts();
        for (int number = 1; number <= Machines; ++number) {
            const QByteArray ask = "bin/ssh -o BatchMode=yes " + hostName(number).toUtf8() + " true";
            QTRY_VERIFY_WITH_TIMEOUT(m_drover.shell(ask).exitCode == 0, 30'000);
        }
    }

    void cleanup()
    {
        if (m_machines.empty())
            return;
        writeSshConfig();
        for (int number = 1; number <= Machines; ++number)
            require("ip link set cable-" + QByteArray::number(number) + " up");
        const Finished stopped = launch("stop");
        QVERIFY2(stopped.exitCode == 0, stopped.out + stopped.err);
        QTRY_COMPARE_WITH_TIMEOUT(members().size(), 0, 30'000);
    }

    void cleanupTestCase()
    {
        for (const std::unique_ptr<QProcess> &machine : m_machines) {
            machine->kill(); // and with it all processes there
            machine->waitForFinished();
        }
    }

    // Their output is read from them over the network, too.
    void fiveMachinesRunJobs()
    {
        const Finished started = launch("start");
        QVERIFY2(started.exitCode == 0, started.out + started.err);
        QCOMPARE(members().size(), Machines);
        for (int number = 1; number <= Machines; ++number)
            requireAJobRunsAt(number);
        const QMap<QString, QJsonObject> rows = rowsOf(launch("status"));
        QCOMPARE(rows.size(), Machines);
        for (const QJsonObject &row : rows)
            QCOMPARE(row[u"state"].toString(), QStringLiteral("running"));
    }

    // One with an unknown host key, one that does not take our key, and one without a cable.
    void aFailingHostDoesNotStopTheOthers()
    {
        write(QStringLiteral("ssh_config"),
              sshConfigOf(1) + sshConfigOf(2, "id", "empty") + sshConfigOf(3) + sshConfigOf(4, "other")
                  + sshConfigOf(5));
        require("ip link set cable-5 down");
        const Finished started = launch("start");
        QCOMPARE(started.exitCode, 1);
        QVERIFY2(whyOf(started, 2).contains(u"Host key verification failed"), started.out);
        QVERIFY2(whyOf(started, 4).contains(u"Permission denied (publickey)"), started.out);
        QVERIFY2(whyOf(started, 5).contains(u"timed out") || whyOf(started, 5).contains(u"No route"), started.out);
        for (const int number : {1, 3}) {
            QVERIFY2(rowsOf(started)[hostName(number)][u"state"].toString() == u"running", started.out);
            requireAJobRunsAt(number);
        }
        QCOMPARE(members().size(), 2);
    }

    // Other programs for all five, one after the other, while each has jobs.
    void aRollingUpgradeUnderLoadCostsNoJobAnything()
    {
        const Finished first = launch("start");
        QVERIFY2(first.exitCode == 0, first.out + first.err);
        const QString array = QString::fromUtf8(
            m_drover.run(words("submit --array 1-300 -- sh -c") << QStringLiteral("sleep 0.5; hostname"))
                .out.trimmed());
        const QStringList tasksOfIt = words("ls --all --tasks --rows 1000 -o json") << array;
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(tasksOfIt).out.contains("succeeded"), 30'000);
        require("echo other >>bin/drover");
        const Finished upgraded = launch("upgrade");
        QVERIFY2(upgraded.exitCode == 0, upgraded.out + upgraded.err);
        const QMap<QString, QJsonObject> before = rowsOf(first);
        const QMap<QString, QJsonObject> after = rowsOf(launch("status"));
        for (int number = 1; number <= Machines; ++number)
            QVERIFY(after[hostName(number)][u"drover_version"] != before[hostName(number)][u"drover_version"]);
        QCOMPARE(m_drover.run(words("wait") << array, LimitMs).exitCode, 0);
        QSet<QString> succeeded;
        for (const QJsonValue &task : json(m_drover.run(tasksOfIt))[u"jobs"].toArray()) {
            if (task[u"id"].toString() == array)
                continue;
            QVERIFY2(task[u"state"].toString() == u"succeeded"
                         && task[u"attempt"].toInt() == 1, // the first and only one
                     qPrintable(task[u"id"].toString()));
            succeeded.insert(task[u"id"].toString());
        }
        QCOMPARE(succeeded.size(), 300);
    }

    // The lines that `drover up` prints, pasted for two machines. The second one takes another port for its output.
    void otherMachinesJoinByTheLinesOfUp()
    {
        DroverProgram up;
        const std::unique_ptr<QProcess> cluster = up.start(words("up --workers 1 --slots 1"));
        QByteArray printed;
        QVERIFY2(waitForOutput(*cluster, "Ctrl-C stops it\n", printed, LimitMs), printed);
        QByteArrayList lines;
        for (const QByteArray &line : printed.split('\n')) {
            if (line.startsWith("  "))
                lines.append(line);
        }
        QCOMPARE(lines.size(), 3);
        const Finished cordoned = up.run(words("worker cordon up-1"));
        QVERIFY2(cordoned.exitCode == 0, cordoned.err);
        std::vector<std::unique_ptr<QProcess>> pasted;
        for (const int number : {1, 2}) {
            const char *const worker = number == 1 ? "second" : "third";
            const char *const port = number == 1 ? "9182" : "9183";
            for (const QByteArray &line : lines.first(2)) {
                const Finished finished = up.shell(chosen(line, number, worker, port));
                QVERIFY2(finished.exitCode == 0, line + finished.err);
            }
            auto tunnel = std::make_unique<QProcess>();
            tunnel->setProcessEnvironment(up.environment());
            tunnel->setWorkingDirectory(up.directory());
            tunnel->start(QStringLiteral("sh"),
                          {QStringLiteral("-c"),
                           QStringLiteral("PATH=$DROVER_BIN_DIR:$PATH; exec ")
                               + QString::fromUtf8(chosen(lines[2], number, worker, port))});
            QByteArray said;
            const QByteArray joined = QByteArray("worker ") + worker + ": queues ";
            QVERIFY2(waitForMessage(*tunnel, joined, said), said);
            const Finished ran = up.run(words("run -- hostname"));
            QVERIFY2(ran.exitCode == 0 && ran.out == hostName(number).toUtf8() + '\n', ran.out + ran.err);
            QCOMPARE(up.run(words("worker cordon") << QLatin1String(worker)).exitCode, 0);
            pasted.push_back(std::move(tunnel));
        }
        for (const std::unique_ptr<QProcess> &tunnel : pasted) {
            tunnel->kill();
            tunnel->waitForFinished();
        }
    }
};

// Before there is another thread, so that all that this process starts is in its network.
int main(int argc, char **argv)
{
    hasOwnNetwork = ::unshare(CLONE_NEWNET) == 0;
    QCoreApplication application(argc, argv);
    NetworksTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "networks_test.moc"
