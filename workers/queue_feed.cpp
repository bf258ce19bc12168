#include "workers/queue_feed.h"

#include "async/or_timeout.h"
#include "recipes/line.h"

#include <algorithm>

namespace drover::workers {

using zk::Answer;

namespace {

constexpr qsizetype LongListing = 1000; // names; up to here it costs little, whatever the round trip takes
constexpr std::size_t MaxLooks = 16; // beside one listing; the others are passed on every five seconds
constexpr int PausePerListing = 4; // in the time that the last one took

} // namespace

QueueFeed::QueueFeed(zk::Coordinator &zk, jobs::Layout layout, QByteArray queue, QByteArray worker,
                     std::function<Crowd()> crowd)
    : m_zk(zk), m_layout(std::move(layout)), m_queue(std::move(queue)), m_worker(std::move(worker)),
      m_crowd(std::move(crowd))
{
}

// What was deferred was not hidden when it was listed, if the crowd had gone by then; one may be there again.
std::vector<jobs::QueueEntry> QueueFeed::take(std::size_t count)
{
    const Crowd crowd = m_crowd();
    std::vector<jobs::QueueEntry> taken;
    while (taken.empty() && !m_backlog.empty()) {
        taken = m_backlog.take(count);
        std::erase_if(taken, [&](const jobs::QueueEntry &entry) {
            const auto hidden = m_hidden.constFind(entry.name());
            return hidden != m_hidden.constEnd() && isHidden(*hidden, crowd);
        });
    }
    return taken;
}

void QueueFeed::setMembers(QByteArrayList members)
{
    m_members = std::move(members);
    m_backlog = {};
    if (m_poke)
        m_poke->set({});
}

void QueueFeed::hide(const std::vector<jobs::QueueEntry> &entries, Why why, const QString &holdable)
{
    for (const jobs::QueueEntry &entry : entries)
        m_hidden.insert(entry.name(), {why, m_zk.loop().now(), holdable});
    m_yields = m_yields || (m_first && !entries.empty());
}

void QueueFeed::excludeAt(const jobs::QueueEntry &entry, qint32 version)
{
    hide({entry}, Why::Never);
    m_hidden[entry.name()].version = version;
}

// Of what was judged at a version. Who has stood in line meanwhile, or has been woken, may have missed a claim of it.
std::vector<std::pair<QByteArray, zk::Reply<zk::Stat>>> QueueFeed::lookAtHidden()
{
    std::vector<std::pair<QByteArray, zk::Reply<zk::Stat>>> looks;
    if (!std::exchange(m_mayHaveMissed, false))
        return looks;
    for (auto hidden = m_hidden.cbegin(); hidden != m_hidden.cend() && looks.size() < MaxLooks; ++hidden) {
        if (hidden->version)
            looks.emplace_back(hidden.key(), m_zk.exists(m_layout.queue(m_queue) / hidden.key()));
    }
    return looks;
}

void QueueFeed::passOverForRoom(const std::vector<jobs::QueueEntry> &entries)
{
    hide(entries, Why::PassedOver);
    for (const jobs::QueueEntry &entry : entries)
        m_hidden[entry.name()].forRoom = true;
}

void QueueFeed::lookAgain()
{
    if (m_hidden.removeIf([](const auto &hidden) { return hidden.value().forRoom; }) > 0)
        m_backlog = {};
}

bool QueueFeed::isHidden(const Hidden &hidden, const Crowd &crowd) const
{
    switch (hidden.why) {
    case Why::PassedOver:
        return isLeftToOthers(hidden);
    case Why::Crowded:
        return crowd.isAt(hidden.holdable);
    case Why::Never:
        break;
    }
    return true;
}

bool QueueFeed::isLeftToOthers(const Hidden &hidden) const
{
    return hidden.why == Why::PassedOver && m_zk.loop().now() - hidden.since < MaxAge;
}

bool QueueFeed::nobodyElseTook(const jobs::QueueEntry &entry) const
{
    const auto hidden = m_hidden.constFind(entry.name());
    return hidden != m_hidden.constEnd() && hidden->why == Why::PassedOver && !isLeftToOthers(*hidden);
}

// Forgets what is claimed, or no longer listed.
QByteArrayList QueueFeed::shown(const QByteArrayList &names, const QSet<qint64> &taken)
{
    if (m_hidden.isEmpty())
        return names;
    const Crowd crowd = m_crowd();
    QByteArrayList shown;
    QHash<QByteArray, Hidden> still;
    for (const QByteArray &name : names) {
        const auto hidden = m_hidden.constFind(name);
        if (hidden != m_hidden.constEnd() && !taken.contains(jobs::QueueEntry::parse(name)->idIn(m_queue).inQueue()))
            still.insert(name, *hidden);
        if (hidden == m_hidden.constEnd() || !isHidden(*hidden, crowd))
            shown.append(name);
    }
    m_hidden = std::move(still);
    return shown;
}

void QueueFeed::leaveLine()
{
    m_place.reset();
    m_first = m_yields = false;
}

async::Task<void> QueueFeed::search()
{
    for (;;) {
        try {
            if (m_yields)
                leaveLine();
            if (!m_first) {
                co_await list(nullptr);
                if (!dry())
                    co_return;
                co_await standInLine();
                if (!m_first)
                    continue;
            }
            co_await pauseAfterLongListing();
            zk::Watch watch;
            co_await list(&watch);
            if (!dry())
                co_return;
            co_await awaitChange(watch);
            m_yields = !m_hidden.isEmpty() && m_zk.loop().now() - m_firstSince >= Turn;
            continue;
        } catch (const zk::ConnectionLoss &) {
        } catch (const recipes::TicketRevoked &) {
            leaveLine();
        }
        co_await m_zk.connected();
    }
}

// When the first of those that were left to others is to be looked at again.
std::optional<async::Duration> QueueFeed::untilNextLook() const
{
    std::optional<async::Duration> next;
    for (const Hidden &hidden : m_hidden) {
        if (hidden.why == Why::PassedOver)
            next = std::min(next.value_or(MaxAge), MaxAge - (m_zk.loop().now() - hidden.since));
    }
    return next;
}

// Returns when first, or when it is time for another look. A search that was cancelled on the way has kept the place.
async::Task<void> QueueFeed::standInLine()
{
    std::optional<QByteArrayList> line;
    if (!m_place) {
        recipes::Ticket::Taken place = co_await recipes::Ticket::take(m_zk, m_layout.idle(m_queue), "w-", m_worker);
        m_place = std::move(place.ticket);
        line = std::move(place.line);
    }
    try {
        if (const std::optional<async::Duration> next = untilNextLook())
            co_await async::orTimeout(m_zk.loop(), recipes::awaitTurn(*m_place, std::move(line)), *next);
        else
            co_await recipes::awaitTurn(*m_place, std::move(line));
    } catch (const async::Timeout &) {
        co_return;
    }
    m_first = m_mayHaveMissed = true;
    m_firstSince = m_zk.loop().now();
}

async::Task<void> QueueFeed::list(zk::Watch *watch)
{
    constexpr int Share = 20; // of the time between two listings, at most one part goes to them
    const async::TimePoint begin = m_zk.loop().now();
    const zk::Path queue = m_layout.queue(m_queue);
    const auto listingQueue = watch ? m_zk.children(queue, *watch) : m_zk.children(queue);
    const auto listingClaims = m_zk.children(m_layout.claims());
    const std::vector<std::pair<QByteArray, zk::Reply<zk::Stat>>> looks = lookAtHidden();
    const Answer<zk::Children> names = co_await listingQueue;
    const Answer<zk::Children> claims = co_await listingClaims;
    for (const auto &[name, looking] : looks) {
        const Answer<zk::Stat> stat = co_await looking;
        const auto hidden = m_hidden.constFind(name);
        if (stat.ok() && hidden != m_hidden.constEnd() && hidden->version && stat->version != *hidden->version)
            m_hidden.erase(hidden);
    }
    names.require();
    QSet<qint64> taken;
    for (const QByteArray &name : claims->names) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
        if (id && id->queue == m_queue)
            taken.insert(id->inQueue());
    }
    m_backlog = Backlog(m_queue, shown(names->names, taken), taken, m_worker, m_members);
    m_listedAt = m_zk.loop().now();
    const async::Duration spent = m_listedAt - begin;
    m_freshFor = std::clamp<async::Duration>(Share * spent, MaxAge, MaxFreshness);
    const bool isLong = names->names.size() > LongListing;
    m_pause = isLong ? std::min<async::Duration>(PausePerListing * spent, MaxAge) : async::Duration::zero();
}

async::Task<void> QueueFeed::pauseAfterLongListing()
{
    const async::Duration left = m_listedAt + m_pause - m_zk.loop().now();
    if (left > async::Duration::zero())
        co_await async::sleepFor(m_zk.loop(), left);
}

async::Task<void> QueueFeed::awaitChange(zk::Watch &watch)
{
    m_poke.emplace();
    const async::Timer backstop = m_zk.loop().after(MaxAge, [this] { m_poke->set({}); });
    const async::Future<std::monostate> poked = m_poke->future();
    const async::Future<zk::WatchEvent> fired = watch.fired();
    co_await async::eitherReady(fired, poked);
    if (fired.ready()) {
        co_await fired; // throws SessionLost
        m_mayHaveMissed = true;
    }
    m_poke.reset();
}

} // namespace drover::workers
