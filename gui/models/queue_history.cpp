#include "gui/models/queue_history.h"

#include <QDateTime>

#include <algorithm>

namespace drover::gui {

void SampleRing::append(qint64 value)
{
    append(value, QDateTime::currentMSecsSinceEpoch());
}

void SampleRing::append(qint64 value, qint64 at)
{
    m_samples[m_next] = {at, value};
    m_next = (m_next + 1) % Capacity;
    m_size = std::min(m_size + 1, Capacity);
}

qint64 SampleRing::at(std::size_t age) const
{
    return m_samples[(m_next + Capacity - 1 - age) % Capacity].value;
}

qint64 SampleRing::maximum() const
{
    qint64 maximum = 0;
    for (std::size_t i = 0; i < m_size; ++i)
        maximum = std::max(maximum, m_samples[i].value);
    return maximum;
}

bool SampleRing::allZero() const
{
    return std::all_of(m_samples.begin(), m_samples.begin() + std::ptrdiff_t(m_size),
                       [](const ChartPoint &sample) { return sample.value == 0; });
}

std::vector<ChartPoint> SampleRing::points(std::chrono::milliseconds interval) const
{
    constexpr int Patience = 4; // intervals: a busy moment is no gap
    std::vector<ChartPoint> points;
    points.reserve(m_size);
    for (std::size_t age = m_size; age-- > 0;) {
        const ChartPoint &sample = m_samples[(m_next + Capacity - 1 - age) % Capacity];
        if (!points.empty() && sample.at < points.back().at)
            points.clear(); // the clock was set back
        if (!points.empty() && sample.at - points.back().at > Patience * interval.count())
            points.push_back({points.back().at + interval.count(), ChartPoint::Unknown});
        points.push_back(sample);
    }
    return points;
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
    sampleAt(QDateTime::currentMSecsSinceEpoch());
}

void QueueHistory::sampleAt(qint64 at)
{
    std::map<QByteArray, qint64> now;
    for (const QueueDepth &queue : std::as_const(m_depths))
        now[queue.name] = queue.depth;
    for (const auto &[queue, depth] : now)
        m_series.try_emplace(queue);
    for (auto &[queue, ring] : m_series) {
        const auto depth = now.find(queue);
        ring.append(depth == now.end() ? 0 : depth->second, at);
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
