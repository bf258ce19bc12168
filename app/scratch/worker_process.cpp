#include "app/scratch/worker_process.h"

#include "app/environment/programs.h"
#include "app/scratch/process_usage.h"
#include "recipes/blocks/persistent.h"

#include <QDir>
#include <QFile>

namespace drover::app {

using namespace std::chrono_literals;

WorkerProcess::WorkerProcess(Options options)
    : m_options(std::move(options)), m_log(m_options.directory + QStringLiteral("/worker.log"))
{
    const QString spool = m_options.directory + QStringLiteral("/spool");
    if (!QDir().mkpath(spool))
        throw std::runtime_error(QStringLiteral("cannot make the directory %1").arg(spool).toStdString());
    QStringList arguments{
        QStringLiteral("worker"),
        QStringLiteral("--connect"),
        m_options.connect,
        QStringLiteral("--cluster"),
        QString::fromLatin1(m_options.cluster),
        QStringLiteral("--credentials"),
        m_options.credentials,
        QStringLiteral("--id"),
        m_options.id,
        QStringLiteral("--slots"),
        QString::number(m_options.slotCount),
        QStringLiteral("--spool"),
        spool,
        QStringLiteral("--history"),
        QStringLiteral("none"),
        QStringLiteral("--listen"),
        QStringLiteral("none"),
        QStringLiteral("--allow-root"), // only this process submits jobs there
        QStringLiteral("--policy"),
        QStringLiteral("none"),
    };
    if (m_options.sessionTimeout > 0ms)
        arguments +=
            {QStringLiteral("--session-timeout"), QStringLiteral("%1ms").arg(m_options.sessionTimeout.count())};
    const QString error = m_process.start(findProgram("drover"), arguments, m_log, zk::Lifetime::WithStarter);
    if (!error.isEmpty())
        throw std::runtime_error(QStringLiteral("cannot start a worker: %1").arg(error).toStdString());
}

qint64 WorkerProcess::residentBytes() const
{
    return running() ? app::residentBytes(pid()) : 0;
}

void WorkerProcess::requireRunning() const
{
    if (running())
        return;
    QFile log(m_log);
    const QByteArray text = log.open(QIODevice::ReadOnly) ? log.readAll().trimmed().right(2000) : QByteArray();
    throw std::runtime_error(
        QStringLiteral("worker %1 has ended; the end of its log: %2").arg(id(), QString::fromUtf8(text)).toStdString());
}

async::Task<void> awaitJoined(jobs::Cluster cluster, const WorkerProcess &worker)
{
    const async::TimePoint deadline = cluster.zk.loop().now() + 60s;
    while (cluster.zk.loop().now() < deadline) {
        worker.requireRunning();
        const zk::Answer<zk::Stat> member =
            co_await recipes::Persistent(cluster.zk).exists(cluster.layout.members() / worker.id().toLatin1());
        if (member.ok())
            co_return;
        co_await async::sleepFor(cluster.zk.loop(), 10ms);
    }
    throw std::runtime_error(QStringLiteral("worker %1 did not join cluster %2 within a minute")
                                 .arg(worker.id(), QString::fromLatin1(cluster.layout.clusterName()))
                                 .toStdString());
}

} // namespace drover::app
