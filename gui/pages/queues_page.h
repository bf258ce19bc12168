#pragma once

#include "gui/shell/page.h"

namespace drover::gui {

class DepthChart;
class QueueHistory;

// How deep each queue is, and was. The badge says how many queues there are, or are paused.
class QueuesPage final : public Page
{
    Q_OBJECT

public:
    explicit QueuesPage(const QueueHistory &queues);

    void showState(const ConnectionState &state) override;

protected:
    QWidget *mainPart() const override;

private:
    void count();

    const QueueHistory &m_queues;
    DepthChart *m_chart;
};

} // namespace drover::gui
