#include "workers/master/base/archiver.h"

#include "jobs/cluster/read_nodes.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using history::ArchivedJob;
using jobs::FinalRecord;
using jobs::JobId;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcArchiver, "drover.workers.archiver")

namespace {

constexpr std::size_t ArchivedAtOnce = 500; // records: reads in flight, and rows of one commit
constexpr std::size_t RemovedAtOnce = 500; // znodes of one transaction
constexpr std::chrono::seconds KeylessLinger{2};
constexpr std::chrono::milliseconds TaskLinger{500}; // of an array: it is the array that people wait for
constexpr auto Pace = 200ms; // between two listings: what ends meanwhile shares the next commit
constexpr auto PacePerName = 50us; // and more where a listing is long
constexpr auto FirstPause = 1s;
constexpr auto LongestPause = 30s;
constexpr auto PruneInterval = 10min;
constexpr int PrunesAtOnce = 20;
constexpr auto AwaitedPause = 2s; // between two looks whether a job still waits for it

// A malformed record is archived with its bytes as the tail: it must neither be lost nor stay for ever. Throws
// NewerFormat: a newer master can read it.
ArchivedJob entryOf(const QByteArray &cluster, const JobId &id, const zk::Node &node)
{
    ArchivedJob entry;
    entry.cluster = cluster;
    entry.endedAt = std::chrono::milliseconds(node.stat.ctime);
    try {
        entry.record = FinalRecord::decode(node.data, id);
    } catch (const jobs::NewerFormat &) {
        throw;
    } catch (const jobs::Malformed &error) {
        entry.record.id = id;
        entry.record.outcome = FinalRecord::Outcome::Malformed;
        entry.record.reason = QStringLiteral("its final record is malformed (%1); the tail holds what there was")
                                  .arg(QString::fromUtf8(error.what()));
        entry.record.tail = node.data;
    }
    return entry;
}

async::Duration lingerOf(const FinalRecord &record)
{
    if (record.id.isTask())
        return TaskLinger;
    return record.key.isEmpty() ? KeylessLinger : Archiver::Linger;
}

} // namespace

Archiver::Archiver(jobs::Cluster cluster, MasterHistory &history, Troubles &troubles, const zk::ServerClock *clock,
                   IsAwaited isAwaited)
    : m_cluster(std::move(cluster)), m_history(history), m_clock(clock), m_isAwaited(std::move(isAwaited)),
      m_troubles(troubles),
      m_unreadable(m_cluster.zk.loop(), m_troubles, SetAside::For, QStringLiteral("the final record of job %1")),
      m_refused(m_cluster.zk.loop(), m_troubles, SetAside::For, QStringLiteral("the history's record of job %1"))
{
}

async::Task<void> Archiver::run(recipes::Fence fence)
{
    for (;;) {
        std::size_t listed = 0;
        try {
            zk::Watch changed;
            const Answer<zk::Children> done = co_await m_cluster.zk.children(m_cluster.layout.done(), changed);
            listed = static_cast<std::size_t>(done->names.size());
            std::vector<JobId> fresh = forgetGone(done->names);
            const bool fed = co_await feedHistory(fence, std::move(fresh));
            m_hasTried = true;
            const bool master = co_await sweep(fence);
            if (!master)
                co_return;
            if (fed)
                co_await untilNeeded(changed);
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::ConnectionLoss &) {
        } catch (const std::exception &error) {
            failed(QString::fromUtf8(error.what()));
        }
        co_await async::sleepFor(m_cluster.zk.loop(), std::max<async::Duration>(m_pause, Pace + listed * PacePerName));
        co_await m_cluster.zk.connected();
    }
}

void Archiver::setConfig(const jobs::ClusterConfig &config)
{
    if (config == m_config)
        return;
    m_config = config;
    m_nextPrune = {};
    m_wake.set(true);
}

