#pragma once

class QMenu;
class QMenuBar;

namespace drover::gui {

class ActionRegistry;
class Shell;

// Fills the menus of the window with the actions that are registered. A page has a menu of its own, which is seen while
// the page is.
void fillMenus(QMenuBar &bar, Shell &shell, const ActionRegistry &actions, QMenu *colors, QMenu *theme);

} // namespace drover::gui
