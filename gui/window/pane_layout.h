#pragma once

class QDockWidget;
class QMainWindow;

namespace drover::gui {

// The panes of a console's window, beside the jobs in its middle.
struct Panes {
    QDockWidget *znodes;
    QDockWidget *node;
    QDockWidget *queues;
    QDockWidget *workers;
    QDockWidget *locks;
};

// Shows all panes in their default places. In a window that is too low for all of them they share two places, as tabs.
void layOutPanes(QMainWindow &window, const Panes &panes);

} // namespace drover::gui
