#include "workers/master/arrays/queue_arrays.h"

#include "async/pause.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/arrays/gang_array.h"
#include "workers/master/arrays/plain_array.h"

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::QueueEntry;
using Step = ExpandingArray::Step;
using zk::Answer;

namespace {

// Between two listings. What ends meanwhile is counted together: the more tasks are open, the longer they last.
constexpr async::Duration ShortestPause = 10ms;
constexpr async::Duration LongestPause = 200ms;
constexpr async::Duration PausePerTask = 200us;
constexpr async::PauseAfter ListingPause{.factor = 4, .shortest = 0s};
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

} // namespace

void QueueArrays::setListed(std::vector<QueueEntry> arrays)
{
    std::set<SetAside::Named> present;
    for (const QueueEntry &array : arrays)
        present.emplace(array.idIn(m_queue), array);
    m_setAside.keepOnly(m_queue, present);
    std::erase_if(arrays, [this](const QueueEntry &array) { return m_setAside.holds(array.idIn(m_queue), array); });
    m_places.setListed(std::move(arrays));
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
        if (!m_places.atWork().empty()) {
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
    for (const auto &[id, entry] : m_setAside.takeDue())
        m_places.list(entry);
    const std::vector<QueueEntry> entries = m_places.assign(m_cluster.zk.loop().now());
    for (const QueueEntry &entry : entries)
        co_await carryOut(entry, lookAt(entry));
}

async::Task<Step> QueueArrays::lookAt(QueueEntry entry)
{
    const auto known = m_places.atWork().find(entry);
    if (known != m_places.atWork().end())
        co_return co_await known->second.array->look();
    const Answer<zk::Node> node = co_await recipes::Persistent(m_cluster.zk).get(m_cluster.layout.job(m_queue, entry));
    if (!node.ok())
        co_return Step::Gone;
    const ArrayContext context{m_cluster, m_fence, m_outcomes, m_queue, [this] { wake(); }};
    std::unique_ptr<ExpandingArray> made = makeArray(context, m_scheduler, entry, *node);
    ExpandingArray &array = m_places.admit(entry, std::move(made), m_cluster.zk.loop().now());
    co_return co_await array.take(*node);
}

// An array that this master may not touch, cannot read or cannot end is set aside.
async::Task<void> QueueArrays::carryOut(QueueEntry array, async::Task<Step> step)
{
    const auto setAside = [&](const std::exception &why) {
        m_setAside.add(array.idIn(m_queue), array, QString::fromUtf8(why.what()));
    };
    Step done = Step::Gone;
    try {
        done = co_await std::move(step);
        m_setAside.remove(array.idIn(m_queue));
    } catch (const zk::AccessDenied &error) {
        setAside(error);
    } catch (const jobs::NewerFormat &error) {
        setAside(error);
    } catch (const Blocked &error) {
        setAside(error);
    }
    m_stale = m_stale || done != Step::Done; // where one is gone there is a place for another
    if (done == Step::Gone)
        m_places.drop(array);
    else if (done == Step::OtherKind)
        m_places.release(array);
}

// The queue, and which of its jobs are claimed.
async::Task<void> QueueArrays::list(zk::Watch &watch, Listing &listing)
{
    const async::TimePoint begin = m_cluster.zk.loop().now();
    const Answer<zk::Children> names =
        co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.queue(m_queue), watch);
    const Answer<zk::Children> claims = co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.claims());
    m_listingTook = m_cluster.zk.loop().now() - begin;
    for (const auto &[entry, array] : m_places.atWork())
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
        present += entry->jobClass == QueueEntry::Class::Array && m_places.atWork().contains(*entry);
        const auto ofArray = listing.tasks.find(entry->number);
        if (entry->task != jobs::JobId::NoTask && ofArray != listing.tasks.end())
            ofArray->insert(entry->task, *entry);
    }
    m_stale = m_stale || present < m_places.atWork().size();
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
    std::vector<QueueEntry> entries;
    for (auto &[entry, atWork] : m_places.atWork()) {
        const auto open = static_cast<int>(listing.tasks.value(entry.number).size());
        atWork.share.note(open, listing.claimed.value(entry.number), atWork.array->expanded() - open, now);
        entries.push_back(entry);
    }
    for (const QueueEntry &entry : entries) {
        const int mayBeOpen = m_places.mayBeOpen(entry, m_cluster.zk.loop().now());
        ExpandingArray &array = *m_places.atWork().at(entry).array;
        co_await carryOut(entry, array.advance(listing.tasks.value(entry.number), mayBeOpen));
    }
}

// No watch fires when a task is claimed, or when an array could give its place to another.
void QueueArrays::planRecheck()
{
    const async::TimePoint now = m_cluster.zk.loop().now();
    std::optional<async::Duration> next;
    for (const auto &[entry, atWork] : m_places.atWork()) {
        if (atWork.array->hasMore())
            next = std::min(next.value_or(LongestRecheck),
                            std::max<async::Duration>((now - atWork.share.movedAt()) / 4, ShortestRecheck));
    }
    const bool isCrowded = m_places.isCrowded();
    if (isCrowded)
        next = std::min(next.value_or(TurnAtWork), TurnAtWork);
    const std::optional<async::Duration> trial = m_setAside.untilNext();
    if (trial)
        next = std::min(next.value_or(*trial), *trial);
    if (!next)
        return;
    m_recheck = m_cluster.zk.loop().after(*next, [this, mustLook = isCrowded || (trial && *trial <= *next)] {
        m_stale = m_stale || mustLook;
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
    for (const auto &[entry, atWork] : m_places.atWork())
        open += atWork.array->open();
    return std::max(std::clamp(open * PausePerTask, ShortestPause, LongestPause), ListingPause(m_listingTook));
}

} // namespace drover::workers
