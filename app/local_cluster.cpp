#include "app/local_cluster.h"

#include "app/directories.h"
#include "app/failure.h"
#include "app/private_server.h"

#include <QCoreApplication>
#include <QFile>

#include <csignal>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds FirstPause = 500ms;
constexpr std::chrono::milliseconds LongestPause = 30s;
constexpr auto WorkersStopLimit = 25s; // more than the worker's own grace, and then that of most jobs
constexpr auto WorkersKillLimit = 5s; // after a second signal, to give back what they have killed
constexpr qint64 LogLimit = qint64(10) * 1024 * 1024;

zk::LocalServerOptions serverOptions(const LocalClusterOptions &options)
{
    zk::LocalServerOptions server = privateServer(dataDirectory() + QStringLiteral("/zookeeper"));
    server.clientPort = options.port;
    return server;
}

} // namespace

LocalCluster::LocalCluster(async::Loop &loop, LocalClusterOptions options)
    : m_loop(loop), m_options(std::move(options)), m_server(loop, serverOptions(m_options))
{
}

LocalCluster::~LocalCluster() = default;

QByteArray LocalCluster::historyVariable(const QString &history)
{
    return history.isEmpty() ? QByteArrayLiteral("none") : history.toLocal8Bit();
}

QString LocalCluster::logFile(int index)
{
    return stateDirectory() + QStringLiteral("/%1.log").arg(workerId(index));
}

async::Task<void> LocalCluster::startServer()
{
    makeDirectory(m_server.options().directory);
    makeDirectory(stateDirectory());
    co_await m_server.start();
}

void LocalCluster::startWorkers()
{
    for (int i = 0; i < m_options.workers; ++i)
        m_workers.push_back(std::make_unique<ChildProcess>());
    m_tasks.spawn(keepServer());
    for (int i = 0; i < m_options.workers; ++i)
        m_tasks.spawn(keepWorker(i));
}

async::Task<void> LocalCluster::keepServer()
{
    while (!m_stopping) {
        co_await async::sleepFor(m_loop, 500ms);
        if (m_stopping || m_server.running())
            continue;
        Output::message(QStringLiteral("ZooKeeper has ended; starting it again (its log: %1)").arg(m_server.logFile()));
        try {
            co_await m_server.start();
        } catch (const std::exception &error) {
            Output::message(QString::fromUtf8(error.what()));
        }
    }
}

async::Task<void> LocalCluster::keepWorker(int index)
{
    ChildProcess &process = *m_workers[static_cast<std::size_t>(index)];
    const QString log = logFile(index);
    process.setLogFile(log);
    process.setDeathSignal(SIGTERM);
    // Not as an argument, which everybody on the machine can read: it may hold a password.
    process.setVariable("DROVER_HISTORY", historyVariable(m_options.history));
    const QStringList arguments{QStringLiteral("worker"),
                                QStringLiteral("--connect"),
                                connectString(),
                                QStringLiteral("--cluster"),
                                QString::fromLatin1(m_options.cluster),
                                QStringLiteral("--id"),
                                workerId(index),
                                QStringLiteral("--listen"),
                                QStringLiteral("127.0.0.1"),
                                QStringLiteral("--slots"),
                                QString::number(m_options.slotsPerWorker)};
    std::chrono::milliseconds pause = FirstPause;
    while (!m_stopping) {
        if (QFile(log).size() > LogLimit)
            QFile::remove(log);
        const async::TimePoint begun = m_loop.now();
        const QString trouble = process.start(QCoreApplication::applicationFilePath(), arguments);
        if (trouble.isEmpty())
            co_await process.ended();
        if (m_stopping)
            break;
        if (m_loop.now() - begun > LongestPause)
            pause = FirstPause;
        Output::message(QStringLiteral("worker %1 has ended (%2); starting it again (its log: %3)")
                            .arg(workerId(index),
                                 trouble.isEmpty() ? QStringLiteral("exit code %1").arg(process.exitCode()) : trouble,
                                 log));
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
    while (std::any_of(m_workers.begin(), m_workers.end(), isRunning) && m_loop.now() < deadline)
        co_await async::sleepFor(m_loop, 20ms);
}

async::Task<void> LocalCluster::stop()
{
    m_stopping = true;
    co_await stopWorkers(WorkersStopLimit);
    co_await stopWorkers(WorkersKillLimit);
    m_tasks.cancelAll();
    m_workers.clear();
    co_await m_server.stop();
}

} // namespace drover::app
