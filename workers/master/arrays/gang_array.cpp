#include "workers/master/arrays/gang_array.h"

#include "recipes/blocks/persistent.h"
#include "workers/master/arrays/gang_rules.h"
#include "workers/master/base/master_commit.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::ArrayProgress;
using jobs::FinalRecord;
using jobs::GangRounds;
using jobs::GangStart;
using recipes::Persistent;
using std::chrono::milliseconds;
using zk::Answer;
using Fate = GangRounds::Fate;

Q_LOGGING_CATEGORY(lcGangArray, "drover.workers.gang_array")

namespace {

constexpr int ClearTries = 10; // who leaves meanwhile costs one
constexpr milliseconds ClearPause = 5s;

} // namespace

void GangArray::readMore(const jobs::JobSpec &spec, const QByteArray &stored)
{
    m_rounds = GangRounds::of(stored);
    if (*spec.array != jobs::GangSize{spec.gang}.upTo(m_rounds.round))
        throw jobs::Malformed(QStringLiteral("field \"array\": it is not that of its gang"));
}

async::Task<ExpandingArray::Step> GangArray::bringForward(ListedTasks listed, Ended ended, int)
{
    if (!isUnderWay())
        co_return co_await beginRound();
    watchRound();
    if (!m_watch->isListed()) { // which wakes us
        if (!roundHasBegun() && m_rounds.fate == Fate::Open)
            m_scheduler.adopt(m_id);
        co_return Step::Done;
    }
    GangRounds rounds = m_rounds;
    if (roundHasBegun() && rounds.begunAt.count() == 0)
        rounds.begunAt = m_cluster.zk.loop().wallClock();
    std::optional<GangRoundWatch::Lost> lost;
    if (roundHasBegun() && rounds.fate == Fate::Open) {
        const std::optional<GangRoundWatch::Lost> found = co_await findLost(listed, ended.progress);
        lost = found;
    }
    decideFate(rounds, m_spec, ended.outcomes, lost);
    if (roundHasBegun() || rounds.fate != Fate::Open)
        m_scheduler.release(m_id);
    else
        m_scheduler.adopt(m_id);
    Change change{std::move(ended.progress), rounds};
    co_return co_await carryOut(std::move(listed), std::move(change));
}

async::Task<ExpandingArray::Step> GangArray::carryOut(ListedTasks listed, Change change)
{
    const qint32 end = gang().endOf(change.rounds.round);
    if (change.rounds.fate != Fate::Open) { // tasks that were not created never will be
        change.progress.cancelled += end - change.progress.next;
        change.progress.next = end;
    }
    if (change.progress.next < end)
        co_return co_await makeMembers(std::move(change));
    if (change.progress != m_progress || change.rounds != m_rounds) {
        std::vector<NewNode> none;
        const bool committed = co_await store(std::move(change), std::move(none));
        if (!committed)
            co_return Step::Again;
    }
    if (m_progress.open.empty())
        co_return co_await endRound();
    const bool withdrawn = m_rounds.fate == Fate::Withdrawn;
    if (withdrawn && !m_watch->isGone())
        co_return co_await removeMembers(std::move(listed));
    if (m_rounds.fate != Fate::Open) { // or one that is gone and may have begun before that, unseen
        const QString why = withdrawn ? QStringLiteral("it was deleted") : m_rounds.why(m_spec.gang);
        const bool cancelled =
            co_await cancelTasks(std::move(listed), QStringLiteral("its gang's round is over: ") + why);
        co_return cancelled ? Step::Done : Step::Again;
    }
    if (!roundHasBegun())
        co_return co_await withdrawIfHopeless();
    co_return Step::Done;
}

// One whose place is gone though its end is not reported.
async::Task<std::optional<GangRoundWatch::Lost>> GangArray::findLost(ListedTasks listed, const ArrayProgress &progress)
{
    std::map<int, zk::Path> unfinished;
    for (const qint32 place : progress.open) {
        const auto entry = listed.constFind(place);
        if (entry != listed.constEnd())
            unfinished.emplace(gang().rankOf(place), m_cluster.layout.job(m_id.queue, *entry));
    }
    co_return co_await m_watch->findLost(std::move(unfinished));
}

