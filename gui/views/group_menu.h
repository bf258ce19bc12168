#pragma once

#include <QMenu>

namespace drover::gui {

class JobPane;

// What the jobs of the table are grouped by, as a menu. The object names of its actions are their names in the
// registry.
class GroupMenu final : public QMenu
{
    Q_OBJECT

public:
    explicit GroupMenu(JobPane &pane, QWidget *parent = nullptr); // the pane outlives it
};

} // namespace drover::gui
