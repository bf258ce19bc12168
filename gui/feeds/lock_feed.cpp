#include "gui/feeds/lock_feed.h"

#include "gui/data/line_name.h"
#include "gui/feeds/locks/lock_lines.h"
#include "gui/subtree/pacing.h"
#include "text/name.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

namespace {

QByteArrayList firstOf(QByteArrayList names, qsizetype most)
{
    std::sort(names.begin(), names.end());
    return names.mid(0, most);
}

} // namespace

void LockFeed::begin()
{
    const auto follow = [this](const zk::Path &directory, const std::function<void(const QByteArrayList &)> &show) {
        spawn(followPaced(cluster().zk, directory, m_watches,
                          [show](const Answer<zk::Children> &answer) { show(answer->names); }));
    };
    const jobs::Layout &layout = cluster().layout;
    follow(layout.locks(), [this](const QByteArrayList &names) { updateLocks(names); });
    follow(layout.elections(),
           [this](const QByteArrayList &names) { update(Kind::Election, firstOf(names, MaxOthers)); });
    follow(layout.doubleBarriers(),
           [this](const QByteArrayList &names) { update(Kind::DoubleBarrier, firstOf(names, MaxOthers)); });
    follow(layout.limits(), [this](const QByteArrayList &names) { updateLimits(firstOf(names, MaxOthers)); });
    update(Kind::Barriers, {QByteArray()}); // one line, of all
    spawn(publish());
    spawn(lookNowAndThen());
}

// The lines that are known stay, each with other tasks.
void LockFeed::awakeChanged()
{
    m_waking = isAwake();
    for (auto &[key, line] : m_lines)
        restart(line);
    for (auto &[limit, permits] : m_permits)
        restart(permits);
    if (m_walk)
        m_walk->setAwake(isAwake());
    m_dirty.set(); // there may be no line
}

void LockFeed::restart(TicketLine &line)
{
    line.restart(newGroup(), isAwake() ? &m_watches : nullptr);
}

void LockFeed::restart(LimitPermits &permits)
{
    permits.restart(isAwake() ? newGroup() : nullptr, &m_watches);
}

bool LockFeed::isFresh() const
{
    const auto fresh = [](const auto &entry) { return entry.second.isFresh(); };
    return std::all_of(m_lines.begin(), m_lines.end(), fresh) && std::all_of(m_permits.begin(), m_permits.end(), fresh);
}

// While it sleeps, each deadlock is still found, if later.
async::Task<void> LockFeed::lookNowAndThen()
{
    for (;;) {
        co_await async::sleepFor(cluster().zk.loop(), BetweenLooks);
        if (isAwake())
            continue;
        std::vector<Key> keys;
        for (const auto &[key, line] : m_lines)
            keys.push_back(key);
        QByteArrayList limits;
        for (const auto &[limit, permits] : m_permits)
            limits.append(limit);
        co_await lookAtPermits(limits);
        co_await look(std::move(keys));
        co_await cluster().zk.connected();
    }
}

async::Task<void> LockFeed::look(std::vector<Key> keys)
{
    std::vector<zk::Path> paths;
    for (const Key &key : keys)
        paths.push_back(placeOf(key).directory);
    const auto got = [&](std::size_t i, const Answer<zk::Children> &answer) {
        const auto line = m_lines.find(keys[i]);
        if (line != m_lines.end()) // or it has gone meanwhile
            line->second.setTickets(answer->names);
    };
    try {
        co_await listEach(cluster().zk, paths, got);
    } catch (const zk::ConnectionLoss &) { // the next look finds it
    }
}

async::Task<void> LockFeed::lookAtPermits(QByteArrayList limits)
{
    std::vector<zk::Path> paths;
    for (const QByteArray &limit : std::as_const(limits))
        paths.push_back(cluster().layout.permits(limit));
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        const auto permits = m_permits.find(limits[qsizetype(i)]);
        if (permits != m_permits.end())
            permits->second.set(node);
    };
    try {
        co_await readEach(cluster().zk, paths, got);
    } catch (const zk::ConnectionLoss &) { // the next look finds it
    }
}

void LockFeed::end()
{
    for (const QList<LockRow> &asked : std::exchange(m_confirming, {}))
        Q_EMIT confirmed(asked, {});
    if (std::exchange(m_walking, nullptr))
        Q_EMIT searched({.rows = QList<LockRow>(), .end = tr("The session has ended: search again.")});
    m_walk = nullptr;
    m_lines.clear();
    m_permits.clear();
    m_left = 0;
    m_dirty.reset();
}

void LockFeed::clear()
{
    Q_EMIT changed({});
    Q_EMIT othersChanged({});
    Q_EMIT searched({.rows = QList<LockRow>()});
}

// Of a cluster of Drover's only these directories have locks; the cluster's own are followed.
bool LockFeed::isFollowed(const zk::Path &path) const
{
    static const QByteArrayList Shared{"locks", "limits", "elections", "double-barriers"};
    const jobs::Layout &layout = cluster().layout;
    if (path == layout.locks() || path == layout.limits() || path == layout.elections()
        || path == layout.doubleBarriers())
        return true;
    return path.parent().parent() == jobs::Layout::clusters() && !Shared.contains(path.name());
}

void LockFeed::search()
{
    if (!attached())
        return Q_EMIT searched({.rows = QList<LockRow>(), .end = tr("Not connected: connect to a cluster first.")});
    m_walking = nullptr;
    m_walk = std::make_unique<LockWalk>(
        cluster().zk, [this](const zk::Path &path) { return isFollowed(path); },
        [this](const LockSearchReport &report) { Q_EMIT searched(report); });
    m_walk->setAwake(isAwake());
    m_walking = newGroup();
    m_walking->spawn(m_walk->run(zk::Path()));
}

