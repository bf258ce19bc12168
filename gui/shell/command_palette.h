#pragma once

#include "gui/data/entity.h"

#include <QFrame>
#include <QPointer>

#include <functional>

class QAction;
class QLineEdit;
class QToolButton;
class QTreeWidget;

namespace drover::gui {

class ActionRegistry;
class Page;

// A list of all actions of the window and of its page, over the window. It also finds things of the cluster by name.
// Typing filters it, Enter carries one out, and Esc closes it. An action that cannot be carried out now is grey; one
// that the user may not do says why.
class CommandPalette final : public QFrame
{
    Q_OBJECT

public:
    CommandPalette(const ActionRegistry &actions, QWidget &window);

    using Finder = std::function<QList<EntityRef>(const QString &typed)>;
    void setFinder(Finder finder) { m_finder = std::move(finder); }
    void open(const Page *page); // null: the actions of the window alone
    void close(); // and gives the keyboard back

    // A button that says that there is a palette, and its keys. The keyboard stays where it is.
    static QToolButton *newButton();

    // The label without its mnemonic, behind the title of its page if it has one.
    static QString labelOf(const QAction &action, const Page *page);
    // 0: it does not fit; more is better. Each word that was typed must be in the label.
    static int fit(const QString &label, const QString &typed);

Q_SIGNALS:
    void entityWanted(const drover::gui::EntityRef &entity);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Entry {
        QString label;
        QAction *action;
    };

    void place();
    void filter();
    void addItem(const Entry &entry);
    void addItem(const EntityRef &entity);
    void trigger();

    const ActionRegistry &m_actions;
    QList<Entry> m_entries;
    Finder m_finder;
    QLineEdit *m_text;
    QTreeWidget *m_list;
    QPointer<QWidget> m_before; // that had the keyboard
};

} // namespace drover::gui
