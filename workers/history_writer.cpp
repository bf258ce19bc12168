#include "workers/history_writer.h"

#include "async/or_timeout.h"

namespace drover::workers {

using history::HistoryError;

HistoryWriter::HistoryWriter(zk::Coordinator &zk, jobs::Layout layout, history::History &history)
    : m_zk(zk), m_layout(std::move(layout)), m_history(history)
{
}

async::Task<qint64> HistoryWriter::archive(history::Batch batch)
{
    return inTime(m_history.archive(std::move(batch)));
}

async::Task<qint64> HistoryWriter::prune(history::Retention retention, history::Term term)
{
    return inTime(m_history.prune(m_layout.cluster(), retention, term));
}

async::Task<qint64> HistoryWriter::inTime(async::Task<qint64> call)
{
    if (m_calling) // an earlier one: another would stand behind it
        throw noAnswer();
    try {
        const qint64 rows = co_await async::orTimeout(m_zk.loop(), underLock(std::move(call)), Patience);
        co_return rows;
    } catch (const async::Timeout &) {
        throw noAnswer();
    }
}

async::Task<qint64> HistoryWriter::underLock(async::Task<qint64> call)
{
    std::optional<recipes::Lock> lock = co_await writeLock();
    async::Promise<qint64> promise;
    const async::Future<qint64> answer = promise.future();
    m_calls.spawn(finish(std::move(call), std::move(lock), std::move(promise)));
    const qint64 rows = co_await answer;
    co_return rows;
}

// Whether somebody still waits for the answer or not.
async::Task<void> HistoryWriter::finish(async::Task<qint64> call, std::optional<recipes::Lock> lock,
                                        async::Promise<qint64> answer)
{
    m_calling = true;
    qint64 rows = 0;
    std::exception_ptr error;
    try {
        rows = co_await call;
    } catch (...) {
        error = std::current_exception();
    }
    m_calling = false;
    lock.reset();
    if (error)
        answer.fail(error);
    else
        answer.set(rows);
}

// Nobody but masters wants it: it is free unless one of them is at its end.
async::Task<std::optional<recipes::Lock>> HistoryWriter::writeLock()
{
    if (!location().shared)
        co_return std::nullopt;
    recipes::Mutex mutex(m_zk, m_layout.historyLock());
    recipes::Lock lock = co_await mutex.acquire("archiver");
    co_return lock;
}

HistoryError HistoryWriter::noAnswer() const
{
    const QString what = m_calling ? QStringLiteral("the history %1 has not answered for %2 s")
                                   : QStringLiteral("the write lock of the history %1 was not free for %2 s");
    return HistoryError(what.arg(location().display()).arg(Patience.count()));
}

} // namespace drover::workers
