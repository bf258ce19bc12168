#include "jobs/read_nodes.h"
#include "recipes/persist.h"
#include "workers/mastership.h"
#include "workers/unfolding_array.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::ArrayProgress;
using jobs::FinalRecord;
using jobs::GangRounds;
using jobs::GangStart;
using recipes::persist;
using std::chrono::milliseconds;
using zk::Answer;
using Fate = GangRounds::Fate;

Q_LOGGING_CATEGORY(lcUnfoldingGang, "drover.workers.unfolding_gang")

namespace {

constexpr int ClearTries = 10; // who leaves meanwhile costs one
constexpr milliseconds ClearPause = 5s;

constexpr int MaxDoublings = 3;

// A gang that did not get the places that were predicted leaves them to others for as long as it has kept them, and
// twice as long each time: so they are idle for a ninth of the time in the end.
milliseconds pauseAfter(const GangRounds &rounds)
{
    return rounds.patience * (1 << std::min(rounds.withdrawn, MaxDoublings));
}

} // namespace

async::Task<UnfoldingArray::Step> UnfoldingArray::advanceGang(ListedTasks listed, ArrayProgress progress,
                                                              Counted counted)
{
    const bool underWay = m_progress.next > gang().firstOf(m_rounds.round);
    if (!underWay)
        co_return co_await beginRound();
    watchRound();
    if (!m_watch->isListed()) { // which wakes us
        if (!roundHasBegun() && m_rounds.fate == Fate::Open)
            m_turn.keep(m_id);
        co_return Step::Done;
    }
    GangRounds rounds = m_rounds;
    noteFailure(counted, rounds);
    if (m_spec.cancelled && rounds.fate == Fate::Open)
        rounds.fate = Fate::Cancelled;
    if (roundHasBegun() && rounds.begunAt.count() == 0)
        rounds.begunAt = m_zk.loop().wallClock();
    if (roundHasBegun() && rounds.fate == Fate::Open)
        co_await findLost(listed, progress, rounds);
    if (roundHasBegun() || rounds.fate != Fate::Open)
        m_turn.release(m_id);
    else
        m_turn.keep(m_id);
    Change change{std::move(progress), rounds, {}};
    co_return co_await goOn(std::move(listed), std::move(change));
}

async::Task<UnfoldingArray::Step> UnfoldingArray::goOn(ListedTasks listed, Change change)
{
    const qint32 end = gang().endOf(change.rounds.round);
    if (change.rounds.fate != Fate::Open) { // those that were not made never will be
        change.progress.cancelled += end - change.progress.next;
        change.progress.next = end;
    }
    if (change.progress.next < end)
        co_return co_await makeMembers(std::move(change));
    if (change.progress != m_progress || change.rounds != m_rounds) {
        const bool committed = co_await commit(std::move(change));
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

// Of those that have ended since the last time, the first that was not good decides.
void UnfoldingArray::noteFailure(const Counted &counted, GangRounds &rounds) const
{
    std::optional<milliseconds> first;
    if (rounds.fate != Fate::Open)
        return;
    for (const auto &[place, end] : counted.ends) {
        const bool good = !end.cancelled && end.exitCode == 0;
        if (good || (first && *first <= end.at))
            continue;
        first = end.at;
        rounds.fate = end.cancelled ? Fate::Cancelled : Fate::Failed;
        rounds.rank = gang().rankOf(place);
        rounds.code = end.exitCode;
    }
}

// Who has begun has a place as long as its end is not reported, and its report removes its entry before that.
async::Task<void> UnfoldingArray::findLost(ListedTasks listed, const ArrayProgress &progress, GangRounds &rounds)
{
    const GangStart start = co_await m_watch->start();
    std::vector<int> ranks;
    std::vector<zk::Path> paths;
    for (const qint32 place : progress.open) {
        const int rank = gang().rankOf(place);
        const auto entry = listed.constFind(place);
        const bool present = static_cast<std::size_t>(rank) < start.places.size()
            && m_watch->has({rank, start.places[static_cast<std::size_t>(rank)].token});
        if (present || entry == listed.constEnd())
            continue;
        ranks.push_back(rank);
        paths.push_back(m_layout.job(m_id.queue, *entry));
    }
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].ok())
            continue;
        rounds.fate = Fate::Lost;
        rounds.rank = ranks[i];
        co_return;
    }
}

// Nothing of the next round is there yet.
async::Task<UnfoldingArray::Step> UnfoldingArray::beginRound()
{
    m_watch.reset();
    if (m_spec.cancelled) {
        m_rounds.fate = Fate::Cancelled;
        FinalRecord record = recordOfGang();
        co_return co_await end(std::move(record));
    }
    if (!m_spec.heldBy.isEmpty()) {
        m_turn.release(m_id);
        co_return Step::Done;
    }
    const milliseconds now = m_zk.loop().wallClock();
    if (m_rounds.notBefore > now) {
        wakeAt(m_rounds.notBefore);
        co_return Step::Done;
    }
    const std::optional<milliseconds> patience = m_turn.take(m_id, m_spec);
    if (!patience)
        co_return Step::Done;
    Change change{m_progress, m_rounds, {}};
    change.rounds.patience = *patience;
    change.rounds.assemblingSince = now;
    if (change.progress.begunAt.count() == 0)
        change.progress.begunAt = now;
    co_return co_await makeMembers(std::move(change));
}

