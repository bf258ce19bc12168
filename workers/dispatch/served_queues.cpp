#include "workers/dispatch/served_queues.h"

#include "async/first_of.h"
#include "recipes/blocks/follow.h"
#include "workers/claims/job_locks.h"

#include <algorithm>

namespace drover::workers {

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

async::Task<void> ServedQueues::followOne(Queue &queue, std::function<void(const Queue &)> onChange)
{
    const auto onNode = [&](const zk::Node *node) {
        queue.settings.reset();
        if (node) {
            queue.settings = jobs::QueueSettings::of(node->data);
            queue.version = node->stat.version;
        }
        onChange(queue);
        if (!queue.open())
            queue.finder.leaveLine();
    };
    co_await recipes::followData(m_cluster.zk, m_cluster.layout.queue(queue.name()), onNode);
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
            searches.push_back(queue->finder.search());
    }
    searches.push_back(async::untilSet(interrupted));
    co_await async::firstOf(m_cluster.zk.loop(), std::move(searches));
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
