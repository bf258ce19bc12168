#include "workers/master/arrays/array_expander.h"

#include "workers/master/base/supervise.h"

namespace drover::workers {

using jobs::QueueEntry;

ArrayExpander::ArrayExpander(jobs::Cluster cluster, recipes::Fence fence, MasterHistory *history, Troubles &troubles,
                             const zk::ServerClock *clock)
    : m_cluster(std::move(cluster)), m_fence(std::move(fence)), m_troubles(troubles), m_outcomes(m_cluster, history),
      m_scheduler(m_cluster, clock,
                  [this] {
                      for (auto &[name, queue] : m_queues)
                          queue.wake();
                  }),
      m_failure(m_cluster.zk.loop()), m_running([this](const std::exception_ptr &error) { m_failure.note(error); })
{
}

void ArrayExpander::setListed(const QByteArray &queue, const std::vector<QueueEntry> &entries)
{
    std::vector<QueueEntry> arrays;
    for (const QueueEntry &entry : entries) {
        if (entry.jobClass == QueueEntry::Class::Array)
            arrays.push_back(entry);
    }
    m_listed.insert_or_assign(queue, arrays);
    const auto known = m_queues.find(queue);
    if (known != m_queues.end()) {
        known->second.setListed(std::move(arrays));
        return;
    }
    makeQueue(queue);
    const QString subject = QStringLiteral("arrays of queue %1").arg(QString::fromUtf8(queue));
    const std::function<async::Task<void>()> expandIts = [this, queue] { return expand(queue); };
    m_running.spawn(superviseDuty(m_cluster.zk, m_troubles, subject, expandIts));
}

QueueArrays &ArrayExpander::makeQueue(const QByteArray &name)
{
    m_queues.erase(name);
    QueueArrays &queue =
        m_queues.try_emplace(name, m_cluster, m_fence, m_outcomes, m_scheduler, m_troubles, name).first->second;
    queue.setListed(m_listed[name]);
    return queue;
}

// Each time with nothing but what is listed: what a failure has left half done is read again.
async::Task<void> ArrayExpander::expand(QByteArray queue)
{
    QueueArrays &arrays = makeQueue(queue);
    co_await arrays.run();
}

bool ArrayExpander::awaits(const jobs::JobId &id) const
{
    const auto queue = m_queues.find(id.queue);
    return id.isTask() && (queue == m_queues.end() || queue->second.awaits(id));
}

} // namespace drover::workers
