#include "workers/job_ends.h"

#include "jobs/array_progress.h"
#include "jobs/gang.h"
#include "jobs/job_spec.h"
#include "jobs/read_nodes.h"
#include "recipes/persist.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using recipes::persist;
using zk::Answer;

Q_LOGGING_CATEGORY(lcJobEnds, "drover.workers.job_ends")

namespace {

constexpr int Rounds = 3;
constexpr auto RetryPause = 5s; // after an answer that makes no sense: somebody has changed who may read

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

bool isArray(const zk::Node &node, const jobs::JobId &id)
{
    try {
        return jobs::JobSpec::decode(node.data, id.queue, 0).array.has_value();
    } catch (const jobs::Malformed &) {
        return false;
    }
}

// Whether the job with this claim runs; one that says nothing of it is taken for one that does.
bool hasBegun(const zk::Node &claim)
{
    try {
        return jobs::Claim::decode(claim.data).hasBegun();
    } catch (const jobs::Malformed &) {
        return true;
    }
}

// Whether a task of this array was unfolded, or the members of this gang have begun.
bool hasBegun(const zk::Node &node, const jobs::JobId &id)
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

JobEnds::JobEnds(zk::Coordinator &zk, jobs::Layout layout, HistoryReader *history,
                 std::function<void(const jobs::JobId &id)> onChange)
    : m_zk(zk), m_layout(std::move(layout)), m_history(history), m_onChange(std::move(onChange))
{
}

JobEnds::Fate JobEnds::of(const jobs::JobId &id)
{
    const auto [entry, isNew] = m_followed.try_emplace(id);
    if (isNew) {
        // What ends it is the session's end, which the master hears of elsewhere.
        entry->second.task = std::make_unique<async::TaskGroup>([](const std::exception_ptr &) {});
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
    bool failing = false;
    for (;;) {
        try {
            co_await untilOver(id);
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) {
            if (!std::exchange(failing, true))
                qCWarning(lcJobEnds, "what waits for %s goes on waiting until it can be looked at: %s",
                          id.bytes().constData(), error.what());
        }
        co_await async::sleepFor(m_zk.loop(), RetryPause);
    }
}

async::Task<void> JobEnds::untilOver(jobs::JobId id)
{
    for (;;) {
        zk::Watch ended;
        zk::Watch begins;
        const bool over = co_await look(id, ended, begins);
        if (over)
            co_return;
        const async::Future<zk::WatchEvent> onEnd = ended.fired();
        const async::Future<zk::WatchEvent> onBegin = begins.fired();
        co_await async::eitherReady(onEnd, onBegin);
    }
}

// True once nothing more can become of it.
async::Task<bool> JobEnds::look(jobs::JobId id, zk::Watch &ended, zk::Watch &begins)
{
    const zk::Path done = m_layout.done(id);
    const zk::Path claim = m_layout.claim(id);
    const auto lookForEnd = [&] { return m_zk.exists(done, ended); };
    const auto lookForClaim = [&] { return m_zk.exists(claim, begins); };
    const auto readClaim = [&] { return m_zk.get(claim); };
    const Answer<zk::Stat> end = co_await persist(m_zk, lookForEnd);
    const Answer<zk::Stat> claimed = co_await persist(m_zk, lookForClaim);
    bool begun = false;
    if (claimed.ok()) {
        const Answer<zk::Node> node = co_await persist(m_zk, readClaim);
        begun = node.ok() && hasBegun(*node);
    }
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
            if (begun)
                set(id, Fate::Begun);
            const auto array = std::find_if(nodes.begin(), nodes.end(), [&](const Answer<zk::Node> &node) {
                return node.ok() && isArray(*node, id);
            });
            if (array == nodes.end() || m_followed.at(id).fate == Fate::Begun) // its further progress is none of ours
                co_return false;
            const bool watched =
                co_await lookAtArray(id, paths[static_cast<std::size_t>(array - nodes.begin())], begins);
            if (watched)
                co_return false;
            co_return co_await look(id, ended, begins); // it has moved
        }
    }
    co_await askHistory(id);
    co_return true;
}

// False if it is no longer there. A beginning that follows the read fires the watch.
async::Task<bool> JobEnds::lookAtArray(jobs::JobId id, zk::Path node, zk::Watch &begins)
{
    const auto watch = [&] { return m_zk.exists(node, begins); };
    const auto read = [&] { return m_zk.get(node); };
    const Answer<zk::Stat> there = co_await persist(m_zk, watch);
    if (!there.ok())
        co_return false;
    const Answer<zk::Node> array = co_await persist(m_zk, read);
    if (array.ok() && hasBegun(*array, id))
        set(id, Fate::Begun);
    co_return true;
}

// Until it tells; what it has to say of its trouble HistoryReader does.
async::Task<void> JobEnds::askHistory(jobs::JobId id)
{
    history::Query query;
    query.cluster = m_layout.cluster();
    query.ids = std::vector<jobs::JobId>(1, id);
    query.limit = 1;
    while (m_history) {
        try {
            const history::Page page = co_await m_history->query(query);
            set(id, page.entries.empty() ? Fate::Forgotten : fateOf(page.entries.front().record));
            co_return;
        } catch (const history::HistoryError &) {
        }
        co_await async::sleepFor(m_zk.loop(), HistoryReader::RetryPause);
    }
    set(id, Fate::Forgotten);
}

} // namespace drover::workers
