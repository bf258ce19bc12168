#pragma once

#include "gui/charts/load_keeper.h"
#include "gui/feeds/console_session.h"

#include <QTimer>

namespace drover::gui {

class LoadHistory;
class QueueLoads;

// Samples how busy the cluster and its queues are while it is connected. After keepIn() it keeps the samples of each
// cluster, and gives the histories what was kept before. Lives on the GUI thread; the file is LoadKeeper's.
class ChartLinks final : public QObject
{
    Q_OBJECT

public:
    // All outlive it.
    ChartLinks(LoadHistory &load, QueueLoads &queues, ConsoleSession &session, QObject *parent);

    void keepIn(const QString &path); // before the first connection
    void setTarget(const Target &target); // what was sampled of another is dropped

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);
    void keepWanted(const QString &cluster, const drover::gui::LoadSample &sample);
    void readWanted(int request, const QString &cluster);

private:
    QString keyOf(const QByteArray &queue) const; // as the file calls it

    LoadHistory &m_load;
    QueueLoads &m_queues;
    std::shared_ptr<LoadThread> m_thread; // null: nothing is kept
    QString m_cluster; // as the file calls it
    int m_request = 0; // the latest for the cluster
    std::map<int, QByteArray> m_asked; // queues, by the request for what was kept of each
    QTimer m_timer;
};

} // namespace drover::gui
