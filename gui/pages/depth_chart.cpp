#include "gui/pages/depth_chart.h"

#include "gui/models/queue_history.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <algorithm>
#include <set>

namespace drover::gui {

namespace {

constexpr std::size_t MaxSeries = 8; // as many as there are colours
constexpr std::chrono::milliseconds Kept = QueueHistory::Interval * SampleRing::Capacity;

// Of rings that are sampled together; a younger one has fewer points.
void addTo(std::vector<ChartPoint> &sum, std::vector<ChartPoint> points)
{
    if (points.size() > sum.size())
        std::swap(sum, points);
    for (std::size_t age = 1; age <= points.size(); ++age)
        sum[sum.size() - age].value += std::max<qint64>(0, points[points.size() - age].value);
}

} // namespace

DepthChart::DepthChart(const QueueHistory &history, QWidget *parent)
    : Chart(tr("Queue depth over the last five minutes"), {Kept, Kept}, parent), m_history(history)
{
    connect(&history, &QueueHistory::sampled, this, qOverload<>(&QWidget::update));
}

// "gpu  6, paused, at most 3"
QString DepthChart::legendOf(const QByteArray &queue, qint64 depth) const
{
    QString text = tr("%1  %2", "queue, unfinished jobs").arg(text::printable(queue), text::formatCount(depth));
    const QueueDepth now = m_history.now(queue);
    if (!now.paused.isEmpty())
        text += tr(", paused");
    if (now.limit > 0)
        text += tr(", at most %1 at a time").arg(text::formatCount(now.limit));
    return text;
}

std::vector<Chart::Series> DepthChart::series() const
{
    const auto &rings = m_history.series();
    std::vector<std::pair<qint64, QByteArray>> order; // the deepest first
    for (const auto &[queue, ring] : rings)
        order.emplace_back(-ring.maximum(), queue);
    std::sort(order.begin(), order.end());
    if (order.size() > MaxSeries)
        order.resize(MaxSeries - 1);
    std::set<QByteArray> named;
    for (const auto &[depth, queue] : order)
        named.insert(queue);
    std::vector<Series> series;
    Series others;
    for (const auto &[queue, ring] : rings) {
        std::vector<ChartPoint> points = ring.points(QueueHistory::Interval);
        if (named.contains(queue))
            series.push_back({text::printable(queue), legendOf(queue, ring.latest()),
                              seriesColor(int(series.size()), palette()), std::move(points)});
        else
            addTo(others.points, std::move(points));
    }
    if (!others.points.empty()) {
        others.name = tr("%1 others", "queues").arg(text::formatCount(qint64(rings.size() - named.size())));
        others.legend =
            tr("%1  %2", "queue, unfinished jobs").arg(others.name, text::formatCount(others.points.back().value));
        others.color = seriesColor(int(MaxSeries) - 1, palette());
        series.push_back(others);
    }
    return series;
}

} // namespace drover::gui
