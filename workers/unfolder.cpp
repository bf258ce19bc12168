#include "workers/unfolder.h"

namespace drover::workers {

using jobs::QueueEntry;

Unfolder::Unfolder(zk::Coordinator &zk, jobs::Layout layout, recipes::Fence fence, HistoryReader *history)
    : m_zk(zk), m_layout(std::move(layout)), m_fence(std::move(fence)), m_ends(zk, m_layout, history),
      m_turn(zk, m_layout,
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
    const auto [place, isNew] = m_queues.try_emplace(queue, m_zk, m_layout, m_fence, m_ends, m_turn, queue);
    place->second.setListed(std::move(arrays));
    if (isNew)
        m_running.spawn(place->second.run());
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
