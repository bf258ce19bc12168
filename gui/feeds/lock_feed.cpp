#include "gui/feeds/lock_feed.h"

#include "gui/feeds/pacing.h"
#include "recipes/blocks/line.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/values/counter.h"

#include <algorithm>
#include <set>

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
    spawn(followLocks());
    spawn(followElections());
    spawn(followLimits());
    spawn(publish());
    spawn(lookNowAndThen());
}

// The lines that are known stay, each with other tasks.
void LockFeed::awakeChanged()
{
    m_waking = isAwake();
    for (auto &[key, line] : m_lines)
        follow(key, &line);
    for (auto &[limit, permits] : m_permits)
        follow(limit, &permits);
    if (m_walk)
        m_walk->setAwake(isAwake());
    m_dirty.set(); // there may be no line
}

void LockFeed::follow(const Key &key, Line *line)
{
    line->isFresh = false;
    line->tasks = newGroup();
    if (isAwake())
        line->tasks->spawn(followLine(key, line));
    line->tasks->spawn(readTickets(key, line));
}

void LockFeed::follow(const QByteArray &limit, Permits *permits)
{
    permits->isFresh = false;
    permits->task = nullptr;
    if (!isAwake())
        return;
    permits->task = newGroup();
    permits->task->spawn(followPermits(limit, permits));
}

bool LockFeed::isFresh() const
{
    const auto fresh = [](const auto &entry) { return entry.second.isFresh; };
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
        paths.push_back(directoryOf(key));
    const auto got = [&](std::size_t i, const Answer<zk::Children> &answer) {
        const auto line = m_lines.find(keys[i]);
        if (line == m_lines.end())
            return; // it has gone meanwhile
        line->second.tickets = recipes::sortedBySequence(answer->names);
        line->second.dirty.set();
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
            updatePermits(&permits->second, node);
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
    if (path == layout.locks() || path == layout.limits() || path == layout.elections())
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

async::Task<void> LockFeed::followLocks()
{
    const auto show = [this](const Answer<zk::Children> &answer) { updateLocks(answer->names); };
    co_await followPaced(cluster().zk, cluster().layout.locks(), m_watches, show);
}

async::Task<void> LockFeed::followElections()
{
    const auto show = [this](const Answer<zk::Children> &answer) {
        update(Kind::Election, firstOf(answer->names, MaxOthers));
    };
    co_await followPaced(cluster().zk, cluster().layout.elections(), m_watches, show);
}

async::Task<void> LockFeed::followLimits()
{
    const auto show = [this](const Answer<zk::Children> &answer) { updateLimits(firstOf(answer->names, MaxOthers)); };
    co_await followPaced(cluster().zk, cluster().layout.limits(), m_watches, show);
}

void LockFeed::updateLocks(QByteArrayList locks)
{
    if (locks.size() > MaxLocks && m_left == 0)
        Q_EMIT troubled(tr("Of the %1 locks the first %2 are shown: each takes one of the watches that the session "
                           "can hold. In a terminal: drover tree --watch shows the others.")
                            .arg(locks.size())
                            .arg(MaxLocks));
    m_left = std::max<qsizetype>(0, locks.size() - MaxLocks);
    update(Kind::Lock, m_left > 0 ? firstOf(locks, MaxLocks) : locks);
}

void LockFeed::updateLimits(QByteArrayList limits)
{
    std::erase_if(m_permits, [&](const auto &entry) { return !limits.contains(entry.first); });
    QByteArrayList added;
    for (const QByteArray &limit : std::as_const(limits)) {
        const auto [place, isNew] = m_permits.try_emplace(limit);
        if (!isNew)
            continue;
        follow(limit, &place->second);
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
        const auto [place, isNew] = m_lines.try_emplace({kind, name});
        if (!isNew)
            continue;
        follow(place->first, &place->second);
        added.push_back(place->first);
    }
    if (!isAwake() && !added.empty())
        spawn(look(std::move(added)));
    m_dirty.set();
}

zk::Path LockFeed::directoryOf(const Key &key) const
{
    const jobs::Layout &layout = cluster().layout;
    const auto &[kind, name] = key;
    switch (kind) {
    case Kind::Lock:
        return layout.lock(name);
    case Kind::Election:
        return layout.election(name);
    case Kind::Admission:
        return layout.limit(name) / "locks";
    case Kind::Leases:
        return layout.limit(name) / "leases";
    }
    return {};
}

async::Task<void> LockFeed::followPermits(QByteArray limit, Permits *permits)
{
    const auto show = [this, permits](const Answer<zk::Node> &node) { updatePermits(permits, node); };
    co_await followDataPaced(cluster().zk, cluster().layout.permits(limit), m_watches, show);
}

void LockFeed::updatePermits(Permits *permits, const Answer<zk::Node> &node)
{
    permits->count = 1; // of a limit that was never set
    if (node.ok())
        permits->count = recipes::SharedCount::decode(node->data).value_or(1);
    permits->isFresh = true;
    m_dirty.set();
}

async::Task<void> LockFeed::followLine(Key key, Line *line)
{
    const auto show = [line](const Answer<zk::Children> &answer) {
        line->tickets = recipes::sortedBySequence(answer->names);
        line->dirty.set();
    };
    co_await followPaced(cluster().zk, directoryOf(key), m_watches, show);
}

async::Task<void> LockFeed::readTickets(Key key, Line *line)
{
    for (;;) {
        co_await line->dirty.wait();
        line->dirty.reset();
        try {
            co_await readNewTickets(key, line);
            line->isFresh = true;
            m_dirty.set();
        } catch (const zk::ConnectionLoss &) {
            line->dirty.set();
        }
        co_await cluster().zk.connected();
    }
}

async::Task<void> LockFeed::readNewTickets(Key key, Line *line)
{
    std::erase_if(line->known, [&](const auto &entry) { return !line->tickets.contains(entry.first); });
    QByteArrayList fresh;
    std::vector<zk::Path> paths;
    for (const QByteArray &ticket : std::as_const(line->tickets)) {
        if (!line->known.contains(ticket)) {
            fresh.append(ticket);
            paths.push_back(directoryOf(key) / ticket);
        }
    }
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        if (!node.ok())
            return; // it has gone meanwhile
        const QByteArray ticket = fresh[qsizetype(i)];
        line->known[ticket] = LockRow{key.second,
                                      0,
                                      ticket,
                                      node->data,
                                      node->stat.ephemeralOwner,
                                      node->stat.ctime,
                                      node->stat.czxid,
                                      false,
                                      directoryOf(key).bytes()};
    };
    co_await readEach(cluster().zk, paths, got);
}

async::Task<void> LockFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(cluster().zk.loop(), 100ms);
        m_dirty.reset();
        Q_EMIT changed(rowsOf(Kind::Lock));
        Q_EMIT othersChanged(rowsOf(Kind::Election) + rowsOfLimits());
        if (isFresh() && std::exchange(m_waking, false))
            Q_EMIT woken();
    }
}

