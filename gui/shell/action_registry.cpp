#include "gui/shell/action_registry.h"

#include "gui/shell/page.h"

#include <QAction>
#include <QMenu>

namespace drover::gui {

void ActionRegistry::add(const char *name, QAction *action, const QKeySequence &shortcut, Page *page)
{
    action->setObjectName(QLatin1String(name));
    action->setShortcut(shortcut);
    action->setAutoRepeat(false);
    (page ? page : &m_window)->addAction(action);
    m_entries.append({action, page});
}

QAction *ActionRegistry::add(const char *name, const QIcon &icon, const QString &text, const QKeySequence &shortcut,
                             std::function<void()> act)
{
    auto *const action = new QAction(icon, text, this);
    connect(action, &QAction::triggered, this, std::move(act));
    add(name, action, shortcut);
    return action;
}

QAction *ActionRegistry::find(const QString &name) const
{
    for (const Entry &entry : m_entries) {
        if (entry.action->objectName() == name)
            return entry.action;
    }
    return nullptr;
}

QList<QAction *> ActionRegistry::of(const Page *page) const
{
    QList<QAction *> actions;
    for (const Entry &entry : m_entries) {
        if (entry.page == page)
            actions.append(entry.action);
    }
    return actions;
}

void ActionRegistry::fill(QMenu &menu, const QStringList &names) const
{
    for (const QString &name : names) {
        if (name.isEmpty())
            menu.addSeparator();
        else if (QAction *const action = find(name))
            menu.addAction(action);
    }
}

} // namespace drover::gui
