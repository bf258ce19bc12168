#pragma once

#include <QFrame>
#include <QPointer>

class QAction;
class QLineEdit;
class QTreeWidget;

namespace drover::gui {

class ActionRegistry;
class Page;

// A list of all actions of the window and of its page, over the window. Typing filters it, Enter carries one out, and
// Esc closes it. An action that cannot be carried out now is grey; one that the user may not do says why.
class CommandPalette final : public QFrame
{
    Q_OBJECT

public:
    CommandPalette(const ActionRegistry &actions, QWidget &window);

    void open(const Page *page); // null: the actions of the window alone
    void close(); // and gives the keyboard back

    // The label without its mnemonic, behind the title of its page if it has one.
    static QString labelOf(const QAction &action, const Page *page);
    // 0: it does not fit; more is better. Each word that was typed must be in the label.
    static int fit(const QString &label, const QString &typed);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Entry {
        QString label;
        QAction *action;
    };

    void place();
    void filter();
    void trigger();

    const ActionRegistry &m_actions;
    QList<Entry> m_entries;
    QLineEdit *m_text;
    QTreeWidget *m_list;
    QPointer<QWidget> m_before; // that had the keyboard
};

} // namespace drover::gui
