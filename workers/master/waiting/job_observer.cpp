#include "workers/master/waiting/job_observer.h"

#include "jobs/cluster/read_nodes.h"
#include "jobs/model/array_progress.h"
#include "jobs/model/claim.h"
#include "jobs/model/gang.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/supervise.h"

#include <algorithm>

namespace drover::workers {

using recipes::Persistent;
using zk::Answer;
using Sight = JobObserver::Sight;

namespace {

constexpr int Rounds = 3; // of looks at every name, after the one at the likely names

Sight endIn(const jobs::FinalRecord &record)
{
    if (record.movedTo)
        return {false, std::nullopt, record.movedTo};
    return {true,
            record.state() == jobs::JobState::Succeeded ? JobObserver::State::Succeeded : JobObserver::State::Failed};
}

// A malformed record counts as a failure, as commands show it.
Sight endIn(const zk::Node &done, const jobs::JobId &id)
{
    try {
        return endIn(jobs::FinalRecord::decode(done.data, id));
    } catch (const jobs::NewerFormat &) {
        return {true, JobObserver::State::Unknown};
    } catch (const jobs::Malformed &) {
        return {true, JobObserver::State::Failed};
    }
}

bool isArray(const Answer<zk::Node> &node, const jobs::JobId &id)
{
    const auto spec = node.ok() ? jobs::tryDecode<jobs::JobSpec>(node->data, id.queue, 0) : std::nullopt;
    return spec && spec->array;
}

// Whether a task of this array was created, or the members of this gang have begun.
bool hasArrayBegun(const zk::Node &node, const jobs::JobId &id)
{
    try {
        const jobs::JobSpec spec = jobs::JobSpec::decode(node.data, id.queue, 0);
        if (spec.gang > 0)
            return jobs::GangRounds::of(node.data).begunAt.count() > 0;
        return spec.array && jobs::ArrayProgress::of(node.data, *spec.array).begun();
    } catch (const jobs::Malformed &) {
        return false;
    }
}

} // namespace

async::Task<Sight> JobObserver::look(jobs::JobId id, bool beginMatters, zk::Watch &ended, zk::Watch &begins)
{
    const zk::Path done = m_cluster.layout.done(id);
    co_await Persistent(m_cluster.zk).exists(done, ended);
    Sight queued;
    if (beginMatters) {
        const bool begun = co_await hasBegun(m_cluster.layout.claim(id), begins);
        queued.state = begun ? std::optional(State::Begun) : std::nullopt;
    }
    std::vector<jobs::QueueEntry> entries = jobs::QueueEntry::likely(id);
    for (int round = 0; round <= Rounds; ++round) { // one that moves within its queue may be missed once
        std::vector<zk::Path> paths; // the record after the job: it moves from the one to the other
        for (const jobs::QueueEntry &entry : entries)
            paths.push_back(m_cluster.layout.job(id.queue, entry));
        paths.push_back(done);
        const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, paths);
        if (nodes.back().ok())
            co_return endIn(*nodes.back(), id);
        const bool isQueued = std::any_of(nodes.begin(), nodes.end(),
                                          [](const Answer<zk::Node> &node) { return !node.is(zk::Code::NoNode); });
        if (isQueued) {
            const auto array = std::find_if(nodes.begin(), nodes.end(),
                                            [&](const Answer<zk::Node> &node) { return isArray(node, id); });
            if (array == nodes.end() || !beginMatters || queued.state) // an array's progress matters until it begins
                co_return queued;
            const zk::Path node = paths[static_cast<std::size_t>(array - nodes.begin())];
            const std::optional<Sight> there = co_await lookAtArray(id, node, begins);
            if (there)
                co_return *there;
            co_return co_await look(id, beginMatters, ended, begins); // it has moved
        }
        entries = jobs::QueueEntry::candidates(id);
    }
    co_return co_await askHistory(id);
}

// A malformed claim counts as begun.
async::Task<bool> JobObserver::hasBegun(zk::Path claim, zk::Watch &begins)
{
    const Answer<zk::Stat> there = co_await Persistent(m_cluster.zk).exists(claim, begins);
    if (!there.ok())
        co_return false;
    const Answer<zk::Node> node = co_await Persistent(m_cluster.zk).get(claim);
    if (!node.ok())
        co_return false;
    const std::optional<jobs::Claim> read = jobs::tryDecode<jobs::Claim>(node->data);
    co_return !read || read->hasBegun();
}

// Nothing if it is no longer there. A beginning that follows the read fires the watch.
async::Task<std::optional<Sight>> JobObserver::lookAtArray(jobs::JobId id, zk::Path node, zk::Watch &begins)
{
    const Answer<zk::Stat> there = co_await Persistent(m_cluster.zk).exists(node, begins);
    if (!there.ok())
        co_return std::nullopt;
    const Answer<zk::Node> array = co_await Persistent(m_cluster.zk).get(node);
    Sight seen;
    if (array.ok() && hasArrayBegun(*array, id))
        seen.state = State::Begun;
    co_return seen;
}

// Until it answers. MasterHistory reports that it does not.
async::Task<Sight> JobObserver::askHistory(jobs::JobId id)
{
    const zk::Path root = m_cluster.layout.root();
    history::Query query;
    query.cluster = m_cluster.layout.clusterName();
    query.ids = std::vector<jobs::JobId>(1, id);
    query.limit = 1;
    while (m_history) {
        const Answer<zk::Stat> made = co_await Persistent(m_cluster.zk).exists(root);
        if (made.ok()) // it may know jobs of an earlier cluster of that name
            query.since = std::chrono::milliseconds(made->ctime);
        try {
            const history::Page page = co_await m_history->query(query);
            co_return page.entries.empty() ? Sight{true, State::Unknown} : endIn(page.entries.front().record);
        } catch (const history::HistoryError &) {
        }
        co_await async::sleepFor(m_cluster.zk.loop(), RetryPause);
    }
    co_return Sight{true, State::Forgotten};
}

} // namespace drover::workers
