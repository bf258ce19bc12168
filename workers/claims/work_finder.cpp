#include "workers/claims/work_finder.h"

#include "async/or_timeout.h"
#include "async/pause.h"
#include "recipes/blocks/line.h"

#include <algorithm>

namespace drover::workers {

using zk::Answer;

namespace {

constexpr qsizetype LongListing = 1000; // names; up to here it costs little, whatever the round trip takes
constexpr std::size_t MaxLooks = 16; // beside one listing; the others are passed on every five seconds
constexpr int ShareDuringFlood = 4; // of the time between two listings with refused jobs, one part goes to them
constexpr std::chrono::milliseconds ShortestUse{20}; // of a listing
constexpr std::chrono::seconds UsedUpPause{5}; // between looks without a line
constexpr async::PauseAfter ListingPause{.factor = 4, .shortest = {}, .longest = WorkFinder::MaxAge};

} // namespace

WorkFinder::WorkFinder(jobs::Cluster cluster, QByteArray queue, QByteArray worker,
                       std::function<LockContention()> contention)
    : m_cluster(std::move(cluster)), m_queue(std::move(queue)), m_worker(std::move(worker)),
      m_contention(std::move(contention))
{
}

// A deferred job was listed when fewer jobs waited for its lock; enough may wait again by now.
std::vector<jobs::QueueEntry> WorkFinder::take(std::size_t count)
{
    const LockContention contention = m_contention();
    std::vector<jobs::QueueEntry> taken;
    while (taken.empty() && !m_candidates.empty()) {
        taken = m_candidates.take(count);
        std::erase_if(taken, [&](const jobs::QueueEntry &entry) {
            const auto hidden = m_hidden.constFind(entry.name());
            return hidden != m_hidden.constEnd() && isHidden(*hidden, contention);
        });
    }
    return taken;
}

void WorkFinder::setMembers(QByteArrayList members)
{
    m_members = std::move(members);
    m_candidates = {};
    if (m_poke)
        m_poke->set({});
}

void WorkFinder::hide(const std::vector<jobs::QueueEntry> &entries, Why why, const QString &lock)
{
    for (const jobs::QueueEntry &entry : entries)
        m_hidden.insert(entry.name(), {why, m_cluster.zk.loop().now(), lock});
    m_yields = m_yields || (m_first && !entries.empty());
}

void WorkFinder::hideRefused(const std::vector<jobs::QueueEntry> &entries)
{
    for (const jobs::QueueEntry &entry : entries)
        m_hidden.insert(entry.name(), {Why::SetAside, m_cluster.zk.loop().now()});
    if (!entries.empty())
        m_freshFor = std::min(m_freshFor, std::max<async::Duration>(ShareDuringFlood * m_spent, ShortestUse));
}

void WorkFinder::excludeAt(const jobs::QueueEntry &entry, qint32 version)
{
    hide({entry}, Why::AtVersion);
    m_hidden[entry.name()].version = version;
}

// For jobs that are hidden at a version of their node. This finder may have missed a claim of such a job while it stood
// in line or slept.
std::vector<std::pair<QByteArray, zk::Reply<zk::Stat>>> WorkFinder::lookAtHidden()
{
    std::vector<std::pair<QByteArray, zk::Reply<zk::Stat>>> looks;
    if (!std::exchange(m_mayHaveMissed, false))
        return looks;
    for (auto hidden = m_hidden.cbegin(); hidden != m_hidden.cend() && looks.size() < MaxLooks; ++hidden) {
        if (hidden->version)
            looks.emplace_back(hidden.key(), m_cluster.zk.exists(m_cluster.layout.queue(m_queue) / hidden.key()));
    }
    return looks;
}

void WorkFinder::passOverForRoom(const std::vector<jobs::QueueEntry> &entries)
{
    hide(entries, Why::PassedOver);
    for (const jobs::QueueEntry &entry : entries)
        m_hidden[entry.name()].forRoom = true;
}

void WorkFinder::lookAgain()
{
    if (m_hidden.removeIf([](const auto &hidden) { return hidden.value().forRoom; }) > 0)
        m_candidates = {};
}

bool WorkFinder::isHidden(const Hidden &hidden, const LockContention &contention) const
{
    switch (hidden.why) {
    case Why::PassedOver:
        return isLeftToOthers(hidden);
    case Why::SetAside:
        return m_cluster.zk.loop().now() - hidden.since < AsideFor;
    case Why::Contended:
        return contention.isSaturated(hidden.lock);
    case Why::AtVersion:
        break;
    }
    return true;
}

bool WorkFinder::isLeftToOthers(const Hidden &hidden) const
{
    return hidden.why == Why::PassedOver && m_cluster.zk.loop().now() - hidden.since < MaxAge;
}

bool WorkFinder::isLeftByOthers(const jobs::QueueEntry &entry) const
{
    const auto hidden = m_hidden.constFind(entry.name());
    return hidden != m_hidden.constEnd() && hidden->why == Why::PassedOver && !isLeftToOthers(*hidden);
}

// Forgets what is claimed, or no longer listed.
QByteArrayList WorkFinder::shown(const QByteArrayList &names, const QSet<qint64> &taken)
{
    if (m_hidden.isEmpty())
        return names;
    const LockContention contention = m_contention();
    QByteArrayList shown;
    QHash<QByteArray, Hidden> still;
    for (const QByteArray &name : names) {
        const auto hidden = m_hidden.constFind(name);
        if (hidden != m_hidden.constEnd() && !taken.contains(jobs::QueueEntry::parse(name)->idIn(m_queue).inQueue()))
            still.insert(name, *hidden);
        if (hidden == m_hidden.constEnd() || !isHidden(*hidden, contention))
            shown.append(name);
    }
    m_hidden = std::move(still);
    return shown;
}

void WorkFinder::leaveLine()
{
    if (m_place)
        m_place->giveUp();
    m_place.reset();
    m_first = m_yields = false;
}

async::Task<void> WorkFinder::search()
{
    for (;;) {
        bool lineIsUsedUp = false;
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
            m_yields = !m_hidden.isEmpty() && m_cluster.zk.loop().now() - m_firstSince >= Turn;
            continue;
        } catch (const zk::ConnectionLoss &) {
        } catch (const recipes::TicketRevoked &) {
            leaveLine();
        } catch (const recipes::NumbersUsedUp &) {
            lineIsUsedUp = true;
        }
        if (lineIsUsedUp)
            co_await beginLineAnew();
        co_await m_cluster.zk.connected();
    }
}