async::Task<UnfoldingArray::Step> UnfoldingArray::makeMembers(Change change)
{
    const qint32 end = gang().endOf(change.rounds.round);
    while (change.progress.next < end) {
        if (change.progress.next == gang().firstOf(change.rounds.round))
            change.round = m_layout.gang(m_id, change.rounds.round);
        change.places = change.progress.unfold(chunk(), end);
        const bool committed = co_await commit(change);
        if (!committed)
            co_return Step::Again;
        change.round.reset();
    }
    watchRound();
    wakeAt(m_rounds.assemblingSince + m_rounds.patience);
    co_return Step::Done;
}

// Late, or nobody can enter any more.
async::Task<UnfoldingArray::Step> UnfoldingArray::withdrawIfHopeless()
{
    const milliseconds limit = m_rounds.assemblingSince + m_rounds.patience;
    if (!m_watch->isGone() && m_zk.loop().wallClock() < limit) {
        wakeAt(limit);
        co_return Step::Done;
    }
    const bool begun = co_await m_watch->hasBegunUnseen();
    Change change{m_progress, m_rounds, {}};
    if (begun)
        change.rounds.begunAt = m_zk.loop().wallClock();
    else
        change.rounds.fate = Fate::Withdrawn;
    if (begun || m_watch->isGone()) {
        co_await commit(std::move(change));
        co_return Step::Again;
    }
    const QByteArray data = storedWith(change);
    zk::Transaction transaction;
    m_fence.guard(transaction);
    transaction.set(m_path, data, m_version).create(m_watch->path() / GangStart::Name, GangStart().encode());
    const int last = static_cast<int>(transaction.size()) - 1;
    const int refused = co_await commitAsMaster(m_zk, std::move(transaction));
    if (refused == last)
        co_return Step::Done; // it has begun meanwhile, or is gone: its children tell
    if (refused < 0)
        noteStored(change, data);
    co_return Step::Again;
}

// None of them has begun or ever will, so nobody has to hear how it ended: no final records. Whoever has claimed one
// sees that it is gone (Admission).
async::Task<UnfoldingArray::Step> UnfoldingArray::removeMembers(ListedTasks listed)
{
    while (!m_progress.open.empty()) {
        Change change{m_progress, m_rounds, {}};
        std::vector<zk::Path> paths;
        for (const qint32 place : m_progress.open) {
            const auto entry = listed.constFind(place);
            if (entry == listed.constEnd() || static_cast<int>(paths.size()) == chunk())
                continue;
            change.progress.count(place, true, 0);
            paths.push_back(m_layout.job(m_id.queue, *entry));
        }
        if (paths.empty())
            co_return Step::Done; // the history is to tell how the others ended
        const QByteArray data = storedWith(change);
        zk::Transaction transaction;
        m_fence.guard(transaction);
        transaction.set(m_path, data, m_version);
        for (const zk::Path &path : paths)
            transaction.remove(path);
        const int refused = co_await commitAsMaster(m_zk, std::move(transaction));
        if (refused >= 0)
            co_return Step::Again;
        noteStored(change, data);
    }
    co_return co_await endRound();
}

async::Task<UnfoldingArray::Step> UnfoldingArray::endRound()
{
    m_turn.release(m_id);
    co_await findBegin();
    std::optional<zk::Path> round;
    const bool cleared = co_await clearRound(round);
    if (!cleared) {
        wakeAt(m_zk.loop().wallClock() + ClearPause);
        co_return Step::Done;
    }
    if (const std::optional<GangRounds> next = roundAfter())
        co_return co_await nextRound(*next, std::move(round));
    FinalRecord record = recordOfGang();
    co_return co_await end(std::move(record), std::move(round));
}

// What comes after the present round, if it is to be tried again.
std::optional<GangRounds> UnfoldingArray::roundAfter() const
{
    constexpr double Range = 4294967296.0; // of a uuid's first part
    const milliseconds now = m_zk.loop().wallClock();
    GangRounds next = m_rounds;
    if (m_spec.cancelled)
        return std::nullopt;
    switch (m_rounds.fate) {
    case Fate::Open:
    case Fate::Cancelled:
        return std::nullopt;
    case Fate::Failed:
        if (!m_spec.retry.covers(m_rounds.code, m_rounds.failed))
            return std::nullopt;
        next.notBefore = now + m_spec.retry.delay(m_rounds.failed, m_zk.loop().makeUuid().data1 / Range);
        ++next.failed;
        next.withdrawn = 0;
        break;
    case Fate::Lost:
        if (m_rounds.lost + 1 >= m_spec.maxAttempts)
            return std::nullopt;
        ++next.lost;
        next.withdrawn = 0;
        break;
    case Fate::Withdrawn:
        next.notBefore = now + pauseAfter(m_rounds);
        ++next.withdrawn;
        break;
    }
    ++next.round;
    next.fate = Fate::Open;
    next.rank = next.code = 0;
    next.assemblingSince = next.begunAt = {};
    return next;
}

