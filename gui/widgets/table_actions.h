#pragma once

#include "gui/text/table_text.h"

#include <QObject>
#include <QPersistentModelIndex>

class QAction;
class QMenu;

namespace drover::gui {

class TableView;

// The actions on the rows of a table: the verbs of its page, copies of the rows, and their export into a file. The
// header's menu chooses the columns. All of them act on the columns and rows that are shown.
class TableActions final : public QObject
{
    Q_OBJECT

public:
    explicit TableActions(TableView &table);

    void addVerb(QAction *verb) { m_verbs.append(verb); }
    // The copies and the file, in the order of the menu; the copy of a cell is only in the menu of that cell.
    const QList<QAction *> &onRows() const { return m_onRows; }
    void openMenu(const QPoint &globalPosition, const QModelIndex &cell); // an invalid one: beside the rows
    // Writes all rows that are shown. Returns what failed, in one line, or nothing.
    QString exportTo(const QString &path, TableFormat format) const;

private:
    void addCopy(const QString &text, TableFormat format);
    QMenu *newMenu() const;
    void openHeaderMenu(const QPoint &position);
    void askWhereToExport();
    void update();
    TextTable text(bool selectedOnly) const;

    TableView &m_table;
    QList<QAction *> m_verbs;
    QList<QAction *> m_onRows;
    QAction *m_copyCell;
    QPersistentModelIndex m_cell; // of the menu
};

} // namespace drover::gui
