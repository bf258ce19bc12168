#pragma once

#include "gui/kit/chart.h"

namespace drover::gui {

class QueueHistory;

// The depth of each queue over the last five minutes: one line a queue. Of more queues than there are colours, the
// deepest have lines of their own, and one line has the sum of the others.
class DepthChart final : public Chart
{
    Q_OBJECT

public:
    explicit DepthChart(const QueueHistory &history, QWidget *parent = nullptr);

    QSize minimumSizeHint() const override { return {260, 140}; }

protected:
    std::vector<Series> series() const override;

private:
    QString legendOf(const QByteArray &queue, qint64 depth) const;

    const QueueHistory &m_history;
};

} // namespace drover::gui
