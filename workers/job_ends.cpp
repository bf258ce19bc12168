#include "workers/job_ends.h"

#include "jobs/read_nodes.h"
#include "recipes/persist.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using recipes::persist;
using zk::Answer;

Q_LOGGING_CATEGORY(lcJobEnds, "drover.workers.job_ends")

namespace {

constexpr int Rounds = 3;

JobEnds::Fate fateOf(const jobs::FinalRecord &record)
{
    return record.state() == jobs::JobState::Succeeded ? JobEnds::Fate::Succeeded : JobEnds::Fate::Failed;
}

JobEnds::Fate fateOf(const zk::Node &node, const jobs::JobId &id)
{
    try {
        return fateOf(jobs::FinalRecord::decode(node.data, id));
    } catch (const jobs::Malformed &) {
        return JobEnds::Fate::Failed; // as it is shown
    }
}

void logUnlessSessionLost(const std::exception_ptr &error)
{
    try {
        std::rethrow_exception(error);
    } catch (const zk::SessionLost &) {
    } catch (const std::exception &other) {
        qCWarning(lcJobEnds, "cannot tell how a job ends: %s", other.what());
    }
}

} // namespace

JobEnds::JobEnds(zk::Coordinator &zk, jobs::Layout layout, history::History *history,
                 std::function<void(const jobs::JobId &id)> onChange)
    : m_zk(zk), m_layout(std::move(layout)), m_history(history), m_onChange(std::move(onChange))
{
}

JobEnds::Fate JobEnds::of(const jobs::JobId &id)
{
    const auto [entry, isNew] = m_followed.try_emplace(id);
    if (isNew) {
        entry->second.task = std::make_unique<async::TaskGroup>(&logUnlessSessionLost);
        entry->second.task->spawn(follow(id));
    }
    return entry->second.fate;
}

void JobEnds::forget(const jobs::JobId &id)
{
    m_followed.erase(id);
}

void JobEnds::set(const jobs::JobId &id, Fate fate)
{
    Followed &followed = m_followed.at(id);
    if (followed.fate == fate)
        return;
    followed.fate = fate;
    m_zk.loop().post([this, id, alive = std::weak_ptr(m_alive)] {
        if (!alive.expired())
            m_onChange(id);
    });
}

async::Task<void> JobEnds::follow(jobs::JobId id)
{
    for (;;) {
        zk::Watch ended;
        zk::Watch claimed;
        const bool over = co_await look(id, ended, claimed);
        if (over)
            co_return;
        const async::Future<zk::WatchEvent> onEnd = ended.fired();
        const async::Future<zk::WatchEvent> onClaim = claimed.fired();
        co_await async::eitherReady(onEnd, onClaim);
    }
}

// True once nothing more can become of it.
async::Task<bool> JobEnds::look(jobs::JobId id, zk::Watch &ended, zk::Watch &claimed)
{
    const zk::Path done = m_layout.done(id);
    const zk::Path claim = m_layout.claim(id);
    const auto lookForEnd = [&] { return m_zk.exists(done, ended); };
    const auto lookForClaim = [&] { return m_zk.exists(claim, claimed); };
    const Answer<zk::Stat> end = co_await persist(m_zk, lookForEnd);
    const Answer<zk::Stat> begun = co_await persist(m_zk, lookForClaim);
    std::vector<zk::Path> paths; // the record after the job: it moves from the one to the other
    for (const jobs::QueueEntry &entry : jobs::QueueEntry::candidates(id))
        paths.push_back(m_layout.job(id.queue, entry));
    paths.push_back(done);
    for (int round = 0; round < Rounds; ++round) { // one that moves within its queue may be missed once
        const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, paths);
        const Answer<zk::Node> &record = nodes.back();
        if (record.ok()) {
            set(id, fateOf(*record, id));
            co_return true;
        }
        const bool isQueued = std::any_of(nodes.begin(), nodes.end(),
                                          [](const Answer<zk::Node> &node) { return !node.is(zk::Code::NoNode); });
        if (isQueued) {
            if (begun.ok())
                set(id, Fate::Begun);
            co_return false;
        }
    }
    const Fate fate = co_await fateInHistory(id);
    set(id, fate);
    co_return true;
}

async::Task<JobEnds::Fate> JobEnds::fateInHistory(jobs::JobId id)
{
    if (!m_history)
        co_return Fate::Forgotten;
    try {
        history::Query query;
        query.cluster = m_layout.cluster();
        query.ids = std::vector<jobs::JobId>(1, id);
        query.limit = 1;
        const history::Page page = co_await m_history->query(query);
        if (!page.entries.empty())
            co_return fateOf(page.entries.front().record);
    } catch (const history::HistoryError &error) {
        qCWarning(lcJobEnds, "the history does not tell how %s ended: %s", id.bytes().constData(), error.what());
    }
    co_return Fate::Forgotten;
}

} // namespace drover::workers
