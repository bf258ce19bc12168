#include "gui/pages/depth_chart.h"

#include "gui/charts/load_thinning.h"
#include "gui/charts/queue_loads.h"
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

DepthChart::DepthChart(const QueueHistory &history, const QueueLoads &loads, QWidget *parent)
    : Chart(tr("Queue depth"), {Kept, KeptFor}, parent), m_history(history), m_loads(loads)
{
    setToolTip(tr("The wheel shows less or more time, up to thirty days. Drag to move, double click to come back."));
    connect(&history, &QueueHistory::sampled, this, qOverload<>(&QWidget::update));
}

// What was sampled often goes back some minutes, and before that there is what was kept.
std::vector<ChartPoint> DepthChart::pointsOf(const QByteArray &queue) const
{
    const std::vector<ChartPoint> latest = m_history.series().at(queue).points(QueueHistory::Interval);
    std::vector<ChartPoint> points = m_loads.points(queue);
    if (!latest.empty())
        std::erase_if(points, [first = latest.front().at](const ChartPoint &point) { return point.at >= first; });
    points.insert(points.end(), latest.begin(), latest.end());
    return points;
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
        if (named.contains(queue))
            series.push_back({text::printable(queue), legendOf(queue, ring.latest()),
                              seriesColor(int(series.size()), palette()), pointsOf(queue)});
        else
            addTo(others.points, ring.points(QueueHistory::Interval));
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
