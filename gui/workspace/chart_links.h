#pragma once

#include "gui/charts/load_keeper.h"
#include "gui/feeds/console_session.h"

#include <QTimer>

namespace drover::gui {

class LoadHistory;

// Samples how busy the cluster is while it is connected. After keepIn() it keeps the samples of each cluster, and
// gives the history what was kept before. Lives on the GUI thread; the file is LoadKeeper's.
class ChartLinks final : public QObject
{
    Q_OBJECT

public:
    // Both outlive it.
    ChartLinks(LoadHistory &load, ConsoleSession &session, QObject *parent);

    void keepIn(const QString &path); // before the first connection
    void setTarget(const Target &target); // what was sampled of another is dropped

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);
    void keepWanted(const QString &cluster, const drover::gui::LoadSample &sample);
    void readWanted(int request, const QString &cluster);

private:
    LoadHistory &m_load;
    std::shared_ptr<LoadThread> m_thread; // null: nothing is kept
    QString m_cluster; // as the file calls it
    int m_request = 0; // the latest
    QTimer m_timer;
};

} // namespace drover::gui