// Nothing of the next round is there yet.
async::Task<ExpandingArray::Step> GangArray::beginRound()
{
    m_watch.reset();
    const milliseconds now = m_cluster.zk.loop().wallClock();
    if (m_spec.notes.cancelled) {
        m_rounds.fate = Fate::Cancelled;
        FinalRecord ended = recordOf(m_rounds, m_id, m_spec, now);
        co_return co_await end(std::move(ended));
    }
    if (!m_spec.notes.heldBy.isEmpty()) {
        m_scheduler.release(m_id);
        co_return Step::Done;
    }
    if (m_rounds.notBefore > now) {
        wakeAt(m_rounds.notBefore);
        co_return Step::Done;
    }
    const std::optional<milliseconds> patience = m_scheduler.acquire(m_id, m_spec);
    if (!patience)
        co_return Step::Done;
    Change change{m_progress, m_rounds};
    change.rounds.patience = *patience;
    change.rounds.assemblingSince = now;
    if (change.progress.begunAt.count() == 0)
        change.progress.begunAt = now;
    co_return co_await makeMembers(std::move(change));
}

async::Task<ExpandingArray::Step> GangArray::makeMembers(Change change)
{
    const qint32 end = gang().endOf(change.rounds.round);
    while (change.progress.next < end) {
        std::vector<NewNode> nodes;
        if (change.progress.next == gang().firstOf(change.rounds.round))
            nodes.push_back({m_cluster.layout.gang(m_id, change.rounds.round), {}});
        const std::vector<qint32> places = change.progress.expand(chunk(), end);
        for (NewNode &member : tasksAt(places))
            nodes.push_back(std::move(member));
        const bool committed = co_await store(change, std::move(nodes));
        if (!committed)
            co_return Step::Again;
    }
    watchRound();
    wakeAt(m_rounds.assemblingSince + m_rounds.patience);
    co_return Step::Done;
}

// The round is late, or its members cannot enter any more.
async::Task<ExpandingArray::Step> GangArray::withdrawIfHopeless()
{
    const milliseconds limit = m_rounds.assemblingSince + m_rounds.patience;
    if (!m_watch->isGone() && m_cluster.zk.loop().wallClock() < limit) {
        wakeAt(limit);
        co_return Step::Done;
    }
    const bool begun = co_await m_watch->hasBegunUnseen();
    Change change{m_progress, m_rounds};
    if (begun)
        change.rounds.begunAt = m_cluster.zk.loop().wallClock();
    else
        change.rounds.fate = Fate::Withdrawn;
    if (begun || m_watch->isGone()) {
        std::vector<NewNode> none;
        co_await store(std::move(change), std::move(none));
        co_return Step::Again;
    }
    const QByteArray data = dataWith(change);
    zk::Transaction transaction = storing(data);
    transaction.create(m_watch->path() / GangStart::Name, GangStart().encode());
    const std::size_t last = transaction.size() - 1;
    const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
    if (refused == last)
        co_return Step::Done; // it has begun meanwhile, or is gone: its children tell
    if (!refused)
        noteChange(change, data);
    co_return Step::Again;
}

// No member has begun or ever will, so they get no final records. A worker that has claimed one sees that it is gone
// (PendingJobs).
async::Task<ExpandingArray::Step> GangArray::removeMembers(ListedTasks listed)
{
    while (!m_progress.open.empty()) {
        Change change{m_progress, m_rounds};
        std::vector<zk::Path> paths;
        for (const qint32 place : m_progress.open) {
            const auto entry = listed.constFind(place);
            if (entry == listed.constEnd() || static_cast<int>(paths.size()) == chunk())
                continue;
            change.progress.count(place, true, 0);
            paths.push_back(m_cluster.layout.job(m_id.queue, *entry));
        }
        if (paths.empty())
            co_return Step::Done; // the history is to tell how the others ended
        const QByteArray data = dataWith(change);
        zk::Transaction transaction = storing(data);
        for (const zk::Path &path : paths)
            transaction.remove(path);
        const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
        if (refused)
            co_return Step::Again;
        noteChange(change, data);
    }
    co_return co_await endRound();
}

