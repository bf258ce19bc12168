#include "app/cluster/local_cluster.h"

#include "app/cli/failure.h"
#include "app/environment/credentials_file.h"
#include "app/environment/directories.h"
#include "async/or_timeout.h"
#include "jobs/cluster/close_tree.h"
#include "zk/client/session.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>
#include <csignal>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds FirstPause = 500ms;
constexpr std::chrono::milliseconds LongestPause = 30s;
constexpr auto WorkersStopLimit = 25s; // more than the worker's own grace, and then that of most jobs
constexpr auto WorkersKillLimit = 5s; // after a second signal, to give back what they have killed
constexpr int MostQuickEnds = 5;
constexpr auto ConnectLimit = 30s;
constexpr auto QuietStop = 500ms;
constexpr qint64 LogLimit = qint64(10) * 1024 * 1024;

} // namespace

LocalCluster::LocalCluster(async::Loop &loop, LocalClusterOptions options)
    : m_loop(loop), m_options(std::move(options)), m_servers(loop, serversFolder(), m_options.servers, m_options.port)
{
}

LocalCluster::~LocalCluster() = default;

QString LocalCluster::serversFolder()
{
    return dataDirectory() + QStringLiteral("/zookeeper");
}

QByteArray LocalCluster::historyVariable(const QString &history)
{
    return history.isEmpty() ? QByteArrayLiteral("none") : history.toLocal8Bit();
}

QString LocalCluster::logFile(int index)
{
    return stateDirectory() + QStringLiteral("/%1.log").arg(workerId(index));
}

async::Task<void> LocalCluster::startServers()
{
    makeDirectory(stateDirectory());
    co_await m_servers.start();
    zk::SessionOptions options;
    options.servers = connectString();
    if (!m_options.open)
        m_trust.emplace(trustDirectory(), jobs::Layout(m_options.cluster), connectString());
    options.access = access();
    if (m_options.open) {
        const std::vector<zk::AuthInfo> admins = LocalTrust::adminsIn(trustDirectory());
        options.access.auth.insert(options.access.auth.end(), admins.begin(), admins.end());
    }
    zk::Session session(m_loop, options);
    session.open();
    co_await async::orTimeout(m_loop, session.connected(), ConnectLimit);
    if (m_trust) {
        co_await m_trust->closeServer(session);
        const QString file = co_await m_trust->credentialsForJobs(session);
        m_jobCredentials = file;
        if (file.isEmpty())
            Output::message(QStringLiteral("the jobs get no credentials, because this cluster's root key is not in %1; "
                                           "bring it back for one start of drover up, which makes them")
                                .arg(trustDirectory()));
    } else {
        co_await makeOpen(session);
    }
    co_await session.close();
}

zk::Access LocalCluster::access() const
{
    return m_trust ? m_trust->access() : accessWith(nullptr, jobs::Layout(m_options.cluster));
}

async::Task<void> LocalCluster::makeOpen(zk::Client &session) const
{
    const jobs::Layout layout(m_options.cluster);
    const std::optional<bool> open = co_await jobs::isOpen(jobs::Cluster(session, layout));
    if (open == false)
        throw CommandError(ExitWrongState,
                           QStringLiteral("cluster %1 in %2 is closed, and --open is for a new one: leave it out, or "
                                          "choose another name with --cluster")
                               .arg(QString::fromLatin1(m_options.cluster), dataDirectory()));
    co_await session.ensurePath(layout.root());
}

void LocalCluster::startWorkers()
{
    for (int i = 0; i < m_options.workers; ++i)
        m_workers.push_back(std::make_unique<ChildProcess>());
    for (int i = 0; i < m_options.workers; ++i)
        m_ends.push_back({.logBegin = QFile(logFile(i)).size()});
    m_servers.keepRunning();
    for (int i = 0; i < m_options.workers; ++i)
        m_tasks.spawn(keepWorker(i));
}

std::optional<int> LocalCluster::failingWorker() const
{
    const auto failing =
        std::find_if(m_ends.begin(), m_ends.end(), [](const WorkerEnds &ends) { return ends.quick >= MostQuickEnds; });
    return failing == m_ends.end() ? std::nullopt : std::optional(int(failing - m_ends.begin()));
}