// Of locks and elections, whose line has the holders in front.
QList<LockRow> LockFeed::rowsOf(Kind kind) const
{
    QList<LockRow> rows;
    for (const auto &[key, line] : m_lines) {
        if (key.first != kind)
            continue;
        QByteArrayList order = line.tickets;
        order.removeIf([&known = line.known](const QByteArray &ticket) { return !known.contains(ticket); });
        const bool isLock = kind == Kind::Lock;
        const qsizetype holders = isLock ? recipes::ReadWriteLock::holders(order) : 1;
        for (qsizetype i = 0; i < order.size(); ++i) {
            LockRow row = line.known.at(order[i]);
            row.place = int(std::max<qsizetype>(0, i - holders + 1));
            if (!isLock)
                row.lock = "election " + row.lock;
            rows.append(row);
        }
        if (order.isEmpty() && isLock)
            rows.append(LockRow{key.second, -1, {}, {}, 0, 0});
    }
    return rows;
}

// As many leases as there are permits are held. The others wait, and so do those who are not admitted yet. Who is being
// admitted has a ticket and leases, and waits once.
QList<LockRow> LockFeed::rowsOfLimits() const
{
    QList<LockRow> rows;
    for (const auto &[limit, permits] : m_permits) {
        int held = 0;
        int waiting = 0;
        std::set<std::pair<zk::SessionId, QByteArray>> owners;
        for (const Kind kind : {Kind::Leases, Kind::Admission}) {
            const auto found = m_lines.find({kind, limit});
            if (found == m_lines.end())
                continue;
            for (const QByteArray &ticket : found->second.tickets) {
                const auto known = found->second.known.find(ticket);
                if (known == found->second.known.end())
                    continue;
                LockRow row = known->second;
                row.lock = "limit " + limit;
                row.isOfSeveral = true;
                const bool isHeld = kind == Kind::Leases && held < permits.count;
                held += isHeld ? 1 : 0;
                if (!isHeld && !owners.emplace(row.session, row.about).second)
                    continue;
                row.place = isHeld ? 0 : ++waiting;
                rows.append(row);
            }
        }
    }
    return rows;
}

} // namespace drover::gui