// Returns those that are not archived yet.
std::vector<JobId> Archiver::forgetGone(const QByteArrayList &names)
{
    std::vector<JobId> fresh;
    QHash<JobId, Kept> present;
    std::set<JobId> aside;
    m_unreadable.takeDue(); // they are read below
    m_refused.takeDue();
    for (const QByteArray &name : names) {
        const std::optional<JobId> id = JobId::parse(QString::fromUtf8(name));
        if (!id)
            continue; // none of ours
        const auto kept = m_kept.constFind(*id);
        const bool isAside = m_unreadable.knows(*id) || m_refused.knows(*id);
        if (isAside)
            aside.insert(*id);
        if (kept != m_kept.constEnd())
            present.insert(*id, *kept);
        else if (!m_unreadable.holds(*id) && !m_refused.holds(*id))
            fresh.push_back(*id);
    }
    m_kept.swap(present);
    m_unreadable.keepOnly(aside);
    m_refused.keepOnly(aside);
    return fresh;
}

// False if the database fails.
async::Task<bool> Archiver::feedHistory(recipes::Fence fence, std::vector<JobId> fresh)
{
    try {
        co_await archive(fence, std::move(fresh));
    } catch (const history::HistoryError &error) {
        failed(QString::fromUtf8(error.what()));
        co_return false;
    }
    succeeded();
    try {
        co_await prune(fence);
    } catch (const history::HistoryError &error) {
        m_pruneError = QString::fromUtf8(error.what());
        m_nextPrune = m_cluster.zk.loop().now() + PruneInterval;
    }
    co_return true;
}

async::Task<void> Archiver::archive(recipes::Fence fence, std::vector<JobId> ids)
{
    if (ids.empty())
        co_return;
    const history::Term term = co_await termOf(fence);
    for (std::size_t begin = 0; begin < ids.size(); begin += ArchivedAtOnce) {
        const std::size_t end = std::min(ids.size(), begin + ArchivedAtOnce);
        std::vector<zk::Path> paths;
        for (std::size_t i = begin; i < end; ++i)
            paths.push_back(m_cluster.layout.done(ids[i]));
        const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
        history::ArchiveBatch batch;
        batch.cluster = m_cluster.layout.clusterName();
        batch.term = term;
        const auto refused = std::make_shared<history::Refusals>();
        batch.refused = refused;
        std::vector<std::pair<zk::Zxid, ArchivedJob>> ended; // in that order, whatever the clocks said
        for (std::size_t i = begin; i < end; ++i) {
            const Answer<zk::Node> &node = nodes[i - begin];
            try {
                if (node.ok()) // else trimmed meanwhile
                    ended.emplace_back(node->stat.czxid, entryOf(batch.cluster, ids[i], *node));
                else if (node.is(Code::NoAuth))
                    m_unreadable.add(ids[i], {}, QStringLiteral("the master may not read it"));
            } catch (const jobs::NewerFormat &error) {
                m_unreadable.add(ids[i], {}, QString::fromUtf8(error.what()));
            }
        }
        std::sort(ended.begin(), ended.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        for (const auto &[czxid, entry] : ended)
            batch.entries.push_back(entry);
        co_await m_history.archive(std::move(batch));
        for (const auto &[id, why] : *refused)
            m_refused.add(id, {}, why);
        for (const auto &[czxid, entry] : ended) {
            m_unreadable.remove(entry.record.id);
            if (m_refused.holds(entry.record.id))
                continue;
            m_refused.remove(entry.record.id);
            m_kept.insert(entry.record.id, Kept{czxid, m_cluster.zk.loop().now() + lingerOf(entry.record)});
        }
    }
}

// Deletes the records that are due, and the oldest of too many. False if another worker is master.
async::Task<bool> Archiver::sweep(recipes::Fence fence)
{
    std::vector<std::pair<zk::Zxid, JobId>> byAge;
    for (auto it = m_kept.cbegin(); it != m_kept.cend(); ++it)
        byAge.emplace_back(it->czxid, it.key());
    std::sort(byAge.begin(), byAge.end());
    const qint64 excess = static_cast<qint64>(byAge.size()) - m_config.doneLimit;
    std::vector<JobId> doomed;
    for (std::size_t i = 0; i < byAge.size(); ++i) {
        const JobId &id = byAge[i].second;
        if (static_cast<qint64>(i) >= excess && m_kept[id].due > m_cluster.zk.loop().now())
            continue;
        if (m_isAwaited(id))
            m_kept[id].due = m_cluster.zk.loop().now() + AwaitedPause;
        else
            doomed.push_back(id);
    }
    while (!doomed.empty()) {
        const auto end = doomed.end() - static_cast<qint64>(std::min(doomed.size(), RemovedAtOnce));
        std::vector<JobId> batch(end, doomed.end());
        doomed.erase(end, doomed.end());
        const bool master = co_await removeDone(fence, std::move(batch));
        if (!master)
            co_return false;
    }
    co_return true;
}

async::Task<bool> Archiver::removeDone(recipes::Fence fence, std::vector<JobId> ids)
{
    while (!ids.empty()) {
        zk::Transaction transaction;
        fence.guard(transaction);
        for (const JobId &id : ids)
            transaction.remove(m_cluster.layout.done(id));
        const Answer<zk::Committed> committed = co_await m_cluster.zk.commit(std::move(transaction));
        if (committed.ok()) {
            for (const JobId &id : ids)
                m_kept.remove(id);
            break;
        }
        const std::optional<std::size_t> refused = committed->refusedAt();
        if (refused == 0u)
            co_return false;
        if (!refused || committed->results[*refused].code != Code::NoNode)
            committed.require();
        m_kept.remove(ids[*refused - 1]); // removed by hand: the others still have to go
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(*refused) - 1);
    }
    co_return true;
}

