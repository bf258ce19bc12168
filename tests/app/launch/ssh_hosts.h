#pragma once

#include "app/support/drover_on_server.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTcpServer>
#include <QTest>

#include <unistd.h>

namespace drover::test {

constexpr int LaunchLimitMs = 240'000; // sshd, copies and workers on a busy machine

// A closed cluster, and machines for `drover launch`. Each is a real sshd on a port of its own on loopback, with
// a host key and a folder of its own.
class SshHosts
{
public:
    ~SshHosts()
    {
        for (const std::unique_ptr<QProcess> &server : m_servers) {
            server->terminate();
            server->waitForFinished();
        }
    }

    void startHosts(int count)
    {
        m_cluster.start({"default"});
        m_cluster.drover.setVariable("DROVER_CONNECT", m_cluster.server.connectString());
        if (::geteuid() == 0)
            QDir().mkpath(QStringLiteral("/run/sshd")); // where sshd of root has its processes without rights
        stripPrograms(QStringLiteral("bin"));
        qputenv("DROVER_BIN_DIR", path(QStringLiteral("bin")).toUtf8());
        makeKey(QStringLiteral("id"));
        for (int number = 1; number <= count; ++number)
            startServer(number);
        addToSshConfig(QStringLiteral("refuses"), freePort());
        write(QStringLiteral("ssh_config"), m_sshConfig);
    }

    void stopWorkers()
    {
        writeHosts(allHosts());
        const Finished stopped = launch("stop");
        QVERIFY2(stopped.exitCode == 0, stopped.out + stopped.err);
        QTRY_COMPARE_WITH_TIMEOUT(members().size(), 0, 30'000);
    }

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

    QByteArray allHosts() const
    {
        QByteArray tables;
        for (int number = 1; number <= int(m_servers.size()); ++number)
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

    Finished launch(const char *verb, const char *form = "json") const
    {
        return m_drover.run(
            words("launch") << path(QStringLiteral("hosts.toml"))
                            << words(QStringLiteral("%1 --output %2").arg(QLatin1String(verb), QLatin1String(form))),
            LaunchLimitMs);
    }

    // Later commands are of a program with other bytes.
    void useOtherPrograms(const QByteArray &folder) const
    {
        const Finished copied = m_drover.shell("cp -r bin " + folder + "; echo " + folder + " >>" + folder + "/drover");
        QVERIFY2(copied.exitCode == 0, copied.err);
        qputenv("DROVER_BIN_DIR", path(QString::fromLatin1(folder)).toUtf8());
    }

    // Of the workers that run, by the host's name.
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

    QByteArrayList members() { return m_cluster.children(m_cluster.layout.members()); }

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::vector<std::unique_ptr<QProcess>> m_servers;
    QByteArray m_sshConfig;
};

} // namespace drover::test
