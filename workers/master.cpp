#include "workers/master.h"

#include "async/task_group.h"
#include "jobs/cluster.h"
#include "jobs/records.h"

#include <QDateTime>
#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcMaster, "drover.workers.master")

namespace {

// The election node is gone: somebody else leads, or will.
class Deposed : public std::runtime_error
{
public:
    Deposed() : std::runtime_error("deposed") { }
};

constexpr qint64 TrimBatch = 500;
constexpr std::size_t TrimSpare = 100; // of each queue: low numbers that ended late

async::Task<void> commitAsMaster(zk::Coordinator &zk, zk::Transaction transaction)
{
    const Answer<zk::Committed> committed = co_await zk.commit(transaction);
    if (committed.ok())
        co_return;
    if (committed->failedAt() == 0)
        throw Deposed(); // the guard is the first operation
    committed.require();
}

} // namespace

async::Task<void> Master::run()
{
    for (;;) {
        try {
            recipes::LeaderLatch latch(m_zk, m_layout.master());
            const recipes::Leadership leadership = co_await latch.campaign(m_worker);
            qCInfo(lcMaster, "%s is master of %s", m_worker.constData(), m_layout.cluster().constData());
            m_leads = true;
            co_await lead(leadership.fence());
        } catch (const Deposed &) {
        }
        m_leads = false;
        qCInfo(lcMaster, "%s is no longer master of %s", m_worker.constData(), m_layout.cluster().constData());
        co_await async::sleepFor(m_zk.loop(), 1s);
    }
}

async::Task<void> Master::lead(recipes::Fence fence)
{
    m_published.clear();
    async::TaskGroup duties([](const std::exception_ptr &) {}); // the session's end alone: seen here, too
    if (m_history) {
        m_archiver = std::make_unique<Archiver>(m_zk, m_layout, *m_history);
        duties.spawn(m_archiver->run(fence));
    }
    for (;;) {
        try {
            co_await publishStats(fence);
        } catch (const zk::ConnectionLoss &) {
        } catch (const zk::UnexpectedAnswer &error) {
            qCWarning(lcMaster, "somebody else changes the cluster's nodes: %s", error.what());
        } catch (const jobs::NotFound &error) {
            qCWarning(lcMaster, "%s", error.what());
        }
        co_await async::sleepFor(m_zk.loop(), 1s);
        co_await m_zk.connected();
    }
}

async::Task<void> Master::publishStats(recipes::Fence fence)
{
    const jobs::ClusterConfig config = co_await jobs::openCluster(m_zk, m_layout);
    const QByteArrayList queues = co_await jobs::queueNames(m_zk, m_layout);
    const auto lookingAtMembers = m_zk.exists(m_layout.members());
    const auto lookingAtClaims = m_zk.exists(m_layout.claims());
    const auto lookingAtDone = m_zk.exists(m_layout.done());
    std::vector<zk::Reply<zk::Stat>> lookingAtQueues;
    for (const QByteArray &queue : queues)
        lookingAtQueues.push_back(m_zk.exists(m_layout.queue(queue)));

    jobs::ClusterStats stats;
    const Answer<zk::Stat> members = co_await lookingAtMembers;
    const Answer<zk::Stat> claims = co_await lookingAtClaims;
    const Answer<zk::Stat> done = co_await lookingAtDone;
    stats.master = QString::fromUtf8(m_worker);
    stats.workers = members->numChildren;
    stats.running = claims->numChildren;
    stats.done = done->numChildren;
    for (qsizetype i = 0; i < queues.size(); ++i) {
        const Answer<zk::Stat> queue = co_await lookingAtQueues[static_cast<std::size_t>(i)];
        const qint64 created =
            (qint64(queue->cversion) + queue->numChildren) / 2; // each child counts once, or twice when gone
        stats.queues.push_back({queues[i], queue->numChildren, created});
    }
    if (m_archiver) {
        m_archiver->setConfig(config);
        stats.archive = m_archiver->state(stats.done);
    }
    if (stats.done > config.doneLimit && (!m_archiver || m_archiver->failing()))
        co_await trimDone(fence, config.doneLimit);

    const QByteArray content = stats.encode();
    if (content == m_published)
        co_return;
    stats.at = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    const Answer<zk::Stat> present = co_await m_zk.exists(m_layout.stats());
    zk::Transaction transaction;
    fence.guard(transaction);
    if (present.ok())
        transaction.set(m_layout.stats(), stats.encode());
    else
        transaction.create(m_layout.stats(), stats.encode());
    co_await commitAsMaster(m_zk, std::move(transaction));
    m_published = content;
}

async::Task<void> Master::trimDone(recipes::Fence fence, qint64 limit)
{
    const Answer<zk::Children> names = co_await m_zk.children(m_layout.done());
    const qint64 excess = names->names.size() - limit;
    if (excess <= 0)
        co_return;
    std::map<QByteArray, std::vector<jobs::JobId>> queues;
    for (const QByteArray &name : names->names) {
        if (const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name)))
            queues[id->queue].push_back(*id);
    }
    // The lowest numbers of each queue are the likely ones; which of them are the oldest, their transactions tell.
    const auto count = static_cast<std::size_t>(std::min(excess, TrimBatch));
    std::vector<std::pair<jobs::JobId, zk::Reply<zk::Stat>>> candidates;
    for (auto &[queue, ids] : queues) {
        std::sort(ids.begin(), ids.end());
        ids.resize(std::min(ids.size(), count + TrimSpare));
        for (const jobs::JobId &id : ids)
            candidates.emplace_back(id, m_zk.exists(m_layout.done(id)));
    }
    std::vector<std::pair<zk::Zxid, jobs::JobId>> byAge;
    for (const auto &[id, looking] : candidates) {
        const Answer<zk::Stat> stat = co_await looking;
        if (stat.ok())
            byAge.emplace_back(stat->czxid, id);
    }
    std::sort(byAge.begin(), byAge.end());
    const std::size_t gone = candidates.size() - byAge.size(); // removed by others since they were counted
    byAge.resize(std::min(byAge.size(), count - std::min(count, gone)));
    if (byAge.empty())
        co_return;
    zk::Transaction transaction;
    fence.guard(transaction);
    for (const auto &[zxid, id] : byAge)
        transaction.remove(m_layout.done(id));
    co_await commitAsMaster(m_zk, std::move(transaction));
    for (const auto &[zxid, id] : byAge) {
        if (m_archiver)
            m_archiver->noteTrimmed(id);
    }
}

} // namespace drover::workers
