#include "workers/master.h"

#include "async/first_of.h"
#include "jobs/cluster.h"
#include "jobs/records.h"
#include "recipes/until_gone.h"
#include "workers/cancel_sweeper.h"
#include "workers/dedupe_sweeper.h"
#include "workers/mastership.h"
#include "workers/round_sweeper.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcMaster, "drover.workers.master")

namespace {

constexpr qint64 MaxTrim = 5000; // records removed at a time
constexpr std::size_t TrimBatch = 500; // in one transaction
constexpr std::size_t TrimSpare = 100; // of each queue: low numbers that ended late

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
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) {
            // What one master stumbles over the next may, too: it must not take the workers' jobs with it.
            qCWarning(lcMaster, "%s steps down for now: %s", m_worker.constData(), error.what());
        }
        m_leads = false;
        m_waiting.reset();
        m_promoter.reset();
        m_unfolder.reset();
        qCInfo(lcMaster, "%s is no longer master of %s", m_worker.constData(), m_layout.cluster().constData());
        co_await async::sleepFor(m_zk.loop(), 1s);
    }
}

async::Task<void> Master::lead(recipes::Fence fence)
{
    m_published.clear();
    m_since = m_zk.loop().wallClock();
    HistoryReader *const reader = m_keeping ? &m_keeping->reader : nullptr;
    m_unfolder = std::make_unique<Unfolder>(m_zk, m_layout, fence, reader);
    m_promoter = std::make_unique<Promoter>(m_zk, m_layout, reader);
    const auto onListed = [this](const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries) {
        m_promoter->setListed(queue, entries);
        m_unfolder->setListed(queue, entries);
    };
    m_waiting = std::make_unique<WaitingFeed>(m_zk, m_layout, onListed);
    m_timetable = std::make_unique<Timetable>(m_zk, m_layout);
    DedupeSweeper keySweeper(m_zk, m_layout);
    RoundSweeper roundSweeper(m_zk, m_layout);
    CancelSweeper cancelSweeper(m_zk, m_layout);
    std::vector<async::Task<void>> duties;
    duties.push_back(untilDeposed(fence));
    duties.push_back(m_waiting->run());
    duties.push_back(m_promoter->run(fence));
    duties.push_back(m_timetable->run(fence));
    duties.push_back(m_unfolder->run());
    duties.push_back(keepStats(fence));
    duties.push_back(keySweeper.run(fence));
    duties.push_back(roundSweeper.run(fence));
    duties.push_back(cancelSweeper.run(fence));
    if (m_keeping) {
        m_archiver = std::make_unique<Archiver>(m_zk, m_layout, m_keeping->writer);
        duties.push_back(m_archiver->run(fence));
    }
    co_await async::firstOf(m_zk.loop(), std::move(duties)); // until deposed, or the session is lost
}

// Without this it would notice at its next write, and might have nothing to write.
async::Task<void> Master::untilDeposed(recipes::Fence fence)
{
    co_await recipes::untilGone(m_zk, fence.path, fence.czxid);
    throw Deposed();
}

async::Task<void> Master::keepStats(recipes::Fence fence)
{
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
    stats.masterSince = m_since;
    stats.workers = members->numChildren;
    stats.claimed = claims->numChildren;
    stats.done = done->numChildren;
    for (qsizetype i = 0; i < queues.size(); ++i) {
        const Answer<zk::Stat> queue = co_await lookingAtQueues[static_cast<std::size_t>(i)];
        stats.queues.push_back({queues[i], queue->numChildren, jobs::submittedTo(*queue)});
    }
    m_timetable->setConfig(config);
    if (m_archiver) {
        m_archiver->setConfig(config);
        stats.archive = m_archiver->state(stats.done);
        const std::optional<HistoryReader::Trouble> trouble = m_keeping->reader.trouble();
        if (trouble && !m_archiver->failing()) {
            stats.archive->error = trouble->error;
            stats.archive->failingSince = trouble->since;
        }
    }
    if (stats.done > config.doneLimit && (!m_archiver || m_archiver->failing()) && knowsWhatIsAwaited())
        co_await trimDone(fence, config.doneLimit);

    const QByteArray content = stats.encode();
    if (content == m_published)
        co_return;
    stats.at = m_zk.loop().wallClock();
    const Answer<zk::Stat> present = co_await m_zk.exists(m_layout.stats());
    zk::Transaction transaction;
    fence.guard(transaction);
    if (present.ok())
        transaction.set(m_layout.stats(), stats.encode());
    else
        transaction.create(m_layout.stats(), stats.encode());
    const int refused = co_await commitAsMaster(m_zk, std::move(transaction));
    if (refused < 0)
        m_published = content; // otherwise somebody else has made or removed the node: soon again
}

// Not before what waits has been read: a new master knows nothing yet.
bool Master::knowsWhatIsAwaited() const
{
    return m_waiting->hasListedAll() && m_promoter->hasReadAll();
}

bool Master::awaits(const jobs::JobId &id) const
{
    return m_promoter->awaits(id) || m_unfolder->awaits(id);
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
    const auto count = static_cast<std::size_t>(std::min(excess, MaxTrim));
    std::vector<std::pair<jobs::JobId, zk::Reply<zk::Stat>>> candidates;
    for (auto &[queue, ids] : queues) {
        std::erase_if(ids, [this](const jobs::JobId &id) { return awaits(id); });
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
    for (std::size_t begin = 0; begin < byAge.size(); begin += TrimBatch) {
        const std::size_t end = std::min(begin + TrimBatch, byAge.size());
        zk::Transaction transaction;
        fence.guard(transaction);
        for (std::size_t i = begin; i < end; ++i)
            transaction.remove(m_layout.done(byAge[i].second));
        const int refused = co_await commitAsMaster(m_zk, std::move(transaction));
        for (std::size_t i = begin; m_archiver && refused < 0 && i < end; ++i)
            m_archiver->noteTrimmed(byAge[i].second);
    }
}

} // namespace drover::workers