async::Task<UnfoldingArray::Step> UnfoldingArray::nextRound(GangRounds next, std::optional<zk::Path> round)
{
    const Change change{m_progress, next, {}};
    const QByteArray data = storedWith(change);
    zk::Transaction transaction;
    m_fence.guard(transaction);
    transaction.set(m_path, data, m_version);
    if (round)
        transaction.remove(*round);
    const int refused = co_await commitAsMaster(m_zk, std::move(transaction));
    if (refused < 0) {
        noteStored(change, data);
        m_watch.reset();
        m_wake();
    }
    co_return refused < 0 ? Step::Done : Step::Again;
}

// Members may have ended before their beginning was heard of.
async::Task<void> UnfoldingArray::findBegin()
{
    if (m_rounds.begunAt.count() > 0 || m_rounds.fate == Fate::Withdrawn)
        co_return;
    const zk::Path ready = m_layout.gang(m_id, m_rounds.round) / GangStart::Name;
    const auto look = [&] { return m_zk.exists(ready); };
    const Answer<zk::Stat> stat = co_await persist(m_zk, look);
    if (stat.ok())
        m_rounds.begunAt = milliseconds(stat->ctime);
}

// Removes what members that are gone have left. `round`: its node, if that is still there. False while something cannot
// be removed.
async::Task<bool> UnfoldingArray::clearRound(std::optional<zk::Path> &round)
{
    const zk::Path path = m_layout.gang(m_id, m_rounds.round);
    const auto list = [&] { return m_zk.children(path); };
    for (int tries = 0; tries < ClearTries; ++tries) {
        const Answer<zk::Children> names = co_await persist(m_zk, list);
        if (names.ok() && !names->names.isEmpty()) {
            zk::Transaction transaction;
            m_fence.guard(transaction);
            for (const QByteArray &name : names->names)
                transaction.remove(path / name);
            co_await commitAsMaster(m_zk, std::move(transaction)); // refused if one has gone meanwhile
            continue;
        }
        m_isBlocked = false;
        if (names.ok())
            round = path;
        co_return true;
    }
    if (!std::exchange(m_isBlocked, true))
        qCWarning(lcUnfoldingGang, "gang %s cannot end as long as nodes that somebody has made are below those in %s",
                  m_id.bytes().constData(), path.bytes().constData());
    co_return false;
}

bool UnfoldingArray::roundHasBegun() const
{
    const bool stored = m_rounds.begunAt.count() > 0; // and stays true when its nodes are deleted
    return m_rounds.fate != Fate::Withdrawn && (stored || (m_watch && m_watch->hasBegun()));
}

void UnfoldingArray::watchRound()
{
    const zk::Path path = m_layout.gang(m_id, m_rounds.round);
    if (!m_watch || m_watch->path() != path)
        m_watch = std::make_unique<RoundWatch>(m_zk, path, m_wake);
}

void UnfoldingArray::wakeAt(milliseconds time)
{
    const async::Duration left = time - m_zk.loop().wallClock();
    m_due = m_zk.loop().after(std::max<async::Duration>(left, 0ms), m_wake);
}

FinalRecord UnfoldingArray::recordOfGang() const
{
    const bool good = m_rounds.fate == Fate::Open;
    const bool cancelled = m_spec.cancelled || m_rounds.fate == Fate::Cancelled;
    QString reason = good ? QStringLiteral("all %1 members have succeeded").arg(m_spec.gang)
        : cancelled && !m_spec.cancelled
        ? QStringLiteral("member %1 of %2 was cancelled").arg(m_rounds.rank).arg(m_spec.gang)
        : m_rounds.why(m_spec.gang);
    if (m_rounds.round > 0)
        reason += QStringLiteral(", in round %1").arg(m_rounds.round + 1);
    const FinalRecord::Outcome outcome = cancelled ? FinalRecord::Outcome::Cancelled
        : m_rounds.fate == Fate::Lost              ? FinalRecord::Outcome::GaveUp
                                                   : FinalRecord::Outcome::Exited;
    FinalRecord record = FinalRecord::withoutRun(m_id, m_spec, outcome, reason, 0, m_zk.loop().wallClock());
    record.attempt = m_rounds.round + 1;
    record.code = m_rounds.code;
    record.startedAt = m_rounds.begunAt; // of its last round: assembling is no running
    return record;
}

} // namespace drover::workers
