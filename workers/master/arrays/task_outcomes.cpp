#include "workers/master/arrays/task_outcomes.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <QSet>

#include <algorithm>

namespace drover::workers {

using jobs::JobId;
using zk::Answer;

namespace {

constexpr int NoExitCode = 125;

TaskOutcome outcomeOf(const jobs::FinalRecord &record, std::chrono::milliseconds endedAt)
{
    return {record.state() == jobs::JobState::Cancelled, record.exitCode(), endedAt,
            record.outcome == jobs::FinalRecord::Outcome::Refused};
}

// Nothing of a record that only newer masters know.
std::optional<TaskOutcome> outcomeOf(const Answer<zk::Node> &node, const JobId &id)
{
    try {
        if (node.ok())
            return outcomeOf(jobs::FinalRecord::decode(node->data, id), std::chrono::milliseconds(node->stat.ctime));
    } catch (const jobs::NewerFormat &) {
        return std::nullopt;
    } catch (const jobs::Malformed &) {
        // As a record that may not be read: the task has ended in an unknown way.
    }
    return TaskOutcome{false, NoExitCode, {}};
}

} // namespace

async::Task<std::vector<std::optional<TaskOutcome>>> TaskOutcomes::read(std::vector<JobId> ids)
{
    std::vector<zk::Path> paths;
    for (const JobId &id : ids)
        paths.push_back(m_cluster.layout.done(id));
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    std::vector<JobId> missing;
    QHash<JobId, TaskOutcome> outcomes;
    QSet<JobId> unknown;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (nodes[i].is(zk::Code::NoNode))
            missing.push_back(ids[i]);
        else if (const std::optional<TaskOutcome> end = outcomeOf(nodes[i], ids[i]))
            outcomes.insert(ids[i], *end);
        else
            unknown.insert(ids[i]);
    }
    bool answered = true;
    for (std::size_t begin = 0; answered && begin < missing.size(); begin += history::Query::MaxIds) {
        const auto first = missing.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last =
            missing.begin() + static_cast<std::ptrdiff_t>(std::min(begin + history::Query::MaxIds, missing.size()));
        answered = co_await askHistory(std::vector<JobId>(first, last), outcomes);
    }
    std::vector<std::optional<TaskOutcome>> found;
    for (const JobId &id : ids) {
        const auto end = outcomes.constFind(id);
        if (end != outcomes.constEnd())
            found.emplace_back(*end);
        else
            found.push_back(answered && !unknown.contains(id) ? std::optional(TaskOutcome{true, NoExitCode, {}})
                                                              : std::nullopt);
    }
    co_return found;
}

// False if it does not answer.
async::Task<bool> TaskOutcomes::askHistory(std::vector<JobId> ids, QHash<JobId, TaskOutcome> &outcomes)
{
    if (!m_history)
        co_return true;
    const Answer<zk::Stat> made =
        co_await recipes::Persistent(m_cluster.zk).exists(m_cluster.layout.queue(ids.front().queue));
    if (!made.ok())
        co_return false; // it was removed, and its arrays with it
    history::Query query;
    query.cluster = m_cluster.layout.clusterName();
    query.limit = static_cast<qsizetype>(ids.size());
    query.ids = std::move(ids);
    query.since = std::chrono::milliseconds(made->ctime);
    try {
        const history::Page page = co_await m_history->query(query);
        for (const history::ArchivedJob &entry : page.entries)
            outcomes.insert(entry.record.id,
                            entry.malformed.isEmpty() ? outcomeOf(entry.record, entry.endedAt)
                                                      : TaskOutcome{false, NoExitCode, {}});
        co_return true;
    } catch (const history::HistoryError &) {
        co_return false;
    }
}

} // namespace drover::workers
