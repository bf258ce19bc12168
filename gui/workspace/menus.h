#pragma once

#include <QList>

class QMenu;
class QWidget;

namespace drover::gui {

class ActionRegistry;
class Shell;

// The menus of a workspace, with the actions that are registered, in the order of the menu bar; children of `owner`. A
// page has a menu of its own, which is seen while the page is. `looks` choose how all windows look.
QList<QMenu *> newMenus(QWidget &owner, Shell &shell, const ActionRegistry &actions, QMenu *colors,
                        const QList<QMenu *> &looks);

} // namespace drover::gui
