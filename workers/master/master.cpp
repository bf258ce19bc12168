#include "workers/master/master.h"

#include "async/first_of.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/members.h"
#include "recipes/blocks/until_gone.h"
#include "text/clock_difference.h"
#include "text/quantity.h"
#include "workers/master/audit_sweeper.h"
#include "workers/master/base/master_commit.h"
#include "workers/master/base/supervise.h"
#include "workers/master/cancel_sweeper.h"
#include "workers/master/dedupe_sweeper.h"
#include "workers/master/gang_round_sweeper.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Answer;

Q_LOGGING_CATEGORY(lcMaster, "drover.workers.master")

namespace {

constexpr qint64 MaxTrim = 5000; // records removed at a time
constexpr std::size_t TrimBatch = 500; // in one transaction
constexpr std::size_t TrimSpare = 100; // of each queue: low numbers that ended late
constexpr std::size_t ShownTroubles = 40;
constexpr qsizetype MaxStats = 512 * 1024; // bytes
constexpr auto StepDownInterval = 10min; // for a clock that is wrong
const QString OfClock = QStringLiteral("clock");
const QString OfSummary = QStringLiteral("summary");
const QString OfSettings = QStringLiteral("cluster's settings");
const QString OfPruning = QStringLiteral("limits of the history");

bool hadGoodClock(const jobs::StoredMember &member)
{
    const auto ahead = member.info ? member.info->startedAt - std::chrono::milliseconds(member.stat.ctime) : 24h;
    return std::chrono::abs(ahead) <= zk::ServerClock::Tolerance;
}

} // namespace

async::Task<void> Master::run()
{
    for (;;) {
        try {
            recipes::LeaderLatch latch(m_cluster.zk, m_cluster.layout.master());
            const recipes::Leadership leadership = co_await latch.campaign(m_worker);
            qCInfo(lcMaster, "%s is master of %s", m_worker.constData(), m_cluster.layout.clusterName().constData());
            m_leads = true;
            co_await lead(leadership.fence());
        } catch (const Deposed &) {
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) {
            // The election itself: it must not take the worker's jobs with it.
            qCWarning(lcMaster, "%s steps down for now: %s", m_worker.constData(), error.what());
        }
        m_leads = false;
        m_queueWatch.reset();
        m_promoter.reset();
        m_arrayExpander.reset();
        m_archiver.reset();
        m_cronScheduler.reset();
        if (m_throttle && m_throttle->since().count() > 0)
            m_cluster.zk.discardOwned(m_cluster.layout.backpressure());
        qCInfo(lcMaster, "%s is no longer master of %s", m_worker.constData(),
               m_cluster.layout.clusterName().constData());
        co_await async::sleepFor(m_cluster.zk.loop(), 1s);
    }
}

async::Task<void> Master::lead(recipes::Fence fence)
{
    co_await jobs::measureClock(m_cluster, m_worker, m_clock); // gangs go by it
    m_published.clear();
    m_since = m_clock.now();
    m_troubles = std::make_unique<Troubles>(m_cluster.zk.loop());
    m_throttle = std::make_unique<Throttle>(m_cluster);
    m_arrayExpander = std::make_unique<ArrayExpander>(m_cluster, fence, m_history.get(), *m_troubles, &m_clock);
    const auto onListed = [this](const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries) {
        m_promoter->setListed(queue, entries);
        m_arrayExpander->setListed(queue, entries);
    };
    m_queueWatch = std::make_unique<MasterQueueWatch>(m_cluster, *m_troubles, onListed);
    DedupeSweeper keySweeper(m_cluster);
    CancelSweeper cancelSweeper(m_cluster, *m_troubles);
    AuditSweeper auditSweeper(m_cluster);
    std::vector<async::Task<void>> duties;
    const auto keep = [&](const char *subject, std::function<async::Task<void>()> work) {
        duties.push_back(superviseDuty(m_cluster.zk, *m_troubles, QString::fromLatin1(subject), std::move(work)));
    };
    duties.push_back(untilDeposed(fence));
    keep("jobs that wait", [this, fence] { return promote(fence); });
    keep("schedules", [this, fence] { return submitWhatRecurs(fence); });
    duties.push_back(m_queueWatch->run());
    duties.push_back(m_arrayExpander->run());
    duties.push_back(keepStats(fence));
    keep("keys of jobs", [&] { return keySweeper.run(fence); });
    keep("jobs that were cancelled", [&] { return cancelSweeper.run(fence); });
    keep("the audit", [&] { return auditSweeper.run(fence); });
    keep("rounds of gangs", [&] { return sweepGangRounds(m_cluster, fence); });
    if (m_history) {
        const auto isAwaited = [this](const jobs::JobId &id) { return !knowsWhatIsAwaited() || awaits(id); };
        m_archiver = std::make_unique<Archiver>(m_cluster, *m_history, *m_troubles, &m_clock, isAwaited);
        duties.push_back(m_archiver->run(fence));
    }
    co_await async::firstOf(m_cluster.zk.loop(), std::move(duties)); // until deposed, or the session is lost
}

