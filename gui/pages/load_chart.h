#pragma once

#include "gui/charts/load_history.h"
#include "gui/kit/chart.h"

namespace drover::gui {

// Two measures of all queues together, up to thirty days ago: the last half hour at first.
class LoadChart final : public Chart
{
    Q_OBJECT

public:
    enum class Kind { Depth, Throughput }; // ready and running jobs; jobs a minute that came and that ended

    LoadChart(Kind kind, const LoadHistory &history, QWidget *parent = nullptr);

    QSize minimumSizeHint() const override { return {260, 96}; }

protected:
    std::vector<Series> series() const override;

private:
    Series line(const QString &name, LoadHistory::Measure measure, int color) const;

    const Kind m_kind;
    const LoadHistory &m_history;
};

} // namespace drover::gui
