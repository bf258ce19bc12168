#pragma once

#include "gui/kit/chart.h"

namespace drover::gui {

class QueueHistory;
class QueueLoads;

// The depth of each queue, one line a queue: the last five minutes at first, and up to thirty days. Of more queues than
// there are colours, the deepest have lines of their own. One line has the sum of the others over the five minutes.
class DepthChart final : public Chart
{
    Q_OBJECT

public:
    // Both outlive it.
    DepthChart(const QueueHistory &history, const QueueLoads &loads, QWidget *parent = nullptr);

    QSize minimumSizeHint() const override { return {260, 140}; }

protected:
    std::vector<Series> series() const override;

private:
    std::vector<ChartPoint> pointsOf(const QByteArray &queue) const;
    QString legendOf(const QByteArray &queue, qint64 depth) const;

    const QueueHistory &m_history;
    const QueueLoads &m_loads;
};

} // namespace drover::gui
