#pragma once

#include "gui/kit/chart.h"
#include "gui/models/ensemble_history.h"

namespace drover::gui {

// One measure of all servers over the last half hour. The history outlives the chart.
class ServerChart final : public Chart
{
    Q_OBJECT

public:
    ServerChart(const QString &title, const EnsembleHistory &history, EnsembleHistory::Measure measure);

protected:
    std::vector<Series> series() const override;
    QString valueText(qint64 value) const override;

private:
    const EnsembleHistory &m_history;
    const EnsembleHistory::Measure m_measure;
};

} // namespace drover::gui
