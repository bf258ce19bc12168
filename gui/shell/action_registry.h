#pragma once

#include "trust/need.h"

#include <QKeySequence>
#include <QObject>

#include <functional>

class QAction;
class QIcon;
class QMenu;

namespace drover::gui {

class Gateway;
class Page;

// Every action of the window and of its pages. Menus and the command palette are views of it.
//
// 1. An action has a name that lasts, such as "job.cancel"; it is the object's name. One that comes without an icon
//    gets that of its name.
// 2. The shortcut of a page's action acts while that page is seen, in whichever window.
// 3. An action that changes something says what that needs. While the gateway refuses it, it is disabled, and its tool
//    tip says why. The page that owns it enables and disables it without regard to that.
class ActionRegistry final : public QObject
{
    Q_OBJECT

public:
    using Need = std::optional<trust::Need>; // nothing: the action changes nothing

    // Both outlive the registry. Without a gateway no action needs anything. The shortcuts of the actions that are of
    // no page act while `window`, or this part of one, is seen.
    ActionRegistry(QWidget &window, const Gateway *gateway);

    // An action that exists already, of one page or, without a page, of the window. It is forgotten once it is
    // destroyed.
    void add(const char *name, QAction *action, const QKeySequence &shortcut = {}, Page *page = nullptr,
             const Need &need = {});
    // A new one of the window.
    QAction *add(const char *name, const QIcon &icon, const QString &text, const QKeySequence &shortcut,
                 std::function<void()> act, const Need &need = {});

    // Offers those of `other` as its own, too. They act where they did.
    void share(const ActionRegistry &other);

    QAction *find(const QString &name) const; // null: there is none of that name
    // The actions of the window, or of that page, in the order in which they were added.
    QList<QAction *> ofWindow() const { return of(nullptr); }
    QList<QAction *> of(const Page *page) const;
    // Adds the named ones to the menu; an empty name is a separator.
    void fill(QMenu &menu, const QStringList &names) const;

private:
    struct Entry {
        QAction *action;
        const Page *page;
        Need need;
    };

    void obey(const Entry &entry) const;

    QWidget &m_window;
    const Gateway *m_gateway; // or null
    QList<Entry> m_entries;
};

} // namespace drover::gui
