#pragma once

#include "gui/shell/action_registry.h"
#include "gui/shell/page.h"
#include "gui/text/counted.h"

class QAction;
class QHBoxLayout;
class QKeySequence;
class QLineEdit;

namespace drover::gui {

class TableView;

// A page that is a table. It keeps the columns, the order and the filter, and explains why the table is empty. The
// table sleeps with the page. Copies and a file of its rows are registered as actions.
class TablePage : public Page
{
    Q_OBJECT

public:
    TableView &table() const { return *m_table; }
    // Selects the row whose first cell is that text. False: there is none.
    bool selectRow(const QString &text);
    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

protected:
    // The subclass puts `table` into a layout of the page, or calls layOut().
    TablePage(const QString &name, const QString &title, TableView *table, ActionRegistry &actions);

    // Fills the page with `above`, if there is one, a bar and the table. The bar begins with a field that filters the
    // table; widgets that are added to it follow.
    QHBoxLayout *layOut(const QString &filterTitle, QWidget *above = nullptr);
    // An action of the page on its rows, which the menu of a row offers, too.
    void addVerb(const char *name, QAction *verb, const QKeySequence &shortcut = {},
                 const ActionRegistry::Need &need = {});
    // Enables the verb if it has something to act on. Its text is `ofSeveral` for more than one, with how many for %1.
    static void offer(QAction *verb, qint64 count, Things things, const QString &ofOne, const QString &ofSeveral);
    // Places of the selected rows in the model of the table, in the order of the table.
    QList<int> selectedRows() const;
    int selectedRow() const; // -1: none or several are selected
    // What an empty table says while nothing is wrong with the connection.
    virtual QString whenEmpty(const ConnectionState &state) const = 0;
    virtual void sayWhenEmpty(const QString &text);
    // What the text of the field does; by default it filters the cells.
    virtual void filterBy(const QString &text);

    QWidget *mainPart() const override;
    void activate() override;
    void deactivate() override;

private:
    void sayWhyEmpty();

    ActionRegistry &m_actions;
    TableView *m_table;
    QLineEdit *m_filter = nullptr; // none without layOut()
    QString m_whenEmpty;
};

} // namespace drover::gui