// Distinguishes this master from earlier and later ones, and from those of another cluster of that name.
async::Task<history::Term> Archiver::termOf(recipes::Fence fence)
{
    const Answer<zk::Stat> root = co_await m_cluster.zk.exists(m_cluster.layout.root());
    co_return history::Term{std::chrono::milliseconds(root->ctime), fence.czxid};
}

async::Task<void> Archiver::prune(recipes::Fence fence)
{
    const history::Retention retention{m_config.historyKeep, m_config.historyLimit};
    const bool isAsked = retention.keepFor.count() > 0 || retention.keepJobs > 0;
    if (!isAsked || m_cluster.zk.loop().now() < m_nextPrune || (m_clock && !m_clock->agrees()))
        co_return;
    const history::Term term = co_await termOf(fence);
    for (int i = 0; i < PrunesAtOnce; ++i) {
        const qint64 removed = co_await m_history.prune(retention, term);
        m_pruneError.clear();
        if (removed == 0) {
            m_nextPrune = m_cluster.zk.loop().now() + PruneInterval;
            break;
        }
    }
}

// Until done/ changes, or something in it is due.
async::Task<void> Archiver::untilNeeded(const zk::Watch &changed)
{
    async::TimePoint due = m_cluster.zk.loop().now() + Linger;
    for (const Kept &kept : std::as_const(m_kept))
        due = std::min(due, kept.due);
    m_wake = {};
    const async::Future<bool> woken = m_wake.future();
    const async::Future<zk::WatchEvent> change = changed.fired();
    const async::Timer timer = m_cluster.zk.loop().after(std::max<async::Duration>(due - m_cluster.zk.loop().now(), {}),
                                                         [this] { m_wake.set(true); });
    co_await async::anyReady(woken, change);
}

void Archiver::succeeded()
{
    if (failing())
        qCInfo(lcArchiver, "the history %s takes records again", qPrintable(m_history.location().display()));
    m_error.clear();
    m_failingSince = {};
    m_pause = {};
}

void Archiver::failed(const QString &why)
{
    if (why != m_error)
        qCWarning(lcArchiver, "finished jobs stay in ZooKeeper: %s", qPrintable(why));
    if (!failing())
        m_failingSince = m_cluster.zk.loop().wallClock();
    m_error = why.isEmpty() ? QStringLiteral("unknown error") : why;
    m_pause = std::clamp<async::Duration>(2 * m_pause, FirstPause, LongestPause);
}

qint64 Archiver::waiting(qint64 records) const
{
    return std::max<qint64>(0, records - m_kept.size() - m_unreadable.size());
}

jobs::ClusterStats::Archive Archiver::state(qint64 records) const
{
    jobs::ClusterStats::Archive state;
    state.history = m_history.location().display();
    if (m_hasTried)
        state.backlog = waiting(records);
    state.aside = m_unreadable.size();
    state.error = m_error;
    state.failingSince = m_failingSince;
    state.lost = m_lost;
    return state;
}

} // namespace drover::workers
