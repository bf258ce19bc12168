#include "workers/array_queue.h"

#include "recipes/persist.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::QueueEntry;
using Step = UnfoldingArray::Step;
using zk::Answer;

Q_LOGGING_CATEGORY(lcArrayQueue, "drover.workers.array_queue")

namespace {

// Between two listings. What ends meanwhile is counted together: the more tasks are open, the longer they last.
constexpr async::Duration ShortestPause = 10ms;
constexpr async::Duration LongestPause = 200ms;
constexpr async::Duration PausePerTask = 200us;
constexpr int PausePerListing = 4; // in the time that the last one took
constexpr async::Duration LongestForListing = 2s; // it may have waited for a connection
// Until it is worth another listing though nothing has changed.
constexpr async::Duration ShortestRecheck = 100ms;
constexpr async::Duration LongestRecheck = 5s;
constexpr async::Duration TurnAtWork = 1s; // of arrays that do nothing while others wait for their places

bool contains(const std::vector<QueueEntry> &entries, const QueueEntry &entry)
{
    return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

} // namespace

ArrayQueue::AtWork::AtWork(ArrayQueue &queue, const QueueEntry &entry, quint64 step)
    : array(queue.m_zk, queue.m_layout, queue.m_fence, queue.m_ends, queue.m_turn, queue.m_queue, entry,
            [&queue] { queue.wake(); }),
      share(queue.m_zk.loop().now()), since(step)
{
}

void ArrayQueue::setListed(std::vector<QueueEntry> arrays)
{
    std::sort(arrays.begin(), arrays.end());
    m_listed = std::move(arrays);
    std::erase_if(m_hopeless, [this](const QueueEntry &entry) { return !contains(m_listed, entry); });
    std::erase_if(m_aside, [this](const auto &aside) {
        return !std::binary_search(m_listed.begin(), m_listed.end(), aside.first);
    });
    m_stale = true;
    m_wake.set(true);
}

void ArrayQueue::wake()
{
    m_woken = true;
    m_wake.set(true);
}

async::Task<void> ArrayQueue::run()
{
    for (;;) {
        m_woken = false;
        m_recheck.cancel();
        if (std::exchange(m_stale, false))
            co_await look();
        zk::Watch changed;
        Listing listing;
        if (!m_arrays.empty()) {
            co_await list(changed, listing);
            co_await advance(std::move(listing));
        }
        planRecheck();
        co_await untilChanged(changed);
        co_await async::sleepFor(m_zk.loop(), pace());
    }
}

async::Task<void> ArrayQueue::look()
{
    admit();
    for (auto it = m_arrays.begin(); it != m_arrays.end();) {
        const QueueEntry entry = it->first;
        UnfoldingArray &array = it->second.array;
        ++it;
        Step step = Step::Gone;
        try {
            step = co_await array.look();
        } catch (const zk::AccessDenied &error) {
            qCWarning(lcArrayQueue, "an array is left alone: %s", error.what());
            m_hopeless.push_back(entry);
        }
        m_stale = m_stale || step != Step::Done; // of one that is gone there is the place for another
        if (step == Step::Gone)
            drop(entry);
    }
}

void ArrayQueue::drop(const QueueEntry &array)
{
    std::erase(m_listed, array);
    m_arrays.erase(array);
}

// Those that are at work stay, but for what steps aside; of the others as many as there is room for: first those that
// have not been at work yet, in order, then those that have stepped aside, in turn.
void ArrayQueue::admit()
{
    stepAside(waitingForPlace());
    std::array<int, jobs::JobSpec::MaxPriority + 1> atWork{};
    for (const auto &[entry, array] : m_arrays)
        ++atWork[static_cast<std::size_t>(entry.priority)];
    for (const QueueEntry &entry : waitingForPlace()) {
        int &count = atWork[static_cast<std::size_t>(entry.priority)];
        if (count >= MaxArrays)
            continue;
        m_arrays.try_emplace(entry, *this, entry, ++m_steps);
        m_aside.erase(entry);
        ++count;
    }
}

bool ArrayQueue::lacksPlace(const QueueEntry &array) const
{
    return !m_arrays.contains(array) && !contains(m_hopeless, array);
}

std::vector<QueueEntry> ArrayQueue::waitingForPlace() const
{
    std::vector<QueueEntry> waiting;
    for (const QueueEntry &entry : m_listed) {
        if (lacksPlace(entry))
            waiting.push_back(entry);
    }
    const auto steppedAside = [this](const QueueEntry &entry) {
        const auto aside = m_aside.find(entry);
        return aside == m_aside.end() ? 0 : aside->second.since;
    };
    std::stable_sort(waiting.begin(), waiting.end(),
                     [&](const QueueEntry &a, const QueueEntry &b) { return steppedAside(a) < steppedAside(b); });
    return waiting;
}

// As many as others wait for their places, and of those that do nothing the ones that have been here the longest.
void ArrayQueue::stepAside(std::vector<QueueEntry> waiting)
{
    std::array<int, jobs::JobSpec::MaxPriority + 1> missing{}; // places
    for (const QueueEntry &entry : waiting)
        ++missing[static_cast<std::size_t>(entry.priority)];
    for (std::size_t priority = 0; priority < missing.size(); ++priority)
        missing[priority] -= MaxArrays;
    std::vector<std::pair<quint64, QueueEntry>> idle;
    for (const auto &[entry, atWork] : m_arrays) {
        ++missing[static_cast<std::size_t>(entry.priority)];
        if (isIdle(atWork))
            idle.emplace_back(atWork.since, entry);
    }
    std::sort(idle.begin(), idle.end());
    for (const auto &[since, entry] : idle) {
        if (missing[static_cast<std::size_t>(entry.priority)]-- <= 0)
            continue;
        m_aside[entry] = {++m_steps, m_arrays.at(entry).unclaimed()};
        m_arrays.erase(entry);
    }
}

// Nothing that the master could do brings it forward now.
bool ArrayQueue::isIdle(const AtWork &atWork) const
{
    const bool isBlocked = atWork.share.claimed() == 0 && atWork.share.isStalled(m_zk.loop().now());
    return atWork.array.waits() || (!atWork.array.isGang() && isBlocked);
}

// The queue, and which of its jobs are claimed.
async::Task<void> ArrayQueue::list(zk::Watch &watch, Listing &listing)
{
    const zk::Path path = m_layout.queue(m_queue);
    const auto children = [&] { return m_zk.children(path, watch); };
    const auto claimed = [&] { return m_zk.children(m_layout.claims()); };
    const async::TimePoint begin = m_zk.loop().now();
    const Answer<zk::Children> names = co_await recipes::persist(m_zk, children);
    const Answer<zk::Children> claims = co_await recipes::persist(m_zk, claimed);
    m_listingTook = m_zk.loop().now() - begin;
    for (const auto &[entry, array] : m_arrays)
        listing.tasks.insert(entry.number, {});
    noteListed(names->names, listing);
    noteClaims(claims->names, listing);
}

// An array that is not listed any more has ended, been deleted or been moved: of that nobody tells the master.
void ArrayQueue::noteListed(const QByteArrayList &names, Listing &listing)
{
    std::size_t present = 0;
    for (const QByteArray &name : names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry)
            continue;
        present += entry->jobClass == QueueEntry::Class::Array && m_arrays.contains(*entry);
        const auto ofArray = listing.tasks.find(entry->number);
        if (entry->task != jobs::JobId::NoTask && ofArray != listing.tasks.end())
            ofArray->insert(entry->task, *entry);
    }
    m_stale = m_stale || present < m_arrays.size();
}

