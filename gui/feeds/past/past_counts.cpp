#include "gui/feeds/past/past_counts.h"

namespace drover::gui {

// The jobs in done/ come last: what is archived meanwhile is counted too seldom for a moment, never twice.
async::Task<PastCounts> countPast(history::History &history, QByteArray cluster, PastSearch search,
                                  QList<jobs::JobId> inDone, std::chrono::milliseconds now)
{
    PastCounts counts;
    const history::Query all = search.all(cluster);
    const qint64 jobs = co_await history.count(all);
    history::Query failures;
    failures.cluster = cluster;
    failures.tasks = false;
    failures.state = jobs::JobState::Failed;
    failures.since = now - FailedFor;
    const qint64 failed = co_await history.count(failures);
    counts.jobs = jobs;
    counts.failedLately = failed;
    constexpr auto AtATime = qsizetype(history::Query::MaxIds);
    for (qsizetype i = 0; i < inDone.size(); i += AtATime) {
        const QList<jobs::JobId> some = inDone.mid(i, AtATime);
        history::Query known = failures;
        known.ids.assign(some.begin(), some.end());
        known.limit = AtATime;
        const history::Page page = co_await history.query(known);
        for (const history::ArchivedJob &entry : page.entries)
            counts.archived.insert(entry.record.id);
    }
    co_return counts;
}

} // namespace drover::gui
