#include "workers/master/base/master_history.h"

#include "async/future.h"
#include "async/or_timeout.h"
#include "workers/master/base/supervise.h"

#include <QLoggingCategory>

namespace drover::workers {

using history::HistoryError;

Q_LOGGING_CATEGORY(lcMasterHistory, "drover.workers.master_history")

namespace {

async::Task<qint64> holding(std::optional<recipes::Lock> lock, async::Task<qint64> call)
{
    const std::optional<recipes::Lock> held = std::move(lock); // a parameter would stay as long as the task
    co_return co_await call;
}

} // namespace

MasterHistory::MasterHistory(jobs::Cluster cluster, history::History &history)
    : m_cluster(std::move(cluster)), m_history(history)
{
}

async::Task<qint64> MasterHistory::archive(history::ArchiveBatch batch)
{
    return write(m_history.archive(std::move(batch)));
}

async::Task<qint64> MasterHistory::prune(history::Retention retention, history::Term term)
{
    return write(m_history.prune(m_cluster.layout.clusterName(), retention, term));
}

async::Task<history::Page> MasterHistory::query(history::Query query)
{
    async::Task<history::Page> call = m_history.query(std::move(query));
    try {
        history::Page page = co_await inTurn(std::move(call), QueryPatience);
        m_queryTrouble.reset();
        co_return page;
    } catch (const history::NoHistory &) {
        m_queryTrouble.reset();
    } catch (const HistoryError &error) {
        noteFailedQuery(QString::fromUtf8(error.what()));
        throw;
    }
    co_return history::Page();
}

std::optional<MasterHistory::Trouble> MasterHistory::queryTrouble() const
{
    const bool asked = m_cluster.zk.loop().now() - m_latestFailure < 3 * RetryPause;
    return asked ? m_queryTrouble : std::nullopt;
}

void MasterHistory::noteFailedQuery(const QString &why)
{
    if (!queryTrouble()) {
        qCWarning(lcMasterHistory, "jobs that wait for jobs in the history go on waiting: %s", qPrintable(why));
        m_queryTrouble = Trouble{{}, m_cluster.zk.loop().wallClock()};
    }
    m_queryTrouble->error = QStringLiteral("%1; jobs that wait for jobs in it go on waiting").arg(why);
    m_latestFailure = m_cluster.zk.loop().now();
}

async::Task<qint64> MasterHistory::write(async::Task<qint64> call)
{
    requireAnswers(WritePatience); // of a call that may hold the lock
    std::optional<recipes::Lock> lock = co_await writeLock();
    async::Task<qint64> locked = holding(std::move(lock), std::move(call));
    co_return co_await inTurn(std::move(locked), WritePatience);
}

// Only masters take it: it is free unless an earlier master is about to end.
async::Task<std::optional<recipes::Lock>> MasterHistory::writeLock()
{
    if (!location().shared)
        co_return std::nullopt;
    recipes::Mutex mutex(m_cluster.zk, m_cluster.layout.historyLock());
    try {
        recipes::Lock lock = co_await async::orTimeout(m_cluster.zk.loop(), mutex.acquire("archiver"), WritePatience);
        co_return std::optional(std::move(lock));
    } catch (const async::Timeout &) {
        throw HistoryError(QStringLiteral("the write lock of the history %1 was not free for %2 s")
                               .arg(location().display(), QString::number(WritePatience.count())));
    }
}

// Throws HistoryError also when the call that has the turn has had no answer for `patience`.
template <typename T>
async::Task<T> MasterHistory::inTurn(async::Task<T> call, std::chrono::seconds patience)
{
    async::Loop &loop = m_cluster.zk.loop();
    while (m_calling) {
        requireAnswers(patience);
        const async::Timer limit = loop.after(m_begun + patience - loop.now(), [this] { m_changed.notify(); });
        co_await m_changed.wait();
    }
    const auto promise = std::make_shared<async::Promise<T>>();
    const async::Future<T> answer = promise->future();
    m_calling = true;
    m_begun = loop.now();
    m_limit =
        loop.after(patience, [this, promise, patience] { promise->fail(std::make_exception_ptr(noAnswer(patience))); });
    m_calls.spawn(finish(std::move(call), promise));
    co_return co_await answer;
}

template <typename T>
async::Task<void> MasterHistory::finish(async::Task<T> call, std::shared_ptr<async::Promise<T>> promise)
{
    std::optional<T> value;
    std::exception_ptr error;
    try {
        value = co_await call;
    } catch (...) {
        error = std::current_exception();
    }
    m_limit.cancel();
    m_calling = false;
    m_changed.notify();
    if (error)
        promise->fail(error);
    else
        promise->set(std::move(*value));
}

void MasterHistory::requireAnswers(std::chrono::seconds patience) const
{
    if (m_calling && m_cluster.zk.loop().now() >= m_begun + patience)
        throw noAnswer(patience);
}

HistoryError MasterHistory::noAnswer(std::chrono::seconds patience) const
{
    return HistoryError(QStringLiteral("the history %1 has not answered for %2 s")
                            .arg(location().display(), QString::number(patience.count())));
}

} // namespace drover::workers
