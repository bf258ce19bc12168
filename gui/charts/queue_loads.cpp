#include "gui/charts/queue_loads.h"

#include <algorithm>

namespace drover::gui {

std::vector<ChartPoint> QueueLoads::points(const QByteArray &queue) const
{
    const auto found = m_queues.find(queue);
    return found == m_queues.end() ? std::vector<ChartPoint>() : found->second->points(LoadHistory::Measure::Ready);
}

void QueueLoads::show(const QList<QueueDepth> &queues)
{
    if (queues.isEmpty()) // a new session has not listed them yet
        return;
    QList<QueueDepth> deepestFirst = queues;
    std::stable_sort(deepestFirst.begin(), deepestFirst.end(),
                     [](const QueueDepth &a, const QueueDepth &b) { return a.depth > b.depth; });
    std::erase_if(m_queues, [&](const auto &followed) {
        return std::none_of(queues.begin(), queues.end(),
                            [&](const QueueDepth &queue) { return queue.name == followed.first; });
    });
    for (const QueueDepth &queue : std::as_const(deepestFirst)) {
        const bool mayHavePlace = queue.depth > 0 || std::size_t(queues.size()) <= MostQueues;
        if (mayHavePlace && !m_queues.contains(queue.name) && m_queues.size() < MostQueues)
            begin(queue.name);
        const auto followed = m_queues.find(queue.name);
        if (followed == m_queues.end())
            continue;
        QueueDepth depth = queue;
        depth.ready = queue.depth;
        followed->second->show({depth});
    }
}

void QueueLoads::begin(const QByteArray &queue)
{
    auto history = std::make_unique<LoadHistory>(m_clock);
    history->setConnected(m_isConnected);
    connect(history.get(), &LoadHistory::sampled, this,
            [this, queue](const LoadSample &sample) { Q_EMIT sampled(queue, sample); });
    m_queues[queue] = std::move(history);
    Q_EMIT begun(queue);
}

void QueueLoads::setConnected(bool connected)
{
    m_isConnected = connected;
    for (const auto &[queue, history] : m_queues)
        history->setConnected(connected);
}

void QueueLoads::sample()
{
    for (const auto &[queue, history] : m_queues)
        history->sample();
}

void QueueLoads::restore(const QByteArray &queue, const std::vector<LoadSample> &kept)
{
    if (const auto followed = m_queues.find(queue); followed != m_queues.end())
        followed->second->restore(kept);
}

void QueueLoads::clear()
{
    m_queues.clear();
}

} // namespace drover::gui
