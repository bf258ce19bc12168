#include "workers/master/base/history_writer.h"

#include "async/or_timeout.h"

namespace drover::workers {

using history::HistoryError;

namespace {

async::Task<qint64> holding(std::optional<recipes::Lock> lock, async::Task<qint64> call)
{
    const std::optional<recipes::Lock> held = std::move(lock); // a parameter would stay as long as the task
    co_return co_await call;
}

} // namespace

HistoryWriter::HistoryWriter(jobs::Cluster cluster, history::History &history, HistoryCallQueue &calls)
    : m_cluster(std::move(cluster)), m_history(history), m_calls(calls)
{
}

async::Task<qint64> HistoryWriter::archive(history::ArchiveBatch batch)
{
    return write(m_history.archive(std::move(batch)));
}

async::Task<qint64> HistoryWriter::prune(history::Retention retention, history::Term term)
{
    return write(m_history.prune(m_cluster.layout.clusterName(), retention, term));
}

async::Task<qint64> HistoryWriter::write(async::Task<qint64> call)
{
    m_calls.requireAnswers(Patience); // of a call that may hold the lock
    std::optional<recipes::Lock> lock = co_await writeLock();
    async::Task<qint64> locked = holding(std::move(lock), std::move(call));
    co_return co_await m_calls.call(std::move(locked), Patience);
}

// Only masters take it: it is free unless an earlier master is about to end.
async::Task<std::optional<recipes::Lock>> HistoryWriter::writeLock()
{
    if (!location().shared)
        co_return std::nullopt;
    recipes::Mutex mutex(m_cluster.zk, m_cluster.layout.historyLock());
    try {
        recipes::Lock lock = co_await async::orTimeout(m_cluster.zk.loop(), mutex.acquire("archiver"), Patience);
        co_return std::optional(std::move(lock));
    } catch (const async::Timeout &) {
        throw HistoryError(QStringLiteral("the write lock of the history %1 was not free for %2 s")
                               .arg(location().display(), QString::number(Patience.count())));
    }
}

} // namespace drover::workers
