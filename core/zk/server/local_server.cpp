#include "zk/server/local_server.h"

#include "async/or_timeout.h"
#include "posix/disk_space.h"
#include "zk/server/four_letter_word.h"
#include "zk/server/free_port.h"
#include "zk/server/server_settings.h"

#include <QDir>
#include <QFile>

#include <csignal>

namespace drover::zk {

using namespace std::chrono_literals;

namespace {

constexpr auto pollInterval = 10ms;
constexpr qint64 logLimit = 4 << 20;

QString localHost()
{
    return QStringLiteral("127.0.0.1");
}

void write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size() || !file.flush())
        throw LocalServerError(QStringLiteral("cannot write %1: %2").arg(path, file.errorString()).toStdString());
}

QByteArray read(const QString &path, qint64 from = 0)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || !file.seek(from))
        return {};
    return file.readAll();
}

QString configIn(const QString &directory)
{
    return directory + QStringLiteral("/zoo.cfg");
}

QString pidFileIn(const QString &directory)
{
    return directory + QStringLiteral("/server.pid");
}

QByteArray number(std::chrono::milliseconds time)
{
    return QByteArray::number(static_cast<qint64>(time.count()));
}

} // namespace

LocalServer::LocalServer(async::Loop &loop, LocalServerOptions options)
    : m_loop(loop), m_options(std::move(options)), m_port(m_options.clientPort)
{
    m_options.directory = QDir(m_options.directory).absolutePath();
}

LocalServer::~LocalServer() = default;

async::Task<void> LocalServer::start()
{
    if (running())
        co_return;
    prepare();
    const async::TimePoint deadline = m_loop.now() + m_options.startLimit;
    for (;;) {
        launch();
        const StartResult outcome = co_await served(deadline);
        if (outcome == StartResult::Serving)
            break;
        if (outcome == StartResult::TimedOut) {
            const LocalServerError error = failure(QStringLiteral("did not answer in time"));
            co_await kill9();
            throw error;
        }
        // The port may be taken: another free one will do, but clients know the one of a server that has served.
        const bool mayRetry = m_hasServed || m_options.clientPort == 0;
        if (!mayRetry || !newLog().contains("Address already in use"))
            throw failure(QStringLiteral("ended at once"));
        if (!m_hasServed)
            m_port = 0;
        co_await async::sleepFor(m_loop, 200ms);
    }
    m_hasServed = true;
}

async::Task<void> LocalServer::stop()
{
    m_process.signal(SIGTERM);
    m_process.signal(SIGCONT); // a paused server could not obey
    co_await ended(m_options.stopLimit);
    co_await kill9();
}

async::Task<void> LocalServer::kill9()
{
    m_process.signal(SIGKILL);
    co_await ended(1min);
    QFile::remove(pidFile());
}

async::Task<void> LocalServer::restart()
{
    co_await stop();
    co_await start();
}

async::Task<void> LocalServer::pause()
{
    m_process.signal(SIGSTOP);
    while (running() && !m_process.stopped())
        co_await async::sleepFor(m_loop, 1ms);
}

void LocalServer::resume()
{
    m_process.signal(SIGCONT);
}

bool LocalServer::adopt()
{
    if (!m_process.adopt(read(pidFile()).trimmed().toLongLong(), configFile()))
        return false;
    m_port = lastPort(m_options.directory);
    m_hasServed = true;
    return true;
}

QString LocalServer::connectString() const
{
    return QStringLiteral("%1:%2").arg(localHost()).arg(m_port);
}

void LocalServer::prepare()
{
    requireNoneIn(m_options.directory);
    if (!QDir().mkpath(dataDirectory()))
        throw LocalServerError(QStringLiteral("cannot make the directory %1").arg(dataDirectory()).toStdString());
    if (m_port == 0) {
        const quint16 last = lastPort(m_options.directory);
        m_port = isFreePort(last) ? last : 0;
    }
    if (m_options.id > 0)
        write(dataDirectory() + QStringLiteral("/myid"), QByteArray::number(m_options.id) + '\n');
    if (QFile(logFile()).size() > logLimit) {
        QFile::remove(logFile() + QStringLiteral(".old"));
        QFile::rename(logFile(), logFile() + QStringLiteral(".old"));
    }
}

void LocalServer::launch()
{
    const QString java = m_options.installation.java();
    if (m_port == 0)
        m_port = freePorts(1).first();
    if (read(configFile()) != config()) // without space a write would leave nothing of it
        write(configFile(), config());
    m_logStart = QFile(logFile()).size();
    const QString error = m_process.start(java, arguments(), logFile(), m_options.lifetime);
    if (!error.isEmpty())
        throw LocalServerError(QStringLiteral("cannot start %1: %2").arg(java, error).toStdString());
    write(pidFile(), QByteArray::number(m_process.pid()) + '\n');
}

async::Task<LocalServer::StartResult> LocalServer::served(async::TimePoint deadline)
{
    // ZooKeeper 3.8 sometimes never answers a connection that it got in its first milliseconds: ask again soon, and be
    // patient only with a server that is slow.
    std::chrono::milliseconds limit = 250ms;
    while (m_loop.now() < deadline) {
        const async::TimePoint asked = m_loop.now();
        const bool serving = co_await answers(limit);
        if (serving)
            co_return StartResult::Serving;
        if (!running())
            co_return StartResult::Exited;
        if (m_loop.now() - asked >= limit)
            limit = std::min<std::chrono::milliseconds>(2 * limit, 5s);
        co_await async::sleepFor(m_loop, pollInterval);
    }
    co_return StartResult::TimedOut;
}

