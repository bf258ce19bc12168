#pragma once

#include <QList>

class QMenu;
class QMenuBar;

namespace drover::gui {

class ActionRegistry;
class Shell;

// Fills the menus of the window with the actions that are registered. A page has a menu of its own, which is seen while
// the page is. `looks` choose how all windows look.
void fillMenus(QMenuBar &bar, Shell &shell, const ActionRegistry &actions, QMenu *colors, const QList<QMenu *> &looks);

} // namespace drover::gui
