#include "workers/dispatch/served_queues.h"

#include "async/first_of.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"
#include "workers/claims/job_locks.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcServedQueues, "drover.workers.served_queues")

namespace {

constexpr auto ClosedFor = 5s; // before a queue that cannot be read is tried again
const QString IsGone = QStringLiteral("it is no longer there");

} // namespace

void ServedQueues::Queue::exclude(const std::vector<ClaimedJob> &jobs)
{
    for (const ClaimedJob &job : jobs)
        finder.excludeAt(job.entry, job.attempts.claimVersion - 1);
}

void ServedQueues::Queue::defer(const std::vector<ClaimedJob> &jobs, const LockContention &contention)
{
    for (const ClaimedJob &job : jobs) {
        const QString lock = contention.firstSaturated(LockRequests::namesOf(job.spec, limited()));
        if (!lock.isEmpty())
            finder.defer(job.entry, lock);
    }
}

ServedQueues::ServedQueues(jobs::Cluster cluster, const WorkerOptions &options,
                           const std::function<LockContention()> &contention)
    : m_cluster(std::move(cluster))
{
    for (const QByteArray &name : options.queues)
        m_queues.emplace_back(new Queue{WorkFinder(m_cluster, name, options.id.toLatin1(), contention)});
}

async::Task<void> ServedQueues::follow(std::function<void(const Queue &)> onChange)
{
    std::vector<async::Task<void>> following;
    for (const auto &queue : m_queues)
        following.push_back(followOne(*queue, onChange));
    co_await async::firstOf(m_cluster.zk.loop(), std::move(following));
}

async::Task<void> ServedQueues::followOne(Queue &queue, OnChange onChange)
{
    for (;;) {
        queue.failed.reset();
        QString failure;
        try {
            co_await async::firstOf(m_cluster.zk.loop(), followSettings(queue, onChange), async::untilSet(queue.failed),
                                    noteWorking(queue));
            failure = queue.failure;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) {
            failure = QString::fromUtf8(error.what());
        }
        queue.settings.reset();
        onChange(queue);
        queue.finder.leaveLine();
        const zk::Path path = m_cluster.layout.queue(queue.name());
        const zk::Answer<zk::Stat> there = co_await recipes::Persistent(m_cluster.zk).exists(path);
        note(queue, there.ok() ? failure : IsGone);
        co_await async::sleepFor(m_cluster.zk.loop(), ClosedFor);
        queue.finder.forgetAside(); // what could not be claimed just before it was closed
    }
}

// Never ends by itself.
async::Task<void> ServedQueues::noteWorking(Queue &queue)
{
    for (;;) {
        co_await async::sleepFor(m_cluster.zk.loop(), 2 * ClosedFor);
        if (queue.settings)
            note(queue, {});
    }
}

async::Task<void> ServedQueues::followSettings(Queue &queue, OnChange onChange)
{
    const auto onNode = [&](const zk::Node *node) {
        queue.settings.reset();
        if (node) {
            queue.settings = jobs::QueueSettings::of(node->data);
            queue.version = node->stat.version;
        }
        if (!node)
            note(queue, IsGone);
        else if (queue.trouble == IsGone)
            note(queue, {});
        onChange(queue);
        if (!queue.open())
            queue.finder.leaveLine();
    };
    co_await recipes::followData(m_cluster.zk, m_cluster.layout.queue(queue.name()), onNode);
}

// What fails first, the listing or the settings, is chance: one line is enough.
void ServedQueues::note(Queue &queue, const QString &trouble)
{
    const QString before = std::exchange(queue.trouble, trouble);
    if (before.isEmpty() == trouble.isEmpty() && (before == IsGone) == (trouble == IsGone))
        return;
    if (trouble.isEmpty())
        qCInfo(lcServedQueues, "queue %s: jobs are claimed again", queue.name().constData());
    else
        qCWarning(lcServedQueues, "queue %s: nothing is claimed from it until that is mended: %s",
                  queue.name().constData(), qPrintable(trouble));
}

void ServedQueues::setMembers(const QByteArrayList &members)
{
    for (const auto &queue : m_queues)
        queue->finder.setMembers(members);
}

ServedQueues::Queue &ServedQueues::of(const QByteArray &name)
{
    return **std::find_if(m_queues.begin(), m_queues.end(), [&](const auto &queue) { return queue->name() == name; });
}

bool ServedQueues::anyOpen() const
{
    return std::any_of(m_queues.begin(), m_queues.end(), [](const auto &queue) { return queue->open(); });
}

ServedQueues::Queue *ServedQueues::withWork()
{
    const auto first = std::find_if(m_queues.begin(), m_queues.end(),
                                    [](const auto &queue) { return queue->open() && !queue->finder.dry(); });
    return first == m_queues.end() ? nullptr : first->get();
}

void ServedQueues::moveToEnd(const Queue &queue)
{
    const auto served =
        std::find_if(m_queues.begin(), m_queues.end(), [&](const auto &other) { return other.get() == &queue; });
    std::rotate(m_queues.begin(), served + 1, m_queues.end());
}

async::Task<void> ServedQueues::search(async::Event &interrupted)
{
    std::vector<async::Task<void>> searches;
    for (const auto &queue : m_queues) {
        if (queue->open())
            searches.push_back(searchOne(*queue));
    }
    searches.push_back(async::untilSet(interrupted));
    co_await async::firstOf(m_cluster.zk.loop(), std::move(searches));
}

// If it fails, followOne() closes the queue, which ends this.
async::Task<void> ServedQueues::searchOne(Queue &queue)
{
    try {
        co_await queue.finder.search();
        co_return;
    } catch (const zk::SessionLost &) {
        throw;
    } catch (const std::exception &error) {
        queue.failure = QString::fromUtf8(error.what());
    }
    queue.failed.set();
    async::Event closed;
    co_await closed.wait();
}

void ServedQueues::leaveLines()
{
    for (const auto &queue : m_queues)
        queue->finder.leaveLine();
}

void ServedQueues::lookAgain()
{
    for (const auto &queue : m_queues)
        queue->finder.lookAgain();
}

} // namespace drover::workers