// Whether this very server answers. Another one may have got the port: only `conf` tells whose data is served.
async::Task<bool> LocalServer::answers(std::chrono::milliseconds limit)
{
    try {
        const QByteArray conf =
            co_await async::orTimeout(m_loop, fourLetterWord(localHost(), m_port, QByteArrayLiteral("conf")), limit);
        co_return fieldOf(conf, "dataDir").startsWith(QFile::encodeName(dataDirectory()) + '/');
    } catch (const NoAnswer &) {
        co_return false;
    } catch (const async::Timeout &) {
        co_return false;
    }
}

async::Task<void> LocalServer::ended(std::chrono::milliseconds limit)
{
    const async::TimePoint deadline = m_loop.now() + limit;
    while (running() && m_loop.now() < deadline)
        co_await async::sleepFor(m_loop, pollInterval);
}

quint16 LocalServer::lastPort(const QString &directory)
{
    return fieldOf(read(configIn(directory)), "clientPort").toUShort();
}

void LocalServer::requireNoneIn(const QString &directory)
{
    ServerProcess other;
    const QString absolute = QDir(directory).absolutePath();
    const qint64 pid = read(pidFileIn(absolute)).trimmed().toLongLong();
    if (pid > 0 && other.adopt(pid, configIn(absolute)))
        throw LocalServerError(QStringLiteral("a ZooKeeper server (pid %1) already runs in %2; stop it first")
                                   .arg(pid)
                                   .arg(absolute)
                                   .toStdString());
}

QString LocalServer::configFile() const
{
    return configIn(m_options.directory);
}

QString LocalServer::pidFile() const
{
    return pidFileIn(m_options.directory);
}

QString LocalServer::logFile() const
{
    return m_options.directory + QStringLiteral("/server.log");
}

QString LocalServer::dataDirectory() const
{
    return m_options.directory + QStringLiteral("/data");
}

QByteArray LocalServer::config() const
{
    const auto wanted = [](const ServerSetting &each) { return each.line().toLatin1(); };
    QByteArrayList lines{
        "dataDir=" + QFile::encodeName(dataDirectory()),
        "clientPort=" + QByteArray::number(m_port),
        "clientPortAddress=127.0.0.1",
        "tickTime=" + number(m_options.tickTime),
        wanted(setting("maxClientCnxns")),
        wanted(setting("admin.enableServer")),
        wanted(setting("4lw.commands.whitelist")) + (m_options.namesSessions ? ",ruok,cons,wchp" : ",ruok"),
        "extendedTypesEnabled=true", // TTL nodes
        wanted(setting("autopurge.snapRetainCount")),
        wanted(setting("autopurge.purgeInterval")),
        "snapCount=" + QByteArray::number(m_options.snapCount),
        QByteArray("forceSync=") + (m_options.fsync ? "yes" : "no"),
    };
    if (m_options.minSessionTimeout > 0ms)
        lines.append("minSessionTimeout=" + number(m_options.minSessionTimeout));
    if (m_options.maxSessionTimeout > 0ms)
        lines.append("maxSessionTimeout=" + number(m_options.maxSessionTimeout));
    for (const QString &line : m_options.extraConfig)
        lines.append(line.toUtf8());
    return lines.join('\n') + '\n';
}

QStringList LocalServer::arguments() const
{
    QStringList arguments{
        QStringLiteral("-Xmx%1m").arg(m_options.heapMegabytes),
        QStringLiteral("-XX:+UseSerialGC"),
        QStringLiteral("-Xshare:auto"),
        QStringLiteral("-XX:+ExitOnOutOfMemoryError"),
        QStringLiteral("-Dzookeeper.jmx.log4j.disable=true"),
        QStringLiteral("-Dzookeeper.nio.numWorkerThreads=0"), // the selector's does the I/O: a hand-over less a request
        QStringLiteral("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"),
        QStringLiteral("-Dorg.slf4j.simpleLogger.showDateTime=true"),
        QStringLiteral("-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS"),
        QStringLiteral("-Dznode.container.checkIntervalMs=%1").arg(m_options.containerCheckInterval.count()),
    };
    arguments += m_options.jvmFlags;
    arguments += {QStringLiteral("-cp"), m_options.installation.classPath(),
                  QStringLiteral("org.apache.zookeeper.server.quorum.QuorumPeerMain"), configFile()};
    return arguments;
}

QByteArray LocalServer::newLog() const
{
    return read(logFile(), m_logStart);
}

LocalServerError LocalServer::failure(const QString &what) const
{
    return LocalServerError(QStringLiteral("the ZooKeeper server in %1 %2: %3; its log is %4")
                                .arg(m_options.directory, what, reasonIn(newLog()), logFile())
                                .toStdString());
}

// The reasons that a user can remove, in words; of any other the last line that is no line of a stack trace.
QString LocalServer::reasonIn(const QByteArray &log) const
{
    if (log.contains("Address already in use"))
        return QStringLiteral("port %1 is taken (Address already in use): choose another, or none").arg(m_port);
    if (log.contains("No space left on device")
        || posix::isOutOfSpace(QFile::encodeName(m_options.directory).toStdString())) // then the log may be cut, too
        return QStringLiteral("no space is left on its device: make room");
    for (const char *const sign : {"Unable to load database on disk", "No snapshot found, but there are log entries",
                                   "Unreasonable length", "CRC check failed", "invalid magic number"}) {
        if (log.contains(sign))
            return QStringLiteral("its data cannot be read (%1): restore %2 from a copy, or move it away to begin anew")
                .arg(QLatin1String(sign), dataDirectory());
    }
    QByteArrayList lines = log.split('\n');
    lines.removeIf([](const QByteArray &line) { return line.trimmed().isEmpty() || line.startsWith("\tat "); });
    return lines.isEmpty() ? QStringLiteral("it wrote nothing") : QString::fromUtf8(lines.last().trimmed());
}

} // namespace drover::zk
