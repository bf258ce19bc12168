#include "app/past_jobs.h"

#include "app/directories.h"
#include "app/failure.h"
#include "jobs/wait.h"

#include <QSet>

#include <algorithm>

namespace drover::app {

namespace {

constexpr qsizetype PageSize = 1000;

void tellTrouble(const history::HistoryError &error)
{
    Output::message(QStringLiteral("older jobs are not shown: %1").arg(QString::fromUtf8(error.what())));
}

QString placeOf(const Context &context)
{
    const Settings &settings = context.settings();
    const bool saidNothing = settings.history.isEmpty() && settings.historySource.isEmpty();
    return saidNothing ? context.clusterConfig().history : settings.history;
}

} // namespace

QString defaultHistoryFile()
{
    return dataDirectory() + QStringLiteral("/history.sqlite");
}

history::Location historyLocation(const Context &context)
{
    const QString place = placeOf(context);
    if (place.isEmpty())
        throw CommandError(
            ExitNotFound,
            QStringLiteral("no history is kept here: drover up keeps one; otherwise name it with "
                           "--history, DROVER_HISTORY or in a configuration file, or for all with drover "
                           "history keep --in"));
    return history::Location::parse(place);
}

async::Task<history::Location> findHistory(Context &context)
{
    const Settings &settings = context.settings();
    if (settings.history.isEmpty() && settings.historySource.isEmpty() && !settings.connect.isEmpty())
        co_await context.openCluster();
    co_return historyLocation(context);
}

bool mayBeMissing(const Context &context)
{
    return context.settings().historySource.isEmpty();
}

jobs::JobView viewOf(const history::Entry &entry)
{
    jobs::JobView view;
    view.id = entry.record.id;
    view.state = entry.record.state();
    view.since = entry.endedAt;
    view.attempts = entry.record.attempt;
    view.record = entry.record;
    view.malformed = entry.malformed;
    return view;
}

async::Task<std::optional<jobs::JobView>> findPast(Context &context, jobs::JobId id)
{
    if (placeOf(context).isEmpty())
        co_return std::nullopt;
    try {
        history::History past(context.loop(), historyLocation(context), history::Access::Read);
        history::Query query;
        query.cluster = context.settings().cluster;
        query.ids.push_back(id);
        query.limit = 1;
        const history::Page page = co_await past.query(query);
        if (!page.entries.empty())
            co_return viewOf(page.entries.front());
    } catch (const history::NoHistory &) {
        // Nothing has been archived yet.
    } catch (const history::HistoryError &error) {
        throw history::HistoryError(
            QStringLiteral("whether there was a job %1 cannot be told now: it is not in ZooKeeper, and of the history "
                           "is heard: %2")
                .arg(id.toString(), QString::fromUtf8(error.what())));
    }
    co_return std::nullopt;
}

async::Task<void> eachPast(Context &context, history::Query query, std::function<void(const history::Entry &)> take)
{
    if (placeOf(context).isEmpty())
        co_return;
    query.cluster = context.settings().cluster;
    query.limit = PageSize;
    try {
        history::History past(context.loop(), historyLocation(context), history::Access::Read);
        do {
            const history::Page page = co_await past.query(query);
            for (const history::Entry &entry : page.entries)
                take(entry);
            query.after = page.next;
        } while (query.after);
    } catch (const history::NoHistory &) {
        // Nothing has been archived yet.
    }
}

async::Task<jobs::JobView> lookUpAnywhere(Context &context, zk::Coordinator &zk, jobs::JobId id)
{
    std::exception_ptr unknown;
    try {
        jobs::JobView view = co_await jobs::lookUp(zk, context.layout(), id);
        co_return view;
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    std::optional<jobs::JobView> past = co_await findPast(context, id);
    if (!past)
        std::rethrow_exception(unknown);
    co_return std::move(*past);
}

async::Task<jobs::FinalRecord> waitForEndAnywhere(Context &context, zk::Coordinator &zk, jobs::JobId id)
{
    std::exception_ptr unknown;
    try {
        jobs::FinalRecord record = co_await jobs::waitForEnd(zk, context.layout(), id);
        co_return record;
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    const std::optional<jobs::JobView> past = co_await findPast(context, id);
    if (!past)
        std::rethrow_exception(unknown);
    co_return *past->record;
}

async::Task<void> requireDependencies(Context &context, zk::Coordinator &zk, jobs::JobSpec spec)
{
    for (const jobs::Dependency &dependency : spec.after) {
        try {
            const jobs::JobView found = co_await lookUpAnywhere(context, zk, dependency.on);
        } catch (const jobs::NotFound &) {
            throw jobs::NotFound(QStringLiteral("a job cannot wait for %1: there is no such job in cluster %2, nor in "
                                                "its history")
                                     .arg(dependency.on.toString(), QString::fromLatin1(context.settings().cluster)));
        }
    }
}

async::Task<void> addPast(Context &context, jobs::JobFilter filter, std::optional<jobs::JobState> state,
                          jobs::JobList &list)
{
    QSet<jobs::JobId> present;
    std::vector<jobs::JobId> ended;
    for (const jobs::JobView &job : list.jobs) {
        present.insert(job.id);
        if (!job.entry)
            ended.push_back(job.id);
    }
    try {
        history::History past(context.loop(), historyLocation(context), history::Access::Read);
        history::Query query;
        query.cluster = context.settings().cluster;
        query.queue = filter.queue;
        query.tasks = filter.tasks;
        query.array = filter.array;
        query.state = state;
        query.limit = filter.limit;
        const qint64 count = co_await past.count(query);
        const history::Page page = co_await past.query(query);
        list.total += count; // less those that have just been archived and are still in done/, too
        for (std::size_t begin = 0; begin < ended.size(); begin += history::Query::MaxIds) {
            const std::size_t end = std::min(ended.size(), begin + history::Query::MaxIds);
            query.ids.assign(ended.begin() + static_cast<qint64>(begin), ended.begin() + static_cast<qint64>(end));
            const qint64 twice = co_await past.count(query);
            list.total -= twice;
        }
        for (const history::Entry &entry : page.entries) {
            if (!present.contains(entry.record.id))
                list.jobs.push_back(viewOf(entry));
        }
    } catch (const history::NoHistory &) {
    } catch (const history::HistoryError &error) {
        tellTrouble(error);
    }
    std::stable_sort(list.jobs.begin(), list.jobs.end(), [](const jobs::JobView &a, const jobs::JobView &b) {
        if (a.entry || b.entry)
            return a.entry && !b.entry;
        return b.since < a.since;
    });
}

} // namespace drover::app
