#include "gui/models/queue_history.h"

#include <algorithm>

namespace drover::gui {

void SampleRing::append(qint64 value)
{
    m_samples[m_next] = value;
    m_next = (m_next + 1) % Capacity;
    m_size = std::min(m_size + 1, Capacity);
}

qint64 SampleRing::at(std::size_t age) const
{
    return m_samples[(m_next + Capacity - 1 - age) % Capacity];
}

qint64 SampleRing::maximum() const
{
    return m_size == 0 ? 0 : *std::max_element(m_samples.begin(), m_samples.begin() + std::ptrdiff_t(m_size));
}

bool SampleRing::allZero() const
{
    return std::all_of(m_samples.begin(), m_samples.begin() + std::ptrdiff_t(m_size), [](qint64 v) { return v == 0; });
}

QueueDepth QueueHistory::now(const QByteArray &queue) const
{
    const auto found =
        std::find_if(m_depths.begin(), m_depths.end(), [&](const QueueDepth &depth) { return depth.name == queue; });
    return found == m_depths.end() ? QueueDepth() : *found;
}

void QueueHistory::show(const QList<QueueDepth> &depths)
{
    m_depths = depths;
    if (m_series.empty() && !depths.isEmpty())
        sample();
}

void QueueHistory::sample()
{
    std::map<QByteArray, qint64> now;
    for (const QueueDepth &queue : std::as_const(m_depths))
        now[queue.name] = queue.depth;
    for (const auto &[queue, depth] : now)
        m_series.try_emplace(queue);
    for (auto &[queue, ring] : m_series) {
        const auto depth = now.find(queue);
        ring.append(depth == now.end() ? 0 : depth->second);
    }
    std::erase_if(m_series, [&](const auto &entry) { return !now.contains(entry.first) && entry.second.allZero(); });
    Q_EMIT sampled();
}

void QueueHistory::clear()
{
    m_depths.clear();
    m_series.clear();
    Q_EMIT sampled();
}

} // namespace drover::gui