// Each time from the beginning: what a failure has left half done is read again.
async::Task<void> Master::promote(recipes::Fence fence)
{
    m_promoter = std::make_unique<Promoter>(m_cluster, m_history.get(), m_clock, *m_troubles);
    m_queueWatch->listAgain();
    co_await m_promoter->run(fence);
}

async::Task<void> Master::submitWhatRecurs(recipes::Fence fence)
{
    m_cronScheduler = std::make_unique<CronScheduler>(m_cluster, *m_troubles, &m_clock);
    co_await m_cronScheduler->run(fence);
}

// Without this it would notice at its next write, and might have nothing to write.
async::Task<void> Master::untilDeposed(recipes::Fence fence)
{
    co_await recipes::untilGone(m_cluster.zk, fence.path, fence.czxid);
    throw Deposed();
}

async::Task<void> Master::keepStats(recipes::Fence fence)
{
    for (;;) {
        QString trouble;
        try {
            co_await lookAround(fence);
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const Deposed &) {
            throw;
        } catch (const zk::ConnectionLoss &) {
        } catch (const std::exception &error) { // the cluster's nodes were changed by hand
            trouble = QString::fromUtf8(error.what());
        }
        if (!trouble.isEmpty())
            m_troubles->note(OfSummary, trouble);
        co_await async::sleepFor(m_cluster.zk.loop(), 1s);
        co_await m_cluster.zk.connected();
    }
}

async::Task<void> Master::lookAround(recipes::Fence fence)
{
    co_await readConfig();
    jobs::ClusterStats stats = co_await collectStats();
    if (m_config)
        co_await holdBack(fence, *m_config, stats);
    co_await publish(fence, std::move(stats));
    co_await mindTheClock();
}

// The last ones that this program could read hold while only a newer one can; nothing is deleted by defaults.
async::Task<void> Master::readConfig()
{
    try {
        const jobs::ClusterConfig config = co_await jobs::readClusterConfig(m_cluster);
        m_config = config;
        m_troubles->clear(OfSettings);
    } catch (const jobs::WrongState &error) {
        m_troubles->note(OfSettings, QString::fromUtf8(error.what()));
    }
    if (!m_config)
        co_return;
    m_cronScheduler->setConfig(*m_config);
    if (m_archiver)
        m_archiver->setConfig(*m_config);
}

async::Task<jobs::ClusterStats> Master::collectStats()
{
    QByteArrayList queues = co_await jobs::queueNames(m_cluster);
    queues.resize(std::min(queues.size(), jobs::MaxQueues));
    const auto lookingAtMembers = m_cluster.zk.exists(m_cluster.layout.members());
    const auto lookingAtClaims = m_cluster.zk.exists(m_cluster.layout.claims());
    const auto lookingAtDone = m_cluster.zk.exists(m_cluster.layout.done());
    std::vector<zk::Reply<zk::Stat>> lookingAtQueues;
    for (const QByteArray &queue : queues)
        lookingAtQueues.push_back(m_cluster.zk.exists(m_cluster.layout.queue(queue)));

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
        if (queue.ok()) // else removed meanwhile
            stats.queues.push_back({queues[i], queue->numChildren, jobs::submittedTo(*queue)});
    }
    if (m_archiver) {
        stats.archive = m_archiver->state(stats.done);
        const std::optional<MasterHistory::Trouble> trouble = m_history->queryTrouble();
        if (trouble && !m_archiver->failing()) {
            stats.archive->error = trouble->error;
            stats.archive->failingSince = trouble->since;
        }
        if (!m_archiver->pruneError().isEmpty())
            m_troubles->note(OfPruning, m_archiver->pruneError());
        else
            m_troubles->clear(OfPruning);
    }
    co_return stats;
}

