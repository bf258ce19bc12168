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
using std::chrono::milliseconds;
using Fate = GangRounds::Fate;

Q_LOGGING_CATEGORY(lcGangArray, "drover.workers.gang_array")

namespace {

constexpr milliseconds ClearPause = 5s;

} // namespace

void GangArray::readMore(const jobs::JobSpec &spec, const QByteArray &stored)
{
    m_round.set({spec.gang}, GangRounds::of(stored));
    if (*spec.array != jobs::GangSize{spec.gang}.upTo(m_round.known().round))
        throw jobs::Malformed(QStringLiteral("field \"array\": it is not that of its gang"));
}

async::Task<ExpandingArray::Step> GangArray::bringForward(ListedTasks listed, Ended ended, int)
{
    if (!m_round.isUnderWay(m_progress))
        co_return co_await beginRound();
    GangRounds rounds = m_round.known();
    if (!m_round.follow().isListed()) { // which wakes us
        if (!m_round.hasBegun() && rounds.fate == Fate::Open)
            m_scheduler.adopt(m_id);
        co_return Step::Done;
    }
    if (m_round.hasBegun() && rounds.begunAt.count() == 0)
        rounds.begunAt = m_scheduler.now();
    std::optional<GangRoundNode::Lost> lost;
    if (m_round.hasBegun() && rounds.fate == Fate::Open) {
        const std::optional<GangRoundNode::Lost> found = co_await m_round.findLost(listed, ended.progress);
        lost = found;
    }
    decideFate(rounds, m_spec, ended.outcomes, lost);
    if (m_round.hasBegun() || rounds.fate != Fate::Open)
        m_scheduler.release(m_id);
    else
        m_scheduler.adopt(m_id);
    Change change{std::move(ended.progress), rounds};
    co_return co_await carryOut(std::move(listed), std::move(change));
}

async::Task<ExpandingArray::Step> GangArray::carryOut(ListedTasks listed, Change change)
{
    const qint32 end = m_round.end();
    if (change.rounds.fate != Fate::Open) { // tasks that were not created never will be
        change.progress.cancelled += end - change.progress.next;
        change.progress.next = end;
    }
    if (change.progress.next < end)
        co_return co_await makeMembers(std::move(change));
    if (change.progress != m_progress || change.rounds != m_round.known()) {
        std::vector<NewNode> none;
        const bool committed = co_await store(std::move(change), std::move(none));
        if (!committed)
            co_return Step::Again;
    }
    if (m_progress.open.empty())
        co_return co_await endRound();
    const bool withdrawn = m_round.known().fate == Fate::Withdrawn;
    if (withdrawn && !m_round.node().isGone())
        co_return co_await removeMembers(std::move(listed));
    if (m_round.known().fate != Fate::Open) { // or one that is gone and may have begun before that, unseen
        const QString why = withdrawn ? QStringLiteral("it was deleted") : m_round.known().why(m_spec.gang);
        const bool cancelled =
            co_await cancelTasks(std::move(listed), QStringLiteral("its gang's round is over: ") + why);
        co_return cancelled ? Step::Done : Step::Again;
    }
    if (!m_round.hasBegun())
        co_return co_await withdrawIfHopeless();
    co_return Step::Done;
}

// Nothing of the next round is there yet.
async::Task<ExpandingArray::Step> GangArray::beginRound()
{
    m_round.forget();
    const milliseconds now = m_scheduler.now();
    if (m_spec.notes.cancelled) {
        GangRounds rounds = m_round.known();
        rounds.fate = Fate::Cancelled;
        FinalRecord ended = recordOf(rounds, m_id, m_spec, now);
        co_return co_await end(std::move(ended));
    }
    if (!m_spec.notes.heldBy.isEmpty()) {
        m_scheduler.release(m_id);
        co_return Step::Done;
    }
    if (m_round.known().notBefore > now) {
        wakeAt(m_round.known().notBefore);
        co_return Step::Done;
    }
    const std::optional<milliseconds> patience = m_scheduler.acquire(m_id, m_spec);
    if (!patience)
        co_return Step::Done;
    Change change{m_progress, m_round.known()};
    change.rounds.patience = *patience;
    change.rounds.assemblingSince = now;
    if (change.progress.begunAt.count() == 0)
        change.progress.begunAt = now;
    co_return co_await makeMembers(std::move(change));
}

async::Task<ExpandingArray::Step> GangArray::makeMembers(Change change)
{
    const qint32 end = m_round.end();
    while (change.progress.next < end) {
        std::vector<NewNode> nodes;
        if (change.progress.next == m_round.first())
            nodes.push_back({m_cluster.layout.gang(m_id, change.rounds.round), {}});
        const std::vector<qint32> places = change.progress.expand(chunk(), end);
        for (NewNode &member : tasksAt(places))
            nodes.push_back(std::move(member));
        const bool committed = co_await store(change, std::move(nodes));
        if (!committed)
            co_return Step::Again;
    }
    m_round.follow();
    wakeAt(m_round.known().assemblingSince + m_round.known().patience);
    co_return Step::Done;
}