// When the first of those that were left to others is to be looked at again.
std::optional<async::Duration> WorkFinder::untilNextLook() const
{
    std::optional<async::Duration> next;
    for (const Hidden &hidden : m_hidden) {
        if (hidden.why == Why::PassedOver)
            next = std::min(next.value_or(MaxAge), MaxAge - (m_cluster.zk.loop().now() - hidden.since));
    }
    return next;
}

// Returns when first, or when it is time for another look. A search that was cancelled on the way has kept the place.
async::Task<void> WorkFinder::standInLine()
{
    std::optional<QByteArrayList> line;
    if (!m_place) {
        recipes::Ticket::Taken place =
            co_await recipes::Ticket::take(m_cluster.zk, m_cluster.layout.idle(m_queue), "w-", m_worker);
        m_place = std::make_shared<recipes::Ticket>(std::move(place.ticket));
        line = std::move(place.line);
    }
    const std::shared_ptr<recipes::Ticket> place = m_place; // leaveLine() may be called while we wait
    try {
        if (const std::optional<async::Duration> next = untilNextLook())
            co_await async::orTimeout(m_cluster.zk.loop(), recipes::awaitTurn(*place, std::move(line)), *next);
        else
            co_await recipes::awaitTurn(*place, std::move(line));
    } catch (const async::Timeout &) {
        co_return;
    }
    if (m_place != place)
        co_return;
    m_first = m_mayHaveMissed = true;
    m_firstSince = m_cluster.zk.loop().now();
}

// After 2^31 places. Its directory can go once it is empty, and the next worker creates it again. Until then each
// worker looks once in a while.
async::Task<void> WorkFinder::beginLineAnew()
{
    co_await async::sleepFor(m_cluster.zk.loop(), UsedUpPause);
    const zk::Reply<zk::Nothing> removing = m_cluster.zk.remove(m_cluster.layout.idle(m_queue));
    try {
        const Answer<zk::Nothing> removed = co_await removing;
        Q_UNUSED(removed) // it is not empty, or another worker has removed it
    } catch (const zk::ConnectionLoss &) {
        // It is tried again if it is not gone.
    }
}

async::Task<void> WorkFinder::list(zk::Watch *watch)
{
    constexpr int Share = 20; // of the time between two listings, at most one part goes to them
    const async::TimePoint begin = m_cluster.zk.loop().now();
    const zk::Path queue = m_cluster.layout.queue(m_queue);
    const auto listingQueue = watch ? m_cluster.zk.children(queue, *watch) : m_cluster.zk.children(queue);
    const auto listingClaims = m_cluster.zk.children(m_cluster.layout.claims());
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
    m_candidates = CandidateList(m_queue, shown(names->names, taken), taken, m_worker, m_members);
    m_listedAt = m_cluster.zk.loop().now();
    m_spent = m_listedAt - begin;
    m_freshFor = std::clamp<async::Duration>(Share * m_spent, MaxAge, MaxFreshness);
    const bool isLong = names->names.size() > LongListing;
    m_pause = isLong ? ListingPause(m_spent) : async::Duration::zero();
}

async::Task<void> WorkFinder::pauseAfterLongListing()
{
    const async::Duration left = m_listedAt + m_pause - m_cluster.zk.loop().now();
    if (left > async::Duration::zero())
        co_await async::sleepFor(m_cluster.zk.loop(), left);
}

async::Task<void> WorkFinder::awaitChange(zk::Watch &watch)
{
    m_poke.emplace();
    const async::Timer backstop = m_cluster.zk.loop().after(MaxAge, [this] { m_poke->set({}); });
    const async::Future<std::monostate> poked = m_poke->future();
    const async::Future<zk::WatchEvent> fired = watch.fired();
    co_await async::anyReady(fired, poked);
    if (fired.ready()) {
        co_await fired; // throws SessionLost
        m_mayHaveMissed = true;
    }
    m_poke.reset();
}

} // namespace drover::workers
