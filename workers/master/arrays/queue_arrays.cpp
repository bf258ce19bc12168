#include "workers/master/arrays/queue_arrays.h"

#include "async/pause.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/arrays/gang_array.h"
#include "workers/master/arrays/plain_array.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::QueueEntry;
using Step = ExpandingArray::Step;
using zk::Answer;

Q_LOGGING_CATEGORY(lcQueueArrays, "drover.workers.queue_arrays")

namespace {

// Between two listings. What ends meanwhile is counted together: the more tasks are open, the longer they last.
constexpr async::Duration ShortestPause = 10ms;
constexpr async::Duration LongestPause = 200ms;
constexpr async::Duration PausePerTask = 200us;
constexpr async::PauseAfter ListingPause{.factor = 4, .shortest = 0s, .longest = 2s};
// Until it is worth another listing though nothing has changed.
constexpr async::Duration ShortestRecheck = 100ms;
constexpr async::Duration LongestRecheck = 5s;
constexpr async::Duration TurnAtWork = 1s; // of arrays that do nothing while others wait for their places

std::unique_ptr<ExpandingArray> makeArray(const ArrayContext &context, GangScheduler &scheduler,
                                          const QueueEntry &entry, const zk::Node &node)
{
    bool isGang = false;
    try {
        isGang = jobs::JobSpec::decode(node.data, context.queue, 0).gang > 0;
    } catch (const jobs::NewerFormat &) {
        throw;
    } catch (const jobs::Malformed &) {
        // The object finds that out.
    }
    if (isGang)
        return std::make_unique<GangArray>(context, scheduler, entry);
    return std::make_unique<PlainArray>(context, entry);
}

bool contains(const std::vector<QueueEntry> &entries, const QueueEntry &entry)
{
    return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

} // namespace

void QueueArrays::setListed(std::vector<QueueEntry> arrays)
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

void QueueArrays::wake()
{
    m_woken = true;
    m_wake.set(true);
}

async::Task<void> QueueArrays::run()
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
        co_await async::sleepFor(m_cluster.zk.loop(), pace());
    }
}

async::Task<void> QueueArrays::look()
{
    stepAside(waitingForPlace());
    std::vector<QueueEntry> entries = admitted();
    for (const auto &[entry, atWork] : m_arrays)
        entries.push_back(entry);
    for (const QueueEntry &entry : entries) {
        Step step = Step::Gone;
        try {
            step = co_await lookAt(entry);
        } catch (const zk::AccessDenied &error) {
            leaveAlone(entry, error);
        } catch (const jobs::NewerFormat &error) {
            leaveAlone(entry, error);
        }
        m_stale = m_stale || step != Step::Done; // where one is gone there is a place for another
        if (step == Step::Gone)
            drop(entry);
        else if (step == Step::OtherKind)
            m_arrays.erase(entry); // and admitted again
    }
}

async::Task<Step> QueueArrays::lookAt(QueueEntry entry)
{
    const auto known = m_arrays.find(entry);
    if (known != m_arrays.end())
        co_return co_await known->second.array->look();
    m_aside.erase(entry);
    const Answer<zk::Node> node = co_await recipes::Persistent(m_cluster.zk).get(m_cluster.layout.job(m_queue, entry));
    if (!node.ok())
        co_return Step::Gone;
    const ArrayContext context{m_cluster, m_fence, m_outcomes, m_queue, [this] { wake(); }};
    AtWork atWork{makeArray(context, m_scheduler, entry, *node), OpenShare(m_cluster.zk.loop().now()), ++m_steps};
    ExpandingArray &array = *atWork.array;
    m_arrays.insert_or_assign(entry, std::move(atWork));
    co_return co_await array.take(*node);
}

void QueueArrays::leaveAlone(const QueueEntry &array, const std::exception &why)
{
    qCWarning(lcQueueArrays, "array %s is left alone: %s", array.idIn(m_queue).bytes().constData(), why.what());
    m_hopeless.push_back(array);
}

void QueueArrays::drop(const QueueEntry &array)
{
    std::erase(m_listed, array);
    m_arrays.erase(array);
}

// The arrays that get a place beside those at work: first arrays that have not been at work yet, in order, then those
// that have stepped aside, in turn.
std::vector<QueueEntry> QueueArrays::admitted() const
{
    std::array<int, jobs::JobSpec::MaxPriority + 1> atWork{};
    for (const auto &[entry, array] : m_arrays)
        ++atWork[static_cast<std::size_t>(entry.priority)];
    std::vector<QueueEntry> entries;
    for (const QueueEntry &entry : waitingForPlace()) {
        int &count = atWork[static_cast<std::size_t>(entry.priority)];
        if (count >= MaxArrays)
            continue;
        entries.push_back(entry);
        ++count;
    }
    return entries;
}

