#include "app/jobs/past_reader.h"

#include "app/jobs/archived_jobs.h"

namespace drover::app {

async::Task<std::optional<jobs::JobView>> PastReader::find(jobs::JobId id)
{
    if (!keepsHistory(m_context))
        co_return std::nullopt;
    if (!m_history)
        m_history.emplace(m_context.loop(), historyLocation(m_context), history::OpenMode::Read);
    history::Query query;
    query.cluster = m_context.settings().cluster;
    query.ids.push_back(id);
    query.limit = 1;
    try {
        const history::Page page = co_await m_history->query(query);
        if (!page.entries.empty())
            co_return viewOf(page.entries.front());
    } catch (const history::NoHistory &) {
        // Nothing has been archived yet.
    } catch (const history::HistoryError &error) {
        throw history::HistoryError(
            QStringLiteral("cannot find out whether job %1 existed: it is not in ZooKeeper, and %2")
                .arg(id.toString(), QString::fromUtf8(error.what())));
    }
    co_return std::nullopt;
}

async::Task<jobs::JobView> PastReader::lookUp(jobs::Cluster cluster, jobs::JobId id)
{
    std::exception_ptr unknown;
    try {
        co_return co_await jobs::lookUp(cluster, id);
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    std::optional<jobs::JobView> past = co_await find(id);
    if (!past)
        std::rethrow_exception(unknown);
    co_return std::move(*past);
}

} // namespace drover::app
