#include "gui/pages/server_chart.h"

#include "gui/widgets/theme.h"
#include "text/quantity.h"

namespace drover::gui {

namespace {

constexpr std::chrono::milliseconds Span = EnsembleSnapshot::Interval * SampleRing::Capacity;

} // namespace

ServerChart::ServerChart(const QString &title, const EnsembleHistory &history, EnsembleHistory::Measure measure)
    : Chart(title, {Span, Span}), m_history(history), m_measure(measure)
{
    setHeading(true);
    setBriefLegend(true); // the table has the values
    connect(&history, &EnsembleHistory::sampled, this, qOverload<>(&QWidget::update));
}

QString ServerChart::valueText(qint64 value) const
{
    if (m_measure == EnsembleHistory::AnswerTime)
        return tr("%1 ms").arg(double(value) / 1000);
    return text::formatCount(value);
}

std::vector<Chart::Series> ServerChart::series() const
{
    std::vector<Series> series;
    for (qsizetype server = 0; server < m_history.names().size(); ++server) {
        const SampleRing &ring = m_history.of(server, m_measure);
        const qint64 latest = ring.latest();
        const QString value = latest < 0               ? tr("unknown")
            : m_measure == EnsembleHistory::AnswerTime ? tr("%1 ms").arg(double(latest) / 1000, 0, 'f', 1)
                                                       : valueText(latest);
        const QString &name = m_history.names()[server];
        series.push_back({name, tr("%1  %2", "server, number").arg(name, value), seriesColor(int(server), palette()),
                          ring.points(EnsembleSnapshot::Interval)});
    }
    return series;
}

} // namespace drover::gui
