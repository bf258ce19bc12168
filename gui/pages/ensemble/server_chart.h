#pragma once

#include "gui/models/ensemble/ensemble_history.h"
#include "gui/widgets/line_chart.h"

namespace drover::gui {

// One measure of all servers over the last half hour.
class ServerChart final : public LineChart
{
    Q_OBJECT

public:
    ServerChart(const QString &title, const EnsembleHistory &history, EnsembleHistory::Measure measure);

protected:
    std::vector<Line> lines() const override;
    QString valueText(qint64 value) const override;

private:
    const EnsembleHistory &m_history;
    const EnsembleHistory::Measure m_measure;
};

} // namespace drover::gui
