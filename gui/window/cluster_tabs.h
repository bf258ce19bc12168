#pragma once

#include "gui/data/snapshots.h"
#include "gui/shell/connection_color.h"

#include <QWidget>

class QTabBar;
class QToolButton;

namespace drover::gui {

// What the tab of one workspace says.
struct ClusterTab {
    QString title; // the name of the cluster; empty: none is chosen yet
    QString about; // the cluster and its servers
    SessionStatus::Phase phase = SessionStatus::Phase::Disconnected;
    ConnectionLook look;
    QStringList alerts; // what its pages tell of trouble
};

// The tabs across the window, one for each cluster. Each has a dot in the colour of its session's state, and the colour
// of its connection. It has the number of its pages that tell of trouble, too. The tab of a cluster that may be edited
// is filled and has an open lock. The row is hidden while there is one tab.
class ClusterTabs final : public QWidget
{
    Q_OBJECT

public:
    explicit ClusterTabs(QWidget *parent = nullptr);

    void insert(int index);
    void remove(int index);
    void show(int index, const ClusterTab &tab);
    void setCurrent(int index);

Q_SIGNALS:
    void chosen(int index); // by the user
    void moved(int from, int to);
    void closeWanted(int index);
    void newWanted();

private:
    class Bar;

    Bar *m_bar;
    QToolButton *m_new;
};

} // namespace drover::gui