QString LocalCluster::reasonOf(int worker) const
{
    const WorkerEnds &ends = m_ends[static_cast<std::size_t>(worker)];
    const QString line = lastLine(logFile(worker), ends.logBegin);
    if (!line.isEmpty())
        return line;
    return ends.last.isEmpty() ? QStringLiteral("it has written nothing") : ends.last;
}

async::Task<void> LocalCluster::keepWorker(int index)
{
    ChildProcess &process = *m_workers[static_cast<std::size_t>(index)];
    const QString log = logFile(index);
    process.setLogFile(log);
    process.setDeathSignal(SIGTERM);
    // Not as an argument, which everybody on the machine can read: it may hold a password.
    process.setVariable("DROVER_HISTORY", historyVariable(m_options.history));
    QStringList arguments{QStringLiteral("worker"),
                          QStringLiteral("--connect"),
                          connectString(),
                          QStringLiteral("--cluster"),
                          QString::fromLatin1(m_options.cluster),
                          QStringLiteral("--credentials"),
                          m_trust ? m_trust->file() : QStringLiteral("none"),
                          QStringLiteral("--id"),
                          workerId(index),
                          QStringLiteral("--listen"),
                          QStringLiteral("127.0.0.1"),
                          QStringLiteral("--slots"),
                          QString::number(m_options.slotsPerWorker),
                          QStringLiteral("--allow-root"),
                          QStringLiteral("--policy"),
                          QStringLiteral("none")};
    if (!m_jobCredentials.isEmpty())
        arguments += {QStringLiteral("--job-credentials"), m_jobCredentials};
    if (m_options.allowSetuid)
        arguments.append(QStringLiteral("--allow-setuid"));
    std::chrono::milliseconds pause = FirstPause;
    WorkerEnds &ends = m_ends[static_cast<std::size_t>(index)];
    while (!m_stopping) {
        if (QFile(log).size() > LogLimit && QFile::remove(log))
            ends.logBegin = 0;
        const async::TimePoint begun = m_loop.now();
        const QString trouble = process.start(QCoreApplication::applicationFilePath(), arguments);
        if (trouble.isEmpty())
            co_await process.ended();
        if (m_stopping)
            break;
        ++ends.quick;
        if (m_loop.now() - begun > LongestPause) {
            pause = FirstPause;
            ends.quick = 0;
        }
        ends.last = trouble.isEmpty() ? QStringLiteral("exit code %1").arg(process.exitCode()) : trouble;
        Output::message(QStringLiteral("worker %1 has ended (%2); starting it again (its log: %3)")
                            .arg(workerId(index), ends.last, log));
        co_await async::sleepFor(m_loop, pause);
        pause = std::min(2 * pause, LongestPause);
    }
}

async::Task<void> LocalCluster::stopWorkers(async::Duration limit)
{
    for (const auto &worker : m_workers) {
        if (worker->running())
            worker->signalGroup(SIGTERM);
    }
    const auto isRunning = [](const auto &worker) { return worker->running(); };
    const async::TimePoint deadline = m_loop.now() + limit;
    const async::Timer patience = m_loop.after(QuietStop, [this] { tellWhoIsAwaited(); });
    while (std::any_of(m_workers.begin(), m_workers.end(), isRunning) && m_loop.now() < deadline)
        co_await async::sleepFor(m_loop, 20ms);
}

// Says once, after a moment, what a stop waits for.
void LocalCluster::tellWhoIsAwaited() const
{
    QStringList awaited;
    for (std::size_t i = 0; i < m_workers.size(); ++i) {
        if (m_workers[i]->running())
            awaited.append(workerId(static_cast<int>(i)));
    }
    if (!awaited.isEmpty())
        Output::message(QStringLiteral("waiting for the jobs of %1: after 10s they are ended, and begin again with the "
                                       "next drover up")
                            .arg(awaited.join(QStringLiteral(", "))));
}

async::Task<void> LocalCluster::stop()
{
    m_stopping = true;
    co_await stopWorkers(WorkersStopLimit);
    co_await stopWorkers(WorkersKillLimit);
    m_tasks.cancelAll();
    m_workers.clear();
    co_await m_servers.stop();
}

QString lastLine(const QString &log, qint64 from)
{
    QFile file(log);
    if (!file.open(QIODevice::ReadOnly) || !file.seek(from))
        return {};
    const QString line = QString::fromUtf8(file.readAll().trimmed().split('\n').last());
    return line.startsWith(u"drover: ") ? line.mid(8) : line;
}

} // namespace drover::app
