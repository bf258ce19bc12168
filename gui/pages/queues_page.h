#pragma once

#include "gui/pages/table_page.h"

#include <QTimer>

namespace drover::gui {

class DepthChart;
class QueueHistory;
class QueueLoads;
class QueueTable;
struct QueueDepth;

// How deep each queue is, and was, and what may be done about it. The badge says how many queues there are, or are
// paused.
class QueuesPage final : public TablePage
{
    Q_OBJECT

public:
    // All outlive it.
    QueuesPage(const QueueHistory &history, const QueueLoads &loads, QueueTable &queues, ActionRegistry &actions);

    void showState(const ConnectionState &state) override;

Q_SIGNALS:
    void pauseWanted(const QByteArrayList &queues);
    void resumeWanted(const QByteArrayList &queues);
    void limitWanted(const QByteArray &queue);

protected:
    QString whenEmpty(const ConnectionState &state) const override;
    void activate() override;
    void deactivate() override;

private:
    void count();
    void addVerbs();
    void updateVerbs();
    QByteArrayList selected(bool paused) const; // the queues of the selected rows that are so
    const QueueDepth *current() const; // null: none or several are selected

    const QueueHistory &m_history;
    QueueTable &m_queues;
    DepthChart *m_chart;
    QAction *m_pause;
    QAction *m_resume;
    QAction *m_limit;
    QTimer m_clock; // ages and rates go on while nothing else changes
};

} // namespace drover::gui