// The round is late, or its members cannot enter any more.
async::Task<ExpandingArray::Step> GangArray::withdrawIfHopeless()
{
    const milliseconds limit = m_round.known().assemblingSince + m_round.known().patience;
    if (!m_round.node().isGone() && m_scheduler.now() < limit) {
        wakeAt(limit);
        co_return Step::Done;
    }
    const bool begun = co_await m_round.node().hasBegunUnseen();
    Change change{m_progress, m_round.known()};
    if (begun)
        change.rounds.begunAt = m_scheduler.now();
    else
        change.rounds.fate = Fate::Withdrawn;
    if (begun || m_round.node().isGone()) {
        std::vector<NewNode> none;
        co_await store(std::move(change), std::move(none));
        co_return Step::Again;
    }
    zk::Transaction transaction;
    transaction.create(m_round.node().path() / GangStart::Name, GangStart().encode());
    const Stored stored = co_await storeWith(std::move(change), std::move(transaction));
    // If the create is refused, the round has begun or is gone, and its children change.
    co_return stored == Stored::OthersRefused ? Step::Done : Step::Again;
}

// No member has begun or ever will, so they get no final records. A worker that has claimed one sees that it is gone
// (PendingJobs).
async::Task<ExpandingArray::Step> GangArray::removeMembers(ListedTasks listed)
{
    bool blocked = false;
    while (!m_progress.open.empty()) {
        Change change{m_progress, m_round.known()};
        zk::Transaction removal;
        for (const qint32 place : m_progress.open) {
            const auto entry = listed.constFind(place);
            if (entry == listed.constEnd() || static_cast<int>(removal.size()) == chunk())
                continue;
            change.progress.count(place, true, 0);
            removal.remove(m_cluster.layout.job(m_id.queue, *entry));
        }
        if (removal.size() == 0 && blocked)
            throw Blocked("a task's");
        if (removal.size() == 0)
            co_return Step::Done; // the history is to tell how the others ended
        const Stored stored = co_await storeWith(std::move(change), std::move(removal));
        if (stored == Stored::Yes)
            continue;
        if (stored == Stored::ArrayChanged)
            co_return Step::Again;
        const bool found = co_await dropBlocked(listed);
        if (!found)
            co_return Step::Again;
        blocked = true;
    }
    co_return co_await endRound();
}

// Drops the members that another program's nodes keep from being removed. False if there are none.
async::Task<bool> GangArray::dropBlocked(ListedTasks &listed)
{
    bool found = false;
    for (const qint32 place : m_progress.open) {
        const auto entry = listed.constFind(place);
        if (entry == listed.constEnd())
            continue;
        const zk::Path node = m_cluster.layout.job(m_id.queue, *entry);
        const zk::Answer<zk::Stat> stat = co_await recipes::Persistent(m_cluster.zk).exists(node);
        if (stat.ok() && stat->numChildren > 0) {
            listed.remove(place);
            found = true;
        }
    }
    co_return found;
}

async::Task<ExpandingArray::Step> GangArray::endRound()
{
    m_scheduler.release(m_id);
    GangRounds rounds = m_round.known();
    if (rounds.begunAt.count() == 0 && rounds.fate != Fate::Withdrawn) { // the members ended before it was seen
        const std::optional<milliseconds> begun = co_await m_round.node().begunAt();
        rounds.begunAt = begun.value_or(0ms);
        setRounds(rounds);
    }
    const GangRoundNode::Cleared cleared = co_await m_round.node().clear(m_fence);
    const bool wasBlocked = std::exchange(m_isBlocked, cleared == GangRoundNode::Cleared::Blocked);
    if (m_isBlocked) {
        if (!wasBlocked)
            qCWarning(lcGangArray, "gang %s cannot end as long as nodes of other programs are below those in %s",
                      m_id.bytes().constData(), m_round.node().path().bytes().constData());
        wakeAt(m_scheduler.now() + ClearPause);
        co_return Step::Done;
    }
    std::optional<zk::Path> round;
    if (cleared == GangRoundNode::Cleared::Empty)
        round = m_round.node().path();
    const double random = m_cluster.zk.loop().makeUuid().data1 / 4294967296.0;
    const milliseconds now = m_scheduler.now();
    const std::optional<GangRounds> next = roundAfter(rounds, m_spec, now, random);
    if (!next) {
        FinalRecord ended = recordOf(rounds, m_id, m_spec, now);
        co_return co_await end(std::move(ended), std::move(round));
    }
    zk::Transaction removal;
    if (round)
        removal.remove(*round);
    Change change{m_progress, *next};
    const Stored stored = co_await storeWith(std::move(change), std::move(removal));
    if (stored != Stored::Yes)
        co_return Step::Again;
    m_round.forget();
    m_wake();
    co_return Step::Done;
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

// Carries out `others` in the same transaction.
async::Task<GangArray::Stored> GangArray::storeWith(Change change, zk::Transaction others)
{
    const QByteArray data = dataWith(change);
    zk::Transaction transaction = storing(data);
    const std::size_t own = transaction.size();
    transaction.append(others);
    const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
    if (refused)
        co_return *refused < own ? Stored::ArrayChanged : Stored::OthersRefused;
    noteStored(change.progress, data);
    setRounds(change.rounds);
    co_return Stored::Yes;
}

void GangArray::setRounds(const GangRounds &rounds)
{
    const jobs::GangSize size{m_spec.gang};
    m_round.set(size, rounds);
    m_spec.array = size.upTo(rounds.round);
}

void GangArray::wakeAt(milliseconds time)
{
    const async::Duration left = time - m_scheduler.now();
    m_due = m_cluster.zk.loop().after(std::max<async::Duration>(left, 0ms), m_wake);
}

} // namespace drover::workers
