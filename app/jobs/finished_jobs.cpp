#include "app/jobs/finished_jobs.h"

#include "app/jobs/archived_jobs.h"
#include "jobs/cluster/read_nodes.h"

namespace drover::app {

using jobs::FinalRecord;
using jobs::JobId;
using zk::Answer;

namespace {

FinalRecord recordFrom(const QByteArray &stored, const JobId &id)
{
    try {
        return FinalRecord::decode(stored, id);
    } catch (const jobs::Malformed &error) {
        FinalRecord unreadable;
        unreadable.id = id;
        unreadable.outcome = FinalRecord::Outcome::Malformed;
        unreadable.reason = QString::fromUtf8(error.what());
        return unreadable;
    }
}

// Of done/; what goes from there meanwhile is in the history.
async::Task<std::vector<FinalRecord>> readRecords(jobs::Cluster cluster, JobSelection selection)
{
    const Answer<zk::Children> names = co_await cluster.zk.children(cluster.layout.done());
    std::vector<JobId> ids;
    std::vector<zk::Path> paths;
    for (const QByteArray &name : names->names) {
        const std::optional<JobId> id = JobId::parse(QString::fromUtf8(name));
        if (!id || !selection.mayMeanEnded(*id))
            continue;
        ids.push_back(*id);
        paths.push_back(cluster.layout.done(*id));
    }
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(cluster.zk, std::move(paths));
    std::vector<FinalRecord> records;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].ok())
            records.push_back(recordFrom(nodes[i]->data, ids[i]));
    }
    co_return records;
}

} // namespace

async::Task<void> eachFinished(Context &context, jobs::Cluster cluster, JobSelection selection,
                               std::chrono::milliseconds since, std::optional<jobs::JobState> state,
                               std::function<void(const FinalRecord &)> take)
{
    const auto takeIfMeant = [&](const FinalRecord &record) {
        if (selection.meansEnded(record) && record.finishedAt >= since && (!state || record.state() == *state))
            take(record);
    };
    const std::vector<FinalRecord> records = co_await readRecords(cluster, selection);
    for (const FinalRecord &record : records)
        takeIfMeant(record);
    std::vector<history::Query> queries = selection.historyQueries();
    for (history::Query &query : queries) {
        query.since = since;
        query.state = state;
    }
    const std::function<void(const history::ArchivedJob &)> takeEntry = [&](const history::ArchivedJob &entry) {
        takeIfMeant(entry.record);
    };
    co_await eachArchived(context, std::move(queries), takeEntry);
}

async::Task<FinishedJobs> findFinished(Context &context, jobs::Cluster cluster, JobSelection selection,
                                       std::chrono::milliseconds since)
{
    FinishedJobs found;
    const std::optional<jobs::JobState> any;
    const std::function<void(const FinalRecord &)> take = [&](const FinalRecord &record) {
        found.records.try_emplace(record.id, record);
    };
    try {
        co_await eachFinished(context, cluster, selection, since, any, take);
    } catch (const history::HistoryError &error) {
        found.trouble =
            QStringLiteral("those that were archived are not among them: %1").arg(QString::fromUtf8(error.what()));
    }
    co_return found;
}

} // namespace drover::app
