#include "gui/feeds/job_feed.h"

#include "async/pause.h"
#include "gui/subtree/pacing.h"
#include "jobs/explain/waits_for.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

namespace {

constexpr async::PauseAfter BetweenReasons{.factor = 10, .shortest = 5s, .longest = 60s};

} // namespace

void JobFeed::begin()
{
    spawn(followConfig());
    spawn(followQueues());
    spawn(followClaims());
    spawn(followDone());
    spawn(publish());
    spawn(followReasons());
}

void JobFeed::end()
{
    m_queues.clear();
    m_table = JobTable();
    m_table.search(m_search);
    m_table.sort(m_order);
    m_exists = false;
    m_failed.clear();
    m_claimNames.clear();
    m_claimsDirty = false;
    m_nextLook.cancel();
    m_dirty.reset();
}

void JobFeed::clear()
{
    Q_EMIT jobsChanged({});
    Q_EMIT depthsChanged({});
    Q_EMIT loadsChanged({});
}

void JobFeed::search(const JobSearch &search)
{
    m_awaitsPast = true;
    if (search.filter == m_search)
        return;
    m_search = search.filter;
    m_table.search(m_search);
    m_dirty.set();
}

// The history sends nothing of the order before it.
void JobFeed::sort(const JobOrder &order)
{
    m_awaitsPast = true;
    m_order = order;
    m_table.sort(m_order);
}

void JobFeed::awaitPast()
{
    m_awaitsPast = true;
}

void JobFeed::showPast(const PastSnapshot &past)
{
    if (!attached())
        return;
    m_table.setPast(past);
    if (std::exchange(m_awaitsPast, false)) {
        m_table.arrange();
        report();
    }
    m_dirty.set();
}

async::Task<void> JobFeed::followConfig()
{
    const auto show = [this](const Answer<zk::Node> &answer) {
        m_exists = answer.ok();
        m_dirty.set();
    };
    co_await followDataPaced(cluster().zk, cluster().layout.config(), m_watches, show);
}

async::Task<void> JobFeed::followQueues()
{
    const auto show = [this](const Answer<zk::Children> &answer) { updateQueues(answer->names); };
    co_await followPaced(cluster().zk, cluster().layout.queues(), m_watches, show);
}

void JobFeed::updateQueues(const QByteArrayList &queues)
{
    std::erase_if(m_queues, [&](const auto &queue) { return !queues.contains(queue.first); });
    m_table.setQueues(queues);
    for (const QByteArray &queue : queues) {
        std::unique_ptr<async::TaskGroup> &group = m_queues[queue];
        if (group)
            continue;
        group = newGroup();
        group->spawn(followQueue(queue));
        group->spawn(followSettings(queue));
    }
    m_dirty.set();
}

async::Task<void> JobFeed::followQueue(QByteArray queue)
{
    const auto show = [this, queue](const Answer<zk::Children> &answer) {
        m_table.setQueue(queue, answer->names);
        m_dirty.set();
    };
    co_await followPaced(cluster().zk, cluster().layout.queue(queue), m_watches, show);
}

async::Task<void> JobFeed::followSettings(QByteArray queue)
{
    const auto show = [this, queue](const Answer<zk::Node> &answer) {
        m_table.setSettings(queue, answer.ok() ? jobs::QueueSettings::of(answer->data) : jobs::QueueSettings());
        m_dirty.set();
    };
    co_await followDataPaced(cluster().zk, cluster().layout.queue(queue), m_watches, show);
}

async::Task<void> JobFeed::followClaims()
{
    const auto show = [this](const Answer<zk::Children> &answer) {
        m_claimNames = answer->names;
        m_claimsDirty = true;
        m_dirty.set();
    };
    co_await followPaced(cluster().zk, cluster().layout.claims(), m_watches, show);
}

async::Task<void> JobFeed::followDone()
{
    const auto show = [this](const Answer<zk::Children> &answer) {
        if (m_table.setDone(answer->names))
            Q_EMIT archived();
        m_dirty.set();
    };
    co_await followPaced(cluster().zk, cluster().layout.done(), m_watches, show);
}

async::Task<void> JobFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(cluster().zk.loop(), 100ms); // the changes that come together are shown together
        const async::TimePoint begun = cluster().zk.loop().now();
        m_dirty.reset();
        try {
            co_await refresh();
        } catch (const zk::ConnectionLoss &) {
            m_dirty.set();
        }
        const async::Duration took = cluster().zk.loop().now() - begun;
        co_await async::sleepFor(cluster().zk.loop(), std::max<async::Duration>(150ms, took));
        co_await cluster().zk.connected();
    }
}

