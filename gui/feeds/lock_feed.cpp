#include "gui/feeds/lock_feed.h"

#include "gui/feeds/pacing.h"
#include "recipes/blocks/line.h"
#include "recipes/locks/read_write_lock.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;
using namespace std::chrono_literals;

void LockFeed::begin()
{
    spawn(followLocks());
    spawn(publish());
    spawn(lookNowAndThen());
}

// The lines that are known stay, each with other tasks.
void LockFeed::awakeChanged()
{
    m_waking = isAwake();
    for (auto &[lock, line] : m_lines)
        follow(lock, &line);
    m_dirty.set(); // there may be no lock
}

void LockFeed::follow(const QByteArray &lock, Line *line)
{
    line->isFresh = false;
    line->tasks = newGroup();
    if (isAwake())
        line->tasks->spawn(followLine(lock, line));
    line->tasks->spawn(readTickets(lock, line));
}

bool LockFeed::isFresh() const
{
    return std::all_of(m_lines.begin(), m_lines.end(), [](const auto &entry) { return entry.second.isFresh; });
}

// While it sleeps, each deadlock is still found, if later.
async::Task<void> LockFeed::lookNowAndThen()
{
    for (;;) {
        co_await async::sleepFor(cluster().zk.loop(), BetweenLooks);
        if (isAwake())
            continue;
        QByteArrayList locks;
        for (const auto &[lock, line] : m_lines)
            locks.append(lock);
        co_await look(locks);
        co_await cluster().zk.connected();
    }
}

async::Task<void> LockFeed::look(QByteArrayList locks)
{
    std::vector<zk::Path> paths;
    for (const QByteArray &lock : std::as_const(locks))
        paths.push_back(cluster().layout.lock(lock));
    const auto got = [&](std::size_t i, const Answer<zk::Children> &answer) {
        const auto line = m_lines.find(locks[qsizetype(i)]);
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

void LockFeed::end()
{
    m_lines.clear();
    m_left = 0;
    m_dirty.reset();
}

void LockFeed::clear()
{
    Q_EMIT changed({});
}

async::Task<void> LockFeed::followLocks()
{
    const auto show = [this](const Answer<zk::Children> &answer) { update(answer->names); };
    co_await followPaced(cluster().zk, cluster().layout.locks(), m_watches, show);
}

void LockFeed::update(QByteArrayList locks)
{
    if (locks.size() > MaxLocks) {
        std::sort(locks.begin(), locks.end());
        if (m_left == 0)
            Q_EMIT troubled(tr("Of the %1 locks the first %2 are shown: each takes one of the watches that the session "
                               "can hold. In a terminal: drover tree --watch shows the others.")
                                .arg(locks.size())
                                .arg(MaxLocks));
    }
    m_left = std::max<qsizetype>(0, locks.size() - MaxLocks);
    locks = locks.mid(0, MaxLocks);
    std::erase_if(m_lines, [&](const auto &entry) { return !locks.contains(entry.first); });
    QByteArrayList added;
    for (const QByteArray &lock : locks) {
        const auto [place, isNew] = m_lines.try_emplace(lock);
        if (!isNew)
            continue;
        follow(lock, &place->second);
        added.append(lock);
    }
    if (!isAwake() && !added.isEmpty())
        spawn(look(added));
    m_dirty.set();
}

async::Task<void> LockFeed::followLine(QByteArray lock, Line *line)
{
    const auto show = [line](const Answer<zk::Children> &answer) {
        line->tickets = recipes::sortedBySequence(answer->names);
        line->dirty.set();
    };
    co_await followPaced(cluster().zk, cluster().layout.lock(lock), m_watches, show);
}

async::Task<void> LockFeed::readTickets(QByteArray lock, Line *line)
{
    for (;;) {
        co_await line->dirty.wait();
        line->dirty.reset();
        try {
            co_await readNewTickets(lock, line);
            line->isFresh = true;
            m_dirty.set();
        } catch (const zk::ConnectionLoss &) {
            line->dirty.set();
        }
        co_await cluster().zk.connected();
    }
}

async::Task<void> LockFeed::readNewTickets(QByteArray lock, Line *line)
{
    std::erase_if(line->known, [&](const auto &entry) { return !line->tickets.contains(entry.first); });
    QByteArrayList fresh;
    std::vector<zk::Path> paths;
    for (const QByteArray &ticket : std::as_const(line->tickets)) {
        if (!line->known.contains(ticket)) {
            fresh.append(ticket);
            paths.push_back(cluster().layout.lock(lock) / ticket);
        }
    }
    const auto got = [&](std::size_t i, const Answer<zk::Node> &node) {
        if (!node.ok())
            return; // it has gone meanwhile
        const QByteArray ticket = fresh[qsizetype(i)];
        line->known[ticket] = LockRow{lock, 0, ticket, node->data, node->stat.ephemeralOwner, node->stat.ctime};
    };
    co_await readEach(cluster().zk, paths, got);
}

async::Task<void> LockFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(cluster().zk.loop(), 100ms);
        m_dirty.reset();
        QList<LockRow> rows;
        for (const auto &[lock, line] : m_lines) {
            QByteArrayList order = line.tickets;
            order.removeIf([&known = line.known](const QByteArray &ticket) { return !known.contains(ticket); });
            const qsizetype holders = recipes::ReadWriteLock::holders(order);
            for (qsizetype i = 0; i < order.size(); ++i) {
                LockRow row = line.known.at(order[i]);
                row.place = int(std::max<qsizetype>(0, i - holders + 1));
                rows.append(row);
            }
            if (order.isEmpty())
                rows.append(LockRow{lock, -1, {}, {}, 0, 0});
        }
        Q_EMIT changed(rows);
        if (isFresh() && std::exchange(m_waking, false))
            Q_EMIT woken();
    }
}

} // namespace drover::gui
