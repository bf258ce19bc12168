#include "app/jobs/archived_jobs.h"

#include "app/cli/failure.h"
#include "app/jobs/past_reader.h"
#include "jobs/client/resubmit.h"
#include "jobs/client/unmade_tasks.h"
#include "jobs/client/wait_for_job.h"

#include <QSet>

#include <algorithm>

namespace drover::app {

namespace {

constexpr qsizetype PageSize = 1000;
constexpr qint64 NearBy = 5000; // numbers that others got between a submit's last look and its job's
constexpr qsizetype LargestPage = 1'000'000; // at once

void tellTrouble(const history::HistoryError &error)
{
    Output::message(QStringLiteral("older jobs are not shown: %1").arg(QString::fromUtf8(error.what())));
}

bool clusterDecides(const Settings &settings)
{
    return settings.history.isEmpty() && settings.historySource.isEmpty();
}

QString placeOf(const Context &context)
{
    const Settings &settings = context.settings();
    return clusterDecides(settings) ? context.clusterConfig().history : settings.history;
}

} // namespace

history::Location historyLocation(const Context &context)
{
    const QString place = placeOf(context);
    if (place.isEmpty())
        throw CommandError(
            ExitNotFound,
            QStringLiteral("no history is kept here: drover up keeps one; otherwise name it with "
                           "--history, DROVER_HISTORY or in a configuration file, or for all with drover "
                           "history keep --in"));
    const Settings &settings = context.settings();
    return clusterDecides(settings) ? history::Location::fromCluster(place, settings.historyAllow)
                                    : history::Location::parse(place);
}

async::Task<history::Location> findHistory(Context &context)
{
    const Settings &settings = context.settings();
    if (clusterDecides(settings) && !settings.connect.isEmpty())
        co_await context.openCluster();
    co_return historyLocation(context);
}

bool keepsHistory(const Context &context)
{
    return !placeOf(context).isEmpty();
}

bool mayBeMissing(const Context &context)
{
    return context.settings().historySource.isEmpty();
}

jobs::JobView viewOf(const history::ArchivedJob &entry)
{
    return jobs::viewOfEnded(entry.record, entry.endedAt, entry.malformed);
}

async::Task<std::optional<jobs::JobView>> findArchived(Context &context, jobs::JobId id)
{
    PastReader reader(context);
    co_return co_await reader.find(id);
}

async::Task<std::optional<jobs::JobId>> findArchivedByKey(Context &context, QByteArray queue, QString key, qint32 from)
{
    history::Query query;
    query.range =
        jobs::JobRange{{queue, from}, static_cast<qint32>(std::min<qint64>(qint64(from) + NearBy, INT32_MAX))};
    query.tasks = false;
    std::optional<jobs::JobId> found;
    const auto take = [&found, key](const history::ArchivedJob &entry) {
        if (entry.record.key == key)
            found = entry.record.id;
    };
    try {
        std::vector<history::Query> queries(1, query);
        co_await eachArchived(context, std::move(queries), take);
    } catch (const history::HistoryError &) { // nothing is known of it then
    }
    co_return found;
}

namespace {

// A task that was cancelled before its array made it, as the array's record in the history says.
async::Task<std::optional<jobs::JobView>> findNeverMade(Context &context, jobs::JobId task)
{
    const std::optional<jobs::JobView> array = co_await findArchived(context, task.array());
    if (!array || !array->record)
        co_return std::nullopt;
    const std::vector<jobs::FinalRecord> never = array->record->neverMadeTasks(task.task, task.task);
    if (never.empty())
        co_return std::nullopt;
    co_return jobs::viewOfEnded(never.front(), array->since);
}

// What has an entry, or has ended.
async::Task<jobs::JobView> lookUpMade(jobs::Cluster cluster, jobs::JobId id)
{
    jobs::JobView job = co_await jobs::lookUpEvenUnmade(cluster, id);
    if (!job.entry && !job.record && job.spec)
        throw jobs::NotFound(
            QStringLiteral("task %1 is still to be made by its array; drover show %2 shows how far it is")
                .arg(id.toString(), id.array().toString()));
    co_return job;
}

} // namespace

async::Task<jobs::JobView> requireArchived(Context &context, jobs::JobId id, std::exception_ptr unknown)
{
    std::optional<jobs::JobView> past = co_await findArchived(context, id);
    if (!past && id.isTask())
        past = co_await findNeverMade(context, id);
    if (!past)
        std::rethrow_exception(unknown);
    co_return std::move(*past);
}

async::Task<void> eachArchived(Context &context, std::vector<history::Query> queries,
                               std::function<void(const history::ArchivedJob &)> take)
{
    if (queries.empty() || !keepsHistory(context))
        co_return;
    try {
        history::History past(context.loop(), historyLocation(context), history::OpenMode::Read);
        for (history::Query &query : queries) {
            query.cluster = context.settings().cluster;
            query.limit = PageSize;
            do {
                const history::Page page = co_await past.query(query);
                for (const history::ArchivedJob &entry : page.entries)
                    take(entry);
                query.after = page.next;
            } while (query.after);
        }
    } catch (const history::NoHistory &) {
        // Nothing has been archived yet.
    }
}

async::Task<jobs::JobView> lookUpAnywhere(Context &context, jobs::Cluster cluster, const jobs::JobId &id)
{
    return orArchived(context, id, lookUpMade(cluster, id), [](const jobs::JobView &past) { return past; });
}

async::Task<std::optional<jobs::JobSpec>> jobToResubmit(Context &context, jobs::Cluster cluster, jobs::JobView job)
{
    if (job.id.isTask()) {
        jobs::JobView array = co_await lookUpAnywhere(context, cluster, job.id.array());
        job = std::move(array);
    }
    co_return jobs::jobToResubmit(job);
}

async::Task<jobs::FinalRecord> waitForEndAnywhere(Context &context, jobs::Cluster cluster, jobs::JobId id)
{
    jobs::JobId present = id;
    for (;;) {
        const std::function<jobs::FinalRecord(const jobs::JobView &)> recordOf = [](const jobs::JobView &past) {
            return *past.record;
        };
        jobs::FinalRecord record = co_await orArchived(context, present, jobs::waitForEnd(cluster, present), recordOf);
        if (!record.movedTo)
            co_return record;
        present = *record.movedTo;
    }
}

namespace {

async::Task<std::optional<jobs::JobView>> findPastTask(Context &context, jobs::JobId array,
                                                       std::optional<jobs::JobState> state)
{
    history::Query query;
    query.cluster = context.settings().cluster;
    query.array = array;
    query.state = state;
    query.limit = 2; // it may be the array itself
    history::History past(context.loop(), historyLocation(context), history::OpenMode::Read);
    const history::Page page = co_await past.query(query);
    for (const history::ArchivedJob &entry : page.entries) {
        if (entry.record.id.isTask())
            co_return viewOf(entry);
    }
    co_return std::nullopt;
}

} // namespace

async::Task<std::optional<jobs::JobView>> findFinishedTask(Context &context, jobs::Cluster cluster, jobs::JobId array)
{
    jobs::ListFilter filter;
    filter.unfinished = false;
    filter.finished = true;
    filter.tasks = true;
    filter.array = array;
    filter.limit = PageSize;
    jobs::JobList list = co_await jobs::listJobs(cluster, filter);
    std::erase_if(list.jobs, [](const jobs::JobView &job) { return !job.id.isTask(); });
    const auto failedFirst = [](const jobs::JobView &a, const jobs::JobView &b) {
        const bool failed = a.state == jobs::JobState::Failed;
        return failed == (b.state == jobs::JobState::Failed) ? a.id < b.id : failed;
    };
    std::optional<jobs::JobView> found;
    if (!list.jobs.empty())
        found = *std::min_element(list.jobs.begin(), list.jobs.end(), failedFirst);
    if ((found && found->state == jobs::JobState::Failed) || !keepsHistory(context))
        co_return found;
    try {
        std::optional<jobs::JobView> past = co_await findPastTask(context, array, jobs::JobState::Failed);
        if (!past && !found)
            past = co_await findPastTask(context, array, std::nullopt);
        if (past)
            found = std::move(past);
    } catch (const history::NoHistory &) {
        // Nothing has been archived yet.
    }
    co_return found;
}

namespace {

// The jobs of a list that have ended.
QSet<jobs::JobId> endedOf(const jobs::JobList &list)
{
    QSet<jobs::JobId> ended;
    for (const jobs::JobView &job : list.jobs) {
        if (!job.entry)
            ended.insert(job.id);
    }
    return ended;
}

// How many jobs fit the query that are none of these, as the database counts them.
async::Task<qint64> countOthers(history::History &past, history::Query query, QSet<jobs::JobId> known)
{
    qint64 count = co_await past.count(query);
    const std::vector<jobs::JobId> ids(known.begin(), known.end());
    for (std::size_t begin = 0; begin < ids.size(); begin += history::Query::MaxIds) {
        const std::size_t end = std::min(ids.size(), begin + history::Query::MaxIds);
        query.ids.assign(ids.begin() + static_cast<qint64>(begin), ids.begin() + static_cast<qint64>(end));
        const qint64 twice = co_await past.count(query);
        count -= twice; // just archived, and still in done/, too
    }
    co_return count;
}

async::Task<void> addCounted(Context &context, history::Query query, jobs::JobList &list)
{
    const QSet<jobs::JobId> known = endedOf(list);
    history::History past(context.loop(), historyLocation(context), history::OpenMode::Read);
    const qint64 others = co_await countOthers(past, query, known);
    const history::Page page = co_await past.query(query);
    list.total += others;
    for (const history::ArchivedJob &entry : page.entries) {
        if (!known.contains(entry.record.id))
            list.jobs.push_back(viewOf(entry));
    }
}

// Page by page: `query.limit` of those that fit, however many they are.
async::Task<void> addFitting(Context &context, history::Query query, jobs::JobFilter description, jobs::JobList &list)
{
    query.narrow(description);
    const QSet<jobs::JobId> known = endedOf(list);
    const std::size_t enough = list.jobs.size() + static_cast<std::size_t>(query.limit);
    const std::function<void(const history::ArchivedJob &)> add = [&](const history::ArchivedJob &entry) {
        jobs::JobView job = viewOf(entry);
        if (known.contains(job.id) || !description.fits(job))
            return;
        ++list.total;
        if (list.jobs.size() < enough)
            list.jobs.push_back(std::move(job));
    };
    std::vector<history::Query> queries{query};
    co_await eachArchived(context, std::move(queries), add);
}

} // namespace

async::Task<void> addArchived(Context &context, jobs::ListFilter filter, std::optional<jobs::JobState> state,
                              jobs::JobFilter description, jobs::JobList &list)
{
    history::Query query;
    query.cluster = context.settings().cluster;
    query.queue = filter.queue;
    query.tasks = filter.tasks;
    query.array = filter.array;
    query.state = state;
    query.limit = filter.limit;
    try {
        if (!description.describes() && query.limit <= LargestPage)
            co_await addCounted(context, query, list);
        else
            co_await addFitting(context, query, description, list);
    } catch (const history::NoHistory &) {
    } catch (const history::HistoryError &error) {
        tellTrouble(error);
    }
    sortByEnd(list);
}

void sortByEnd(jobs::JobList &list)
{
    std::stable_sort(list.jobs.begin(), list.jobs.end(), [](const jobs::JobView &a, const jobs::JobView &b) {
        if (a.entry || b.entry)
            return a.entry && !b.entry;
        return b.since < a.since;
    });
}

} // namespace drover::app
