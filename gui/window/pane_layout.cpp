#include "gui/window/pane_layout.h"

#include <QDockWidget>
#include <QMainWindow>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr int RoomForAll = 700; // pixels of height in which all panes can be seen at once

void layOutTabs(QMainWindow &window, const Panes &panes)
{
    window.tabifyDockWidget(panes.znodes, panes.node);
    window.tabifyDockWidget(panes.queues, panes.workers);
    window.tabifyDockWidget(panes.workers, panes.locks);
    panes.znodes->raise();
    panes.workers->raise();
    window.resizeDocks({panes.queues}, {window.height() / 3}, Qt::Vertical);
}

void layOutSideBySide(QMainWindow &window, const Panes &panes)
{
    const auto &[znodes, node, queues, workers, locks] = panes;
    window.splitDockWidget(znodes, node, Qt::Vertical);
    window.splitDockWidget(queues, workers, Qt::Horizontal);
    window.splitDockWidget(workers, locks, Qt::Vertical);
    const int left = std::min(360, window.width() / 4); // the jobs need the rest of a small window
    const int rest = window.width() - left;
    const int bottom = std::min(380, window.height() * 2 / 5);
    window.resizeDocks({znodes, queues}, {left, rest * 2 / 5}, Qt::Horizontal);
    window.resizeDocks({queues, workers}, {rest * 2 / 5, rest * 3 / 5}, Qt::Horizontal);
    window.resizeDocks({znodes, node}, {360, 420}, Qt::Vertical);
    window.resizeDocks({queues}, {bottom}, Qt::Vertical);
    window.resizeDocks({workers, locks}, {bottom * 9 / 19, bottom * 10 / 19}, Qt::Vertical);
}

} // namespace

void layOutPanes(QMainWindow &window, const Panes &panes)
{
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    for (QDockWidget *const dock : {panes.znodes, panes.node, panes.queues, panes.workers, panes.locks}) {
        dock->setFloating(false);
        dock->show();
    }
    window.addDockWidget(Qt::LeftDockWidgetArea, panes.znodes);
    window.addDockWidget(Qt::BottomDockWidgetArea, panes.queues);
    if (window.height() < RoomForAll)
        layOutTabs(window, panes);
    else
        layOutSideBySide(window, panes);
}

} // namespace drover::gui
