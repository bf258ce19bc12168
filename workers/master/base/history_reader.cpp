#include "workers/master/base/history_reader.h"

#include "workers/master/base/supervise.h"

#include <QLoggingCategory>

namespace drover::workers {

Q_LOGGING_CATEGORY(lcHistoryReader, "drover.workers.history_reader")

async::Task<history::Page> HistoryReader::query(history::Query query)
{
    async::Task<history::Page> call = m_history.query(std::move(query));
    try {
        history::Page page = co_await m_calls.call(std::move(call), Patience);
        m_trouble.reset();
        co_return page;
    } catch (const history::NoHistory &) {
        m_trouble.reset();
    } catch (const history::HistoryError &error) {
        noteFailure(QString::fromUtf8(error.what()));
        throw;
    }
    co_return history::Page();
}

std::optional<HistoryReader::Trouble> HistoryReader::trouble() const
{
    const bool asked = m_loop.now() - m_latestFailure < 3 * RetryPause;
    return asked ? m_trouble : std::nullopt;
}

void HistoryReader::noteFailure(const QString &why)
{
    if (!trouble()) {
        qCWarning(lcHistoryReader, "jobs that wait for jobs in the history go on waiting: %s", qPrintable(why));
        m_trouble = Trouble{{}, m_loop.wallClock()};
    }
    m_trouble->error = QStringLiteral("%1; jobs that wait for jobs in it go on waiting").arg(why);
    m_latestFailure = m_loop.now();
}

} // namespace drover::workers
