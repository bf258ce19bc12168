#include "core/history/postgres_server.h"

#include "support/send_signal.h"
#include "zk/server/free_port.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

#include <csignal>

#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace drover::test {

PostgresServer::PostgresServer() : m_port(zk::freePorts(1).first())
{
    if (::geteuid() == 0) {
        const passwd *const user = ::getpwnam("postgres");
        if (!user || ::chown(QFile::encodeName(m_directory.path()).constData(), user->pw_uid, user->pw_gid) != 0)
            throw std::runtime_error("PostgreSQL does not run as root, and there is no user postgres");
    }
    prepare(m_server);
    run("initdb",
        {QStringLiteral("--pgdata"), m_directory.filePath(QStringLiteral("data")), QStringLiteral("--username"),
         QStringLiteral("drover"), QStringLiteral("--auth=trust"), QStringLiteral("--encoding=UTF8"),
         QStringLiteral("--locale=C"), QStringLiteral("--no-sync")});
    start();
}

PostgresServer::~PostgresServer()
{
    if (m_server.state() == QProcess::NotRunning)
        return;
    sendSignal(m_server, SIGINT); // its "fast" shutdown
    if (!m_server.waitForFinished(20'000)) {
        m_server.kill();
        m_server.waitForFinished();
    }
}

// Of the newest version that is installed.
QString PostgresServer::program(const char *name)
{
    QDir versions(QStringLiteral("/usr/lib/postgresql"));
    QStringList directories;
    for (const QString &version : versions.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed))
        directories.append(versions.filePath(version + QStringLiteral("/bin")));
    QString found = QStandardPaths::findExecutable(QLatin1String(name), directories);
    if (found.isEmpty())
        found = QStandardPaths::findExecutable(QLatin1String(name));
    if (found.isEmpty())
        throw std::runtime_error("PostgreSQL is not installed: apt-get install postgresql");
    return found;
}

void PostgresServer::prepare(QProcess &process) const
{
    process.setWorkingDirectory(m_directory.path());
    process.setProcessChannelMode(QProcess::MergedChannels);
    const passwd *const user = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr;
    const uid_t uid = user ? user->pw_uid : 0;
    const gid_t gid = user ? user->pw_gid : 0;
    process.setChildProcessModifier([uid, gid] {
        if (uid != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(gid) != 0 || ::setuid(uid) != 0))
            ::_exit(126);
        ::prctl(PR_SET_PDEATHSIG, SIGQUIT); // after setuid, which would take it back
    });
}

void PostgresServer::run(const char *name, const QStringList &arguments)
{
    QProcess process;
    prepare(process);
    process.start(program(name), arguments);
    if (!process.waitForFinished(120'000) || process.exitCode() != 0)
        throw std::runtime_error(std::string(name) + ": " + process.readAll().toStdString());
}

// After kill9() the processes of its sessions may live a moment longer, and then a new server refuses the directory.
void PostgresServer::start()
{
    QByteArray log;
    const auto start = [&] {
        log = tryToStart();
        return !log.contains("is still in use");
    };
    if (!QTest::qWaitFor(start, 60'000) || !log.contains("ready to accept connections"))
        throw std::runtime_error("the PostgreSQL server does not start: " + log.toStdString());
}

// Its log is a file: a pipe that is not read while a test waits for an answer would fill up, and stop it.
QByteArray PostgresServer::tryToStart()
{
    QFile written(m_directory.filePath(QStringLiteral("log")));
    written.remove();
    m_server.setStandardOutputFile(written.fileName());
    m_server.start(program("postgres"),
                   {QStringLiteral("-D"), m_directory.filePath(QStringLiteral("data")), QStringLiteral("-p"),
                    QString::number(m_port), QStringLiteral("-k"), m_directory.path(), QStringLiteral("-c"),
                    QStringLiteral("listen_addresses=127.0.0.1"), QStringLiteral("-c"), QStringLiteral("fsync=off"),
                    QStringLiteral("-c"), QStringLiteral("shared_buffers=16MB")});
    QByteArray log;
    const auto hasAnswered = [&] {
        if (written.isOpen() || written.open(QIODevice::ReadOnly))
            log += written.readAll();
        return log.contains("ready to accept connections") || m_server.state() == QProcess::NotRunning;
    };
    [[maybe_unused]] const bool inTime = QTest::qWaitFor(hasAnswered, 60'000);
    return log;
}

void PostgresServer::kill9()
{
    const QString main = QString::number(m_server.processId());
    QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(main));
    const QByteArrayList sessions =
        children.open(QIODevice::ReadOnly) ? children.readAll().simplified().split(' ') : QByteArrayList();
    m_server.kill();
    m_server.waitForFinished();
    for (const QByteArray &session : sessions) { // they would answer for a moment longer
        if (session.toInt() > 1)
            ::kill(session.toInt(), SIGKILL);
    }
}

QString PostgresServer::newDatabase(const QString &options)
{
    const QString name = QStringLiteral("test%1").arg(++m_databases);
    run("psql",
        {QStringLiteral("--no-psqlrc"), QStringLiteral("--host"), QStringLiteral("127.0.0.1"), QStringLiteral("--port"),
         QString::number(m_port), QStringLiteral("--username"), QStringLiteral("drover"), QStringLiteral("--command"),
         QStringLiteral("CREATE DATABASE %1 %2").arg(name, options), QStringLiteral("postgres")});
    return name;
}

QString PostgresServer::url(const QString &database) const
{
    return QStringLiteral("postgresql://drover@127.0.0.1:%1/%2").arg(m_port).arg(database);
}

} // namespace drover::test
