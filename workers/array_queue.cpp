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

bool contains(const std::vector<QueueEntry> &entries, const QueueEntry &entry)
{
    return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

} // namespace

void ArrayQueue::setListed(std::vector<QueueEntry> arrays)
{
    std::sort(arrays.begin(), arrays.end());
    m_listed = std::move(arrays);
    std::erase_if(m_hopeless, [this](const QueueEntry &entry) { return !contains(m_listed, entry); });
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
        if (std::exchange(m_stale, false))
            co_await look();
        zk::Watch changed;
        QHash<qint32, ListedTasks> tasks;
        if (!m_arrays.empty()) {
            co_await list(changed, tasks);
            co_await advance(std::move(tasks));
        }
        co_await untilChanged(changed);
        co_await async::sleepFor(m_zk.loop(), pace());
    }
}

async::Task<void> ArrayQueue::look()
{
    admit();
    for (auto it = m_arrays.begin(); it != m_arrays.end();) {
        Step step = Step::Gone;
        try {
            step = co_await it->second.look();
        } catch (const zk::AccessDenied &error) {
            qCWarning(lcArrayQueue, "an array is left alone: %s", error.what());
            m_hopeless.push_back(it->first);
        }
        m_stale = m_stale || step == Step::Again;
        if (step != Step::Gone) {
            ++it;
            continue;
        }
        std::erase(m_listed, it->first);
        it = m_arrays.erase(it);
        m_stale = true; // there is room for another
    }
}

// Those that are at work stay; of the others as many as there is room for, in order.
void ArrayQueue::admit()
{
    std::array<int, jobs::JobSpec::MaxPriority + 1> atWork{};
    for (const auto &[entry, array] : m_arrays)
        ++atWork[static_cast<std::size_t>(entry.priority)];
    for (const QueueEntry &entry : m_listed) {
        int &count = atWork[static_cast<std::size_t>(entry.priority)];
        if (count >= MaxArrays || m_arrays.contains(entry) || contains(m_hopeless, entry))
            continue;
        m_arrays.try_emplace(entry, m_zk, m_layout, m_fence, m_ends, m_turn, m_queue, entry, [this] { wake(); });
        ++count;
    }
}

// Of the tasks of arrays that are at work.
async::Task<void> ArrayQueue::list(zk::Watch &watch, QHash<qint32, ListedTasks> &tasks)
{
    const zk::Path path = m_layout.queue(m_queue);
    const auto children = [&] { return m_zk.children(path, watch); };
    const async::TimePoint begin = m_zk.loop().now();
    const Answer<zk::Children> names = co_await recipes::persist(m_zk, children);
    m_listingTook = m_zk.loop().now() - begin;
    for (const auto &[entry, array] : m_arrays)
        tasks.insert(entry.number, {});
    for (const QByteArray &name : names->names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry || entry->task == jobs::JobId::NoTask)
            continue;
        const auto ofArray = tasks.find(entry->number);
        if (ofArray != tasks.end())
            ofArray->insert(entry->task, *entry);
    }
}

async::Task<void> ArrayQueue::advance(QHash<qint32, ListedTasks> tasks)
{
    for (auto it = m_arrays.begin(); it != m_arrays.end();) {
        UnfoldingArray &array = it->second;
        const int others = openOf(it->first.priority) - array.open();
        const int mayBeOpen = std::max(jobs::ArrayProgress::MaxOpen - others, LeastOpen);
        Step step = Step::Gone;
        try {
            step = co_await array.advance(tasks.value(it->first.number), mayBeOpen);
        } catch (const zk::AccessDenied &error) {
            qCWarning(lcArrayQueue, "an array is left alone: %s", error.what());
            m_hopeless.push_back(it->first);
        }
        m_stale = m_stale || step != Step::Done;
        if (step == Step::Gone) {
            std::erase(m_listed, it->first);
            it = m_arrays.erase(it);
        } else {
            ++it;
        }
    }
}

int ArrayQueue::openOf(int priority) const
{
    int open = 0;
    for (const auto &[entry, array] : m_arrays)
        open += entry.priority == priority ? array.open() : 0;
    return open;
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
    for (const auto &[entry, array] : m_arrays)
        open += array.open();
    const async::Duration forListing = std::min<async::Duration>(PausePerListing * m_listingTook, LongestForListing);
    return std::max(std::clamp(open * PausePerTask, ShortestPause, LongestPause), forListing);
}

bool ArrayQueue::awaits(const jobs::JobId &task) const
{
    for (int priority = 0; priority <= jobs::JobSpec::MaxPriority; ++priority) {
        const QueueEntry entry{QueueEntry::Class::Array, priority, task.number};
        const auto atWork = m_arrays.find(entry);
        if (atWork != m_arrays.end())
            return atWork->second.isOpen(task.task);
        if (std::binary_search(m_listed.begin(), m_listed.end(), entry))
            return true; // its turn is to come, perhaps again
    }
    return false;
}

} // namespace drover::workers