void ArrayQueue::noteClaims(const QByteArrayList &names, Listing &listing) const
{
    for (const QByteArray &name : names) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
        if (!id || !id->isTask() || id->queue != m_queue)
            continue;
        const auto ofArray = listing.tasks.constFind(id->number);
        if (ofArray != listing.tasks.constEnd() && ofArray->contains(id->task))
            ++listing.claimed[id->number];
    }
}

async::Task<void> ArrayQueue::advance(Listing listing)
{
    const async::TimePoint now = m_zk.loop().now();
    for (auto &[entry, atWork] : m_arrays) {
        const auto open = static_cast<int>(listing.tasks.value(entry.number).size());
        atWork.share.note(open, listing.claimed.value(entry.number), atWork.array.unfolded() - open, now);
    }
    for (auto it = m_arrays.begin(); it != m_arrays.end();) {
        const QueueEntry entry = it->first;
        AtWork &atWork = it->second;
        ++it;
        const int mayBeOpen = atWork.share.mayBeOpen(unclaimedOfOthers(entry));
        Step step = Step::Gone;
        try {
            step = co_await atWork.array.advance(listing.tasks.value(entry.number), mayBeOpen);
        } catch (const zk::AccessDenied &error) {
            qCWarning(lcArrayQueue, "an array is left alone: %s", error.what());
            m_hopeless.push_back(entry);
        }
        m_stale = m_stale || step != Step::Done;
        if (step == Step::Gone)
            drop(entry);
    }
}

