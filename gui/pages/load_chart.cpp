#include "gui/pages/load_chart.h"

#include "gui/charts/load_thinning.h"
#include "gui/widgets/theme.h"
#include "text/quantity.h"

namespace drover::gui {

using namespace std::chrono_literals;
using Measure = LoadHistory::Measure;

LoadChart::LoadChart(Kind kind, const LoadHistory &history, QWidget *parent)
    : Chart(kind == Kind::Depth ? tr("Jobs that are ready, and that run") : tr("Jobs a minute"), {30min, KeptFor},
            parent),
      m_kind(kind), m_history(history)
{
    setHeading(true);
    setToolTip(tr("The wheel shows less or more time, up to thirty days. Drag to move, double click to come back."));
    connect(&history, &LoadHistory::changed, this, qOverload<>(&QWidget::update));
}

Chart::Series LoadChart::line(const QString &name, Measure measure, int color) const
{
    std::vector<ChartPoint> points = m_history.points(measure);
    const qint64 latest = points.empty() ? ChartPoint::Unknown : points.back().value;
    const QString legend = latest < 0 ? name : tr("%1  %2", "measure, number").arg(name, text::formatCount(latest));
    return {name, legend, seriesColor(color, palette()), std::move(points)};
}

std::vector<Chart::Series> LoadChart::series() const
{
    if (m_history.samples().empty())
        return {};
    if (m_kind == Kind::Depth)
        return {line(tr("ready", "jobs"), Measure::Ready, 1), line(tr("running", "jobs"), Measure::Running, 0)};
    return {line(tr("submitted", "jobs a minute"), Measure::Submitted, 1),
            line(tr("ended", "jobs a minute"), Measure::Ended, 0)};
}

} // namespace drover::gui
