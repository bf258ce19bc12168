#include "gui/pages/ensemble/server_chart.h"

#include "gui/widgets/theme.h"
#include "text/quantity.h"

namespace drover::gui {

ServerChart::ServerChart(const QString &title, const EnsembleHistory &history, EnsembleHistory::Measure measure)
    : LineChart(title, {SampleRing::Capacity, EnsembleSnapshot::Interval}), m_history(history), m_measure(measure)
{
    setHeading(true);
    connect(&history, &EnsembleHistory::sampled, this, qOverload<>(&QWidget::update));
}

QString ServerChart::valueText(qint64 value) const
{
    if (m_measure == EnsembleHistory::AnswerTime)
        return tr("%1 ms").arg(double(value) / 1000);
    return text::formatCount(value);
}

std::vector<LineChart::Line> ServerChart::lines() const
{
    std::vector<Line> lines;
    for (qsizetype server = 0; server < m_history.names().size(); ++server) {
        const SampleRing &ring = m_history.of(server, m_measure);
        const qint64 latest = ring.latest();
        const QString value = latest < 0               ? tr("unknown")
            : m_measure == EnsembleHistory::AnswerTime ? tr("%1 ms").arg(double(latest) / 1000, 0, 'f', 1)
                                                       : valueText(latest);
        Line line{tr("%1  %2", "server, number").arg(m_history.names()[server], value),
                  seriesColor(int(server), palette()),
                  {}};
        for (std::size_t age = 0; age < ring.size(); ++age)
            line.values.push_back(ring.at(age));
        lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace drover::gui