bool QueueArrays::lacksPlace(const QueueEntry &array) const
{
    return !m_arrays.contains(array) && !contains(m_hopeless, array);
}

std::vector<QueueEntry> QueueArrays::waitingForPlace() const
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

// As many arrays step aside as others wait for a place: of the idle ones those that have been at work the longest.
void QueueArrays::stepAside(std::vector<QueueEntry> waiting)
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
bool QueueArrays::isIdle(const AtWork &atWork) const
{
    const bool isBlocked = atWork.share.claimed() == 0 && atWork.share.isStalled(m_cluster.zk.loop().now());
    return atWork.array->waits() || (atWork.array->sharesRoom() && isBlocked);
}

// The queue, and which of its jobs are claimed.
async::Task<void> QueueArrays::list(zk::Watch &watch, Listing &listing)
{
    const async::TimePoint begin = m_cluster.zk.loop().now();
    const Answer<zk::Children> names =
        co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.queue(m_queue), watch);
    const Answer<zk::Children> claims = co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.claims());
    m_listingTook = m_cluster.zk.loop().now() - begin;
    for (const auto &[entry, array] : m_arrays)
        listing.tasks.insert(entry.number, {});
    noteListed(names->names, listing);
    noteClaims(claims->names, listing);
}

// An array that is no longer listed has ended, was deleted or was moved, which no other watch reports.
void QueueArrays::noteListed(const QByteArrayList &names, Listing &listing)
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

void QueueArrays::noteClaims(const QByteArrayList &names, Listing &listing) const
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

async::Task<void> QueueArrays::advance(Listing listing)
{
    const async::TimePoint now = m_cluster.zk.loop().now();
    for (auto &[entry, atWork] : m_arrays) {
        const auto open = static_cast<int>(listing.tasks.value(entry.number).size());
        atWork.share.note(open, listing.claimed.value(entry.number), atWork.array->expanded() - open, now);
    }
    for (auto it = m_arrays.begin(); it != m_arrays.end();) {
        const QueueEntry entry = it->first;
        AtWork &atWork = it->second;
        ++it;
        const int mayBeOpen = atWork.share.mayBeOpen(unclaimedOfOthers(entry));
        Step step = Step::Gone;
        try {
            step = co_await atWork.array->advance(listing.tasks.value(entry.number), mayBeOpen);
        } catch (const zk::AccessDenied &error) {
            leaveAlone(entry, error);
        } catch (const jobs::NewerFormat &error) {
            leaveAlone(entry, error);
        }
        m_stale = m_stale || step != Step::Done;
        if (step == Step::Gone)
            drop(entry);
    }
}

// The unclaimed tasks of stalled arrays do not take room from an array whose tasks run. Tasks created
// since the listing count as well.
int QueueArrays::unclaimedOfOthers(const QueueEntry &array) const
{
    const async::TimePoint now = m_cluster.zk.loop().now();
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

// No watch fires when a task is claimed, or when an array could give its place to another.
void QueueArrays::planRecheck()
{
    const async::TimePoint now = m_cluster.zk.loop().now();
    std::optional<async::Duration> next;
    for (const auto &[entry, atWork] : m_arrays) {
        if (atWork.array->hasMore())
            next = std::min(next.value_or(LongestRecheck),
                            std::max<async::Duration>((now - atWork.share.movedAt()) / 4, ShortestRecheck));
    }
    const bool isCrowded =
        std::any_of(m_listed.begin(), m_listed.end(), [this](const auto &e) { return lacksPlace(e); });
    if (isCrowded)
        next = std::min(next.value_or(TurnAtWork), TurnAtWork);
    if (!next)
        return;
    m_recheck = m_cluster.zk.loop().after(*next, [this, isCrowded] {
        m_stale = m_stale || isCrowded;
        wake();
    });
}

async::Task<void> QueueArrays::untilChanged(const zk::Watch &watch)
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
    co_await async::anyReady(woken, fired);
    if (fired.ready())
        co_await fired; // throws SessionLost
}

async::Duration QueueArrays::pace() const
{
    int open = 0;
    for (const auto &[entry, atWork] : m_arrays)
        open += atWork.array->open();
    return std::max(std::clamp(open * PausePerTask, ShortestPause, LongestPause), ListingPause(m_listingTook));
}

bool QueueArrays::awaits(const jobs::JobId &task) const
{
    for (int priority = 0; priority <= jobs::JobSpec::MaxPriority; ++priority) {
        const QueueEntry entry{QueueEntry::Class::Array, priority, task.number};
        const auto atWork = m_arrays.find(entry);
        if (atWork != m_arrays.end())
            return atWork->second.array->isOpen(task.task);
        if (std::binary_search(m_listed.begin(), m_listed.end(), entry))
            return true; // its turn is to come, perhaps again
    }
    return false;
}

} // namespace drover::workers
