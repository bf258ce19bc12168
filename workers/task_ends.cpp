#include "workers/task_ends.h"

#include "jobs/read_nodes.h"
#include "recipes/persist.h"

#include <algorithm>

namespace drover::workers {

using jobs::JobId;
using zk::Answer;

namespace {

constexpr int NoExitCode = 125;

TaskEnd endOf(const jobs::FinalRecord &record)
{
    return {record.state() == jobs::JobState::Cancelled, record.exitCode(), record.finishedAt};
}

TaskEnd endOf(const Answer<zk::Node> &node, const JobId &id)
{
    try {
        if (node.ok())
            return endOf(jobs::FinalRecord::decode(node->data, id));
    } catch (const jobs::Malformed &) {
        // As one that may not be read: it has ended, and nobody can tell how.
    }
    return {false, NoExitCode, {}};
}

} // namespace

async::Task<std::vector<std::optional<TaskEnd>>> TaskEnds::of(std::vector<JobId> ids)
{
    std::vector<zk::Path> paths;
    for (const JobId &id : ids)
        paths.push_back(m_layout.done(id));
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    std::vector<JobId> missing;
    QHash<JobId, TaskEnd> ends;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (nodes[i].is(zk::Code::NoNode))
            missing.push_back(ids[i]);
        else
            ends.insert(ids[i], endOf(nodes[i], ids[i]));
    }
    bool answered = true;
    for (std::size_t begin = 0; answered && begin < missing.size(); begin += history::Query::MaxIds) {
        const auto first = missing.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last =
            missing.begin() + static_cast<std::ptrdiff_t>(std::min(begin + history::Query::MaxIds, missing.size()));
        answered = co_await askHistory(std::vector<JobId>(first, last), ends);
    }
    std::vector<std::optional<TaskEnd>> found;
    for (const JobId &id : ids) {
        const auto end = ends.constFind(id);
        if (end != ends.constEnd())
            found.emplace_back(*end);
        else
            found.push_back(answered ? std::optional(TaskEnd{true, NoExitCode, {}}) : std::nullopt);
    }
    co_return found;
}

// False if it does not answer.
async::Task<bool> TaskEnds::askHistory(std::vector<JobId> ids, QHash<JobId, TaskEnd> &ends)
{
    if (!m_history)
        co_return true;
    const zk::Path queue = m_layout.queue(ids.front().queue);
    const auto look = [&] { return m_zk.exists(queue); };
    const Answer<zk::Stat> made = co_await recipes::persist(m_zk, look);
    if (!made.ok())
        co_return false; // it was removed, and its arrays with it
    history::Query query;
    query.cluster = m_layout.cluster();
    query.limit = static_cast<qsizetype>(ids.size());
    query.ids = std::move(ids);
    query.since = std::chrono::milliseconds(made->ctime);
    try {
        const history::Page page = co_await m_history->query(query);
        for (const history::Entry &entry : page.entries)
            ends.insert(entry.record.id,
                        entry.malformed.isEmpty() ? endOf(entry.record) : TaskEnd{false, NoExitCode, {}});
        co_return true;
    } catch (const history::HistoryError &) {
        co_return false;
    }
}

} // namespace drover::workers