// What becomes of more records than done/ is to hold.
async::Task<void> Master::holdBack(recipes::Fence fence, jobs::ClusterConfig config, jobs::ClusterStats &stats)
{
    const bool isElsewhere = !m_archiver && !config.history.isEmpty(); // in a history that this worker has not opened
    const qint64 waiting = m_archiver ? m_archiver->waiting(stats.done) : isElsewhere ? stats.done : 0;
    const bool fails = m_archiver ? m_archiver->failing() : isElsewhere;
    const bool overfull = m_throttle->isOverfull(waiting, fails, config.doneLimit);
    QString why = QStringLiteral("it does not take them as fast as jobs end");
    if (isElsewhere)
        why = QStringLiteral("the master's machine may not open it; list it there (history_allow)");
    else if (fails)
        why = stats.archive->error;
    else if (m_archiver && m_archiver->refused() > 0)
        why = QStringLiteral("its database refuses %1")
                  .arg(text::formatCount(m_archiver->refused(), "record", "records"));
    const QString reason = QStringLiteral("%1 wait for the history: %2")
                               .arg(text::formatCount(waiting, "finished job", "finished jobs"), why);
    co_await m_throttle->show(fence, overfull && !config.dropWhenAway, reason);
    if (stats.archive)
        stats.archive->pausedSince = m_throttle->since();
    const bool mayTrim = config.dropWhenAway ? fails || overfull || !m_archiver : !m_archiver && !isElsewhere;
    if (mayTrim && stats.done > config.doneLimit && knowsWhatIsAwaited())
        co_await trimDone(fence, config.doneLimit);
}

async::Task<void> Master::publish(recipes::Fence fence, jobs::ClusterStats stats)
{
    stats.troubles = m_troubles->first(ShownTroubles);
    QByteArray content = stats.encode();
    if (content.size() > MaxStats) {
        m_troubles->note(OfSummary,
                         QStringLiteral("there are %1 queues, too many for a summary of each")
                             .arg(static_cast<qint64>(stats.queues.size())));
        stats.queues.clear();
        stats.troubles = m_troubles->first(ShownTroubles);
        content = stats.encode();
    }
    if (content == m_published && !m_clock.isDue())
        co_return;
    stats.at = m_cluster.zk.loop().wallClock();
    co_await write(fence, stats.encode());
    m_published = content;
}

// Measures the clock as well. A lost reply is another round's.
async::Task<void> Master::write(recipes::Fence fence, QByteArray data)
{
    const zk::Path path = m_cluster.layout.stats();
    const Answer<zk::Stat> present = co_await m_cluster.zk.exists(path);
    zk::Transaction transaction;
    fence.guard(transaction);
    if (!present.ok())
        transaction.create(path, {});
    transaction.set(path, data);
    const zk::ServerClock::Instant sent = m_cluster.zk.loop().wallClock();
    const Answer<zk::Committed> committed = co_await m_cluster.zk.commit(transaction);
    if (committed->refusedAt() == 0u)
        throw Deposed();
    committed.require(); // the node was made or removed by hand: retried soon
    m_clock.measured(sent, m_cluster.zk.loop().wallClock(),
                     zk::ServerClock::Instant(committed->results.back().stat.mtime));
    m_troubles->clear(OfSummary);
}

async::Task<void> Master::mindTheClock()
{
    const std::chrono::milliseconds ahead = m_clock.ahead();
    if (std::chrono::abs(ahead) <= zk::ServerClock::Tolerance) {
        m_troubles->clear(OfClock);
        co_return;
    }
    m_troubles->note(
        OfClock,
        QStringLiteral("the clock of worker %1 is %2: schedules, jobs that wait for a time, and the limits of the "
                       "history stand still; set the clock (NTP)")
            .arg(QString::fromUtf8(m_worker), text::clockDifference(ahead)));
    const async::TimePoint now = m_cluster.zk.loop().now();
    if (m_steppedDown != async::TimePoint() && now - m_steppedDown < StepDownInterval)
        co_return;
    const std::vector<jobs::StoredMember> members = co_await jobs::readMembers(m_cluster);
    const bool isAnotherGood = std::any_of(members.begin(), members.end(), [this](const jobs::StoredMember &member) {
        return member.id != m_worker && hadGoodClock(member);
    });
    if (!isAnotherGood)
        co_return;
    m_steppedDown = now;
    qCWarning(lcMaster, "%s steps down: its clock is wrong", m_worker.constData());
    throw Deposed();
}

// Not before what waits has been read: a new master knows nothing yet.
bool Master::knowsWhatIsAwaited() const
{
    return m_queueWatch->hasListedAll() && m_promoter && m_promoter->hasReadAll();
}

bool Master::awaits(const jobs::JobId &id) const
{
    return (m_promoter && m_promoter->awaits(id)) || m_arrayExpander->awaits(id);
}

async::Task<void> Master::trimDone(recipes::Fence fence, qint64 limit)
{
    const Answer<zk::Children> names = co_await m_cluster.zk.children(m_cluster.layout.done());
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
            candidates.emplace_back(id, m_cluster.zk.exists(m_cluster.layout.done(id)));
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
            transaction.remove(m_cluster.layout.done(byAge[i].second));
        const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
        for (std::size_t i = begin; m_archiver && !refused && i < end; ++i)
            m_archiver->noteTrimmed(byAge[i].second);
    }
}

} // namespace drover::workers
