#include "gui/feeds/events_feed.h"

#include "gui/rows/event_rows.h"

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration Settling = 3s; // the feed of the locks has read those that there are
constexpr async::Duration Gathering = 100ms;
constexpr qsizetype MostWaiting = 10'000; // as many as are shown

QByteArray keyOf(const LockRow &row)
{
    return row.lock + '/' + row.ticket;
}

} // namespace

void EventsFeed::begin()
{
    spawn(settle());
    if (m_wanted)
        beginToFollow();
}

void EventsFeed::beginToFollow()
{
    if (std::exchange(m_hasFollowed, true))
        tell(gapRow(now()));
    spawn(run());
    spawn(publish());
}

void EventsFeed::end()
{
    m_feed.reset();
    m_isSettled = false;
    m_locks.clear();
    m_newestLock = 0;
    m_waiting.clear();
    m_dirty.reset();
}

void EventsFeed::clear()
{
    m_hasFollowed = false;
    m_roles.clear();
    Q_EMIT forgotten();
}

void EventsFeed::follow()
{
    if (!std::exchange(m_wanted, true) && attached())
        beginToFollow();
}

qint64 EventsFeed::now() const
{
    return cluster().zk.loop().wallClock().count();
}

async::Task<void> EventsFeed::run()
{
    co_await cluster().zk.connected();
    const auto onEvent = [this](const jobs::Event &event) { tell(rowOf(event, now())); };
    m_feed.emplace(cluster(), onEvent);
    co_await m_feed->run();
}

async::Task<void> EventsFeed::settle()
{
    co_await cluster().zk.connected();
    co_await async::sleepFor(cluster().zk.loop(), Settling);
    m_isSettled = true;
}

async::Task<void> EventsFeed::publish()
{
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(cluster().zk.loop(), Gathering);
        m_dirty.reset();
        Q_EMIT happened(std::exchange(m_waiting, {}));
    }
}

void EventsFeed::tell(EventRow row)
{
    if (m_waiting.size() == MostWaiting)
        m_waiting.removeFirst();
    m_waiting.append(std::move(row));
    m_dirty.set();
}

void EventsFeed::showLocks(const QList<LockRow> &rows)
{
    if (!attached())
        return;
    if (m_wanted && m_isSettled)
        compareLocks(rows);
    m_locks.clear();
    for (const LockRow &row : rows) {
        if (row.place < 0)
            continue;
        m_locks.emplace(keyOf(row), row);
        m_newestLock = std::max(m_newestLock, row.since);
    }
}

// A contender that is older than the newest one that was seen was there before.
void EventsFeed::compareLocks(const QList<LockRow> &rows)
{
    std::map<QByteArray, LockRow> gone = m_locks;
    for (const LockRow &row : rows) {
        const auto before = m_locks.find(keyOf(row));
        gone.erase(keyOf(row));
        if (row.place < 0)
            continue;
        if (before == m_locks.end() && row.since >= m_newestLock)
            tell(lockRow(row.place == 0 ? "lock-taken" : "lock-waits", row, row.since));
        else if (before != m_locks.end() && before->second.place > 0 && row.place == 0)
            tell(lockRow("lock-taken", row, now()));
    }
    for (const auto &[key, row] : gone)
        tell(lockRow(row.place == 0 ? "lock-released" : "lock-left", row, now()));
}

void EventsFeed::showEnsemble(const EnsembleSnapshot &ensemble)
{
    for (const zk::ServerReport &server : ensemble.servers) {
        const auto [known, isNew] = m_roles.try_emplace(server.address.toString(), server.role);
        const zk::ServerReport::Role before = std::exchange(known->second, server.role);
        if (!isNew && before != server.role && m_wanted && attached())
            tell(serverRow(server, before, now()));
    }
}

} // namespace drover::gui