void LockFeed::stopSearch()
{
    if (m_walk)
        m_walk->stop();
}

void LockFeed::confirm(const QList<LockRow> &contenders)
{
    if (!attached()) {
        Q_EMIT confirmed(contenders, {});
        return;
    }
    m_confirming.push_back(contenders);
    spawn(confirmTask(contenders));
}

async::Task<void> LockFeed::confirmTask(QList<LockRow> contenders)
{
    const QList<LockRow> present = co_await stillThere(cluster().zk, contenders);
    std::erase(m_confirming, contenders);
    Q_EMIT confirmed(contenders, present);
}

void LockFeed::updateLocks(const QByteArrayList &locks)
{
    if (locks.size() > MaxLocks && m_left == 0)
        Q_EMIT troubled(tr("Of the %1 locks the first %2 are shown: each takes one of the watches that the session "
                           "can hold. In a terminal: drover tree --watch shows the others.")
                            .arg(locks.size())
                            .arg(MaxLocks));
    m_left = std::max<qsizetype>(0, locks.size() - MaxLocks);
    update(Kind::Lock, m_left > 0 ? firstOf(locks, MaxLocks) : locks);
}

void LockFeed::updateLimits(const QByteArrayList &limits)
{
    std::erase_if(m_permits, [&](const auto &entry) { return !limits.contains(entry.first); });
    QByteArrayList added;
    for (const QByteArray &limit : limits) {
        const auto [place, isNew] =
            m_permits.try_emplace(limit, cluster().zk, cluster().layout.permits(limit), [this] { m_dirty.set(); });
        if (!isNew)
            continue;
        restart(place->second);
        added.append(limit);
    }
    if (!isAwake() && !added.isEmpty())
        spawn(lookAtPermits(added));
    update(Kind::Admission, limits);
    update(Kind::Leases, limits);
}

void LockFeed::update(Kind kind, const QByteArrayList &names)
{
    std::erase_if(m_lines,
                  [&](const auto &entry) { return entry.first.first == kind && !names.contains(entry.first.second); });
    std::vector<Key> added;
    for (const QByteArray &name : names) {
        const Key key{kind, name};
        const auto [place, isNew] = m_lines.try_emplace(key, cluster().zk, placeOf(key), [this] { m_dirty.set(); });
        if (!isNew)
            continue;
        restart(place->second);
        added.push_back(place->first);
    }
    if (!isAwake() && !added.empty())
        spawn(look(std::move(added)));
    m_dirty.set();
}

TicketLine::Place LockFeed::placeOf(const Key &key) const
{
    using Of = TicketLine::Of;
    const jobs::Layout &layout = cluster().layout;
    const auto &[kind, name] = key;
    switch (kind) {
    case Kind::Lock:
        return {layout.lock(name), name, Of::Numbered};
    case Kind::Election:
        return {layout.election(name), lineName(LineKind::Election, name), Of::Numbered};
    case Kind::Admission:
        return {layout.limit(name) / "locks", lineName(LineKind::Limit, name), Of::Numbered};
    case Kind::Leases:
        return {layout.limit(name) / "leases", lineName(LineKind::Limit, name), Of::Numbered};
    case Kind::DoubleBarrier:
        return {layout.doubleBarrier(name), lineName(LineKind::DoubleBarrier, name), Of::Members};
    case Kind::Barriers:
        return {layout.barriers(), "barrier", Of::All};
    }
    return {};
}

async::Task<void> LockFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(cluster().zk.loop(), 100ms);
        m_dirty.reset();
        Q_EMIT changed(rowsOf(Kind::Lock));
        Q_EMIT othersChanged(rowsOf(Kind::Election) + rowsOfLimits() + rowsOf(Kind::DoubleBarrier)
                             + rowsOf(Kind::Barriers));
        if (isFresh() && std::exchange(m_waking, false))
            Q_EMIT woken();
    }
}

// Of what has one line each.
QList<LockRow> LockFeed::rowsOf(Kind kind) const
{
    const bool isLock = kind == Kind::Lock;
    const recipes::NodeKind recipe = isLock ? recipes::NodeKind::ReadWriteLock : recipes::NodeKind::Latch;
    QList<LockRow> rows;
    for (const auto &[key, line] : m_lines) {
        if (key.first != kind)
            continue;
        const QList<LockRow> contenders = kind == Kind::DoubleBarrier ? placedInBarrier(line.isReady(), line.rows())
            : kind == Kind::Barriers                                  ? closedBarriers(line.rows())
                                                                      : placed(recipe, line.rows(), {});
        rows += contenders;
        if (contenders.isEmpty() && isLock)
            rows.append(LockRow{key.second, -1, {}, {}, 0, 0});
    }
    return rows;
}

QList<LockRow> LockFeed::rowsOfLimits() const
{
    QList<LockRow> rows;
    for (const auto &[limit, permits] : m_permits) {
        const auto rowsIn = [&, name = limit](Kind kind) {
            const auto line = m_lines.find({kind, name});
            return line == m_lines.end() ? QList<LockRow>() : line->second.rows();
        };
        QList<LockRow> contenders = placedInLimit(permits.count(), rowsIn(Kind::Leases), rowsIn(Kind::Admission));
        const bool isNamed = text::isLockName(QString::fromUtf8(limit)); // not that of a queue
        if (contenders.isEmpty() && isNamed && permits.isSet())
            contenders.append(LockRow{lineName(LineKind::Limit, limit), -1, {}, {}, 0, 0});
        for (LockRow &row : contenders)
            row.permits = permits.isSet() ? permits.count() : 0;
        rows += contenders;
    }
    return rows;
}

} // namespace drover::gui