async::Task<void> JobFeed::refresh()
{
    if (m_claimsDirty)
        co_await readClaims();
    m_table.arrange();
    co_await readUnread();
    co_await searchOn();
    report();
}

void JobFeed::report()
{
    JobsSnapshot snapshot = m_table.snapshot();
    const QList<jobs::JobId> failed = m_table.failedSince(cluster().zk.loop().wallClock() - FailedFor);
    snapshot.failedLately +=
        std::ranges::count_if(failed, [this](const jobs::JobId &id) { return !m_table.isCounted(id); });
    if (failed != std::exchange(m_failed, failed))
        Q_EMIT failedInDone(failed);
    snapshot.clusterExists = m_exists;
    Q_EMIT jobsChanged(snapshot);
    Q_EMIT depthsChanged(m_table.depths());
    Q_EMIT loadsChanged(m_table.loads());
}

// All of them each time: the claim of a dead worker may have been replaced by another's of the same name.
async::Task<void> JobFeed::readClaims()
{
    std::vector<jobs::JobId> ids;
    std::vector<zk::Path> paths;
    for (const QByteArray &name : std::as_const(m_claimNames)) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
        if (!id || ids.size() == MaxClaims)
            continue;
        ids.push_back(*id);
        paths.push_back(cluster().layout.claim(*id));
    }
    m_claimsDirty = false;
    QHash<jobs::JobId, JobTable::ClaimRead> claims;
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        if (!node.ok())
            return;
        JobTable::ClaimRead &claim = claims[ids[i]];
        claim.since = node->stat.ctime;
        try {
            claim.claim = jobs::Claim::decode(node->data);
        } catch (const jobs::Malformed &error) {
            claim.malformed = QString::fromUtf8(error.what());
        }
    };
    try {
        co_await readEach(cluster().zk, paths, got);
    } catch (const zk::ConnectionLoss &) {
        m_claimsDirty = true;
        throw;
    }
    // One that was claimed ahead of its slot begins, or does not, in a moment, and no child changes when it begins.
    const bool anyAhead =
        std::any_of(claims.cbegin(), claims.cend(), [](const auto &read) { return read.claim.prefetched; });
    if (anyAhead)
        m_nextLook = cluster().zk.loop().after(1s, [this] {
            m_claimsDirty = true;
            m_dirty.set();
        });
    m_table.setClaims(std::move(claims));
}

async::Task<void> JobFeed::readUnread()
{
    const std::vector<JobTable::Unread> unread = m_table.unread(cluster().layout, ReadsAtATime);
    std::vector<zk::Path> paths;
    for (const JobTable::Unread &what : unread)
        paths.push_back(what.path);
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        if (node.ok())
            m_table.read(unread[i], *node);
    };
    co_await readEach(cluster().zk, paths, got);
    if (unread.size() >= ReadsAtATime)
        m_dirty.set(); // there may be more
}

// A step of the search.
async::Task<void> JobFeed::searchOn()
{
    const jobs::JobFilter filter = m_search;
    const std::vector<JobTable::Unread> left = m_table.unsearched(cluster().layout, ReadsAtATime);
    std::vector<zk::Path> paths;
    for (const JobTable::Unread &what : left)
        paths.push_back(what.path);
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        if (filter == m_search) // the user may have typed on
            m_table.searched(left[i], node);
    };
    co_await readEach(cluster().zk, paths, got);
    if (!left.empty())
        m_dirty.set();
}

// It watches none of what they depend on: a worker that leaves, memory that is freed, a place of a limit. On a busy
// cluster the claims alone are thousands of reads. So it rests ten times as long as it has read, but a minute at most.
async::Task<void> JobFeed::followReasons()
{
    async::Loop &loop = cluster().zk.loop();
    co_await async::sleepFor(loop, 2s);
    for (;;) {
        const async::TimePoint begun = loop.now();
        const QHash<jobs::JobId, QString> reasons = co_await readReasons();
        if (m_table.setReasons(reasons))
            m_dirty.set();
        co_await async::sleepFor(loop, BetweenReasons(loop.now() - begun));
        co_await cluster().zk.connected();
    }
}

async::Task<QHash<jobs::JobId, QString>> JobFeed::readReasons()
{
    QHash<jobs::JobId, QString> reasons;
    try {
        const std::vector<jobs::JobView> jobs = co_await jobs::readEntries(cluster(), m_table.unclaimed(MaxExplained));
        const QStringList texts = co_await jobs::waitsFor(cluster(), jobs);
        for (std::size_t i = 0; i < jobs.size(); ++i)
            reasons.insert(jobs[i].id, texts[qsizetype(i)]);
    } catch (const zk::AccessDenied &) { // who may not read the workers sees the other columns
    }
    co_return reasons;
}

} // namespace drover::gui