async::Task<ExpandingArray::Step> GangArray::endRound()
{
    m_scheduler.release(m_id);
    co_await findBegin();
    std::optional<zk::Path> round;
    const bool cleared = co_await clearRound(round);
    if (!cleared) {
        wakeAt(m_cluster.zk.loop().wallClock() + ClearPause);
        co_return Step::Done;
    }
    const double random = m_cluster.zk.loop().makeUuid().data1 / 4294967296.0;
    const milliseconds now = m_cluster.zk.loop().wallClock();
    if (const std::optional<GangRounds> next = roundAfter(m_rounds, m_spec, now, random))
        co_return co_await nextRound(*next, std::move(round));
    FinalRecord ended = recordOf(m_rounds, m_id, m_spec, now);
    co_return co_await end(std::move(ended), std::move(round));
}

async::Task<ExpandingArray::Step> GangArray::nextRound(GangRounds next, std::optional<zk::Path> round)
{
    const Change change{m_progress, next};
    const QByteArray data = dataWith(change);
    zk::Transaction transaction = storing(data);
    if (round)
        transaction.remove(*round);
    const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
    if (!refused) {
        noteChange(change, data);
        m_watch.reset();
        m_wake();
    }
    co_return refused ? Step::Again : Step::Done;
}

// Members may have ended before their beginning was known.
async::Task<void> GangArray::findBegin()
{
    if (m_rounds.begunAt.count() > 0 || m_rounds.fate == Fate::Withdrawn)
        co_return;
    const Answer<zk::Stat> stat = co_await Persistent(m_cluster.zk).exists(roundPath() / GangStart::Name);
    if (stat.ok())
        m_rounds.begunAt = milliseconds(stat->ctime);
}

// Removes what members that are gone have left. `round`: its node, if that is still there. False while something cannot
// be removed.
async::Task<bool> GangArray::clearRound(std::optional<zk::Path> &round)
{
    const zk::Path path = roundPath();
    for (int tries = 0; tries < ClearTries; ++tries) {
        const Answer<zk::Children> names = co_await Persistent(m_cluster.zk).children(path);
        if (names.ok() && !names->names.isEmpty()) {
            zk::Transaction transaction;
            m_fence.guard(transaction);
            for (const QByteArray &name : names->names)
                transaction.remove(path / name);
            co_await commitAsMaster(m_cluster.zk, std::move(transaction)); // refused if one has gone meanwhile
            continue;
        }
        m_isBlocked = false;
        if (names.ok())
            round = path;
        co_return true;
    }
    if (!std::exchange(m_isBlocked, true))
        qCWarning(lcGangArray, "gang %s cannot end as long as nodes of other programs are below those in %s",
                  m_id.bytes().constData(), path.bytes().constData());
    co_return false;
}

QByteArray GangArray::dataWith(const Change &change) const
{
    return change.rounds.mergedInto(change.progress.mergedInto(m_stored));
}

// False if the node has changed.
async::Task<bool> GangArray::store(Change change, std::vector<NewNode> nodes)
{
    QByteArray data = dataWith(change);
    const bool stored = co_await commit(change.progress, std::move(data), std::move(nodes));
    if (stored)
        setRounds(change.rounds);
    co_return stored;
}

// Once it is stored.
void GangArray::noteChange(const Change &change, const QByteArray &data)
{
    noteStored(change.progress, data);
    setRounds(change.rounds);
}

void GangArray::setRounds(const GangRounds &rounds)
{
    m_rounds = rounds;
    m_spec.array = gang().upTo(m_rounds.round);
}

bool GangArray::roundHasBegun() const
{
    const bool stored = m_rounds.begunAt.count() > 0; // and stays true when its nodes are deleted
    return m_rounds.fate != Fate::Withdrawn && (stored || (m_watch && m_watch->hasBegun()));
}

void GangArray::watchRound()
{
    const zk::Path path = roundPath();
    if (!m_watch || m_watch->path() != path)
        m_watch = std::make_unique<GangRoundWatch>(m_cluster.zk, path, m_wake);
}

void GangArray::wakeAt(milliseconds time)
{
    const async::Duration left = time - m_cluster.zk.loop().wallClock();
    m_due = m_cluster.zk.loop().after(std::max<async::Duration>(left, 0ms), m_wake);
}

} // namespace drover::workers
