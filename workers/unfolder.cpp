#include "workers/unfolder.h"

namespace drover::workers {

using jobs::QueueEntry;

Unfolder::Unfolder(zk::Coordinator &zk, jobs::Layout layout, recipes::Fence fence, HistoryReader *history,
                   Troubles &troubles)
    : m_zk(zk), m_layout(std::move(layout)), m_fence(std::move(fence)), m_troubles(troubles),
      m_ends(zk, m_layout, history), m_turn(zk, m_layout,
                                            [this] {
                                                for (auto &[name, queue] : m_queues)
                                                    queue.wake();
                                            }),
      m_failure(zk.loop()), m_running([this](const std::exception_ptr &error) { m_failure.note(error); })
{
}

void Unfolder::setListed(const QByteArray &queue, const std::vector<QueueEntry> &entries)
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
    const std::function<async::Task<void>()> unfoldIts = [this, queue] { return unfold(queue); };
    m_running.spawn(keepWorking(m_zk, m_troubles, subject, unfoldIts));
}

ArrayQueue &Unfolder::makeQueue(const QByteArray &name)
{
    m_queues.erase(name);
    ArrayQueue &queue = m_queues.try_emplace(name, m_zk, m_layout, m_fence, m_ends, m_turn, name).first->second;
    queue.setListed(m_listed[name]);
    return queue;
}

// Each time with nothing but what is listed: what a failure has left half done is read again.
async::Task<void> Unfolder::unfold(QByteArray queue)
{
    ArrayQueue &arrays = makeQueue(queue);
    co_await arrays.run();
}

async::Task<void> Unfolder::run()
{
    co_await m_failure.thrown();
}

bool Unfolder::awaits(const jobs::JobId &id) const
{
    const auto queue = m_queues.find(id.queue);
    return id.isTask() && (queue == m_queues.end() || queue->second.awaits(id));
}

} // namespace drover::workers
