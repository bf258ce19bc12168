#pragma once

#include <QTreeView>

class QSortFilterProxyModel;

namespace drover::gui {

class EmptyState;
class ToneDelegate;

// A table of the console. A click on a header sorts it. It selects whole rows, has uniform row heights and cells
// coloured by their tone, and explains why it is empty.
class TableView final : public QTreeView
{
    Q_OBJECT

public:
    // A `model` that is a proxy sorts by itself; any other gets a sorting proxy. `dotColumn`: see ToneDelegate.
    TableView(QAbstractItemModel *model, int dotColumn, QWidget *parent = nullptr);

    void say(const QString &whenEmpty);
    // Paints the rows as out of date.
    void setStale(bool stale);
    // While the table is not seen it neither sorts nor filters what changes; when it is woken it does both at once.
    void setAwake(bool awake);
    // Widths of the columns in characters; a column of width 0 takes the remaining width.
    void setColumnWidths(const QList<int> &characters);
    // Columns that are hidden, from the first on, while the table is too narrow for the column of width 0 to be read.
    void setSpareColumns(const QList<int> &columns);
    void showColumn(int column, bool shown); // one that is not spare
    // The row of the source model, or -1.
    int sourceRow(const QModelIndex &index) const;

    QByteArray saveColumns() const;
    void restoreColumns(const QByteArray &state);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fitColumns();
    void copySelection();

    QList<int> m_spare;
    QSortFilterProxyModel *m_proxy;
    ToneDelegate *m_delegate;
    EmptyState *m_empty;
};

} // namespace drover::gui