// Those of arrays that nobody takes from keep nothing from an array whose tasks run. The tasks that it has just opened
// count as well.
int ArrayQueue::unclaimedOfOthers(const QueueEntry &array) const
{
    const async::TimePoint now = m_zk.loop().now();
    const OpenShare &own = m_arrays.at(array).share;
    const bool moves = own.runs() && !own.isStalled(now);
    int unclaimed = 0;
    for (const auto &[entry, other] : m_arrays) {
        const bool counts = entry.priority == array.priority && entry != array;
        unclaimed += counts && !(moves && other.share.isStalled(now)) ? other.unclaimed() : 0;
    }
    for (const auto &[entry, aside] : m_aside)
        unclaimed += entry.priority == array.priority && !moves ? aside.unclaimed : 0;
    return unclaimed;
}

// Claims wake nobody, nor does an array that could give its place to another.
void ArrayQueue::planRecheck()
{
    const async::TimePoint now = m_zk.loop().now();
    std::optional<async::Duration> next;
    for (const auto &[entry, atWork] : m_arrays) {
        if (atWork.array.hasMore())
            next = std::min(next.value_or(LongestRecheck),
                            std::max<async::Duration>((now - atWork.share.movedAt()) / 4, ShortestRecheck));
    }
    const bool isCrowded =
        std::any_of(m_listed.begin(), m_listed.end(), [this](const auto &e) { return lacksPlace(e); });
    if (isCrowded)
        next = std::min(next.value_or(TurnAtWork), TurnAtWork);
    if (!next)
        return;
    m_recheck = m_zk.loop().after(*next, [this, isCrowded] {
        m_stale = m_stale || isCrowded;
        wake();
    });
}

async::Task<void> ArrayQueue::untilChanged(const zk::Watch &watch)
{
    if (m_stale || m_woken)
        co_return;
    m_wake = {};
    const async::Future<bool> woken = m_wake.future();
    if (!watch.armed() && !watch.hasFired()) {
        co_await woken;
        co_return;
    }
    const async::Future<zk::WatchEvent> fired = watch.fired();
    co_await async::eitherReady(woken, fired);
    if (fired.ready())
        co_await fired; // throws SessionLost
}

async::Duration ArrayQueue::pace() const
{
    int open = 0;
    for (const auto &[entry, atWork] : m_arrays)
        open += atWork.array.open();
    const async::Duration forListing = std::min<async::Duration>(PausePerListing * m_listingTook, LongestForListing);
    return std::max(std::clamp(open * PausePerTask, ShortestPause, LongestPause), forListing);
}

bool ArrayQueue::awaits(const jobs::JobId &task) const
{
    for (int priority = 0; priority <= jobs::JobSpec::MaxPriority; ++priority) {
        const QueueEntry entry{QueueEntry::Class::Array, priority, task.number};
        const auto atWork = m_arrays.find(entry);
        if (atWork != m_arrays.end())
            return atWork->second.array.isOpen(task.task);
        if (std::binary_search(m_listed.begin(), m_listed.end(), entry))
            return true; // its turn is to come, perhaps again
    }
    return false;
}

} // namespace drover::workers
