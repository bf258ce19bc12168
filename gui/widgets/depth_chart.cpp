#include "gui/widgets/depth_chart.h"

#include "gui/models/queue_history.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QEvent>

#include <algorithm>
#include <set>

namespace drover::gui {

namespace {

constexpr std::size_t MaxSeries = 8; // as many as there are colours

void addTo(std::vector<qint64> &sum, const SampleRing &ring)
{
    sum.resize(std::max(sum.size(), ring.size()));
    for (std::size_t age = 0; age < ring.size(); ++age)
        sum[age] += ring.at(age);
}

} // namespace

DepthChart::DepthChart(const QueueHistory &history, QWidget *parent)
    : LineChart(tr("Queue depth over the last five minutes"), {SampleRing::Capacity, QueueHistory::Interval}, parent),
      m_history(history)
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

// Of the queues that are paused.
bool DepthChart::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        QStringList lines;
        for (const auto &[queue, ring] : m_history.series()) {
            const QString paused = m_history.now(queue).paused;
            if (!paused.isEmpty())
                lines << tr("%1 is %2", "queue, paused by").arg(text::printable(queue), text::printable(paused));
        }
        setToolTip(plainToolTip(lines.join(u'\n')));
    }
    return QWidget::event(event);
}

std::vector<LineChart::Line> DepthChart::lines() const
{
    const auto &series = m_history.series();
    std::vector<std::pair<qint64, QByteArray>> order; // the deepest first
    for (const auto &[queue, ring] : series)
        order.emplace_back(-ring.maximum(), queue);
    std::sort(order.begin(), order.end());
    if (order.size() > MaxSeries)
        order.resize(MaxSeries - 1);
    std::set<QByteArray> named;
    for (const auto &[depth, queue] : order)
        named.insert(queue);
    std::vector<Line> lines;
    Line others;
    for (const auto &[queue, ring] : series) {
        if (named.contains(queue)) {
            lines.push_back({legendOf(queue, ring.latest()), seriesColor(int(lines.size()), palette()), {}});
            addTo(lines.back().values, ring);
        } else {
            addTo(others.values, ring);
        }
    }
    if (!others.values.empty()) {
        others.legend =
            tr("%1 others  %2", "queues, unfinished jobs")
                .arg(text::formatCount(qint64(series.size() - named.size())), text::formatCount(others.values.front()));
        others.color = seriesColor(int(MaxSeries) - 1, palette());
        lines.push_back(others);
    }
    return lines;
}

} // namespace drover::gui
