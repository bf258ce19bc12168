#pragma once

#include <QTreeView>

class QSortFilterProxyModel;

namespace drover::gui {

class EmptyState;

// The tables of the console: flat, sorted by a click on a header, whole rows selected, uniform row heights, cells
// painted by their tone, and something to read when empty.
class TableView final : public QTreeView
{
    Q_OBJECT

public:
    // `model` sorts by itself if it is a proxy, else one that sorts is put before it. `dotColumn`: see ToneDelegate.
    TableView(QAbstractItemModel *model, int dotColumn, QWidget *parent = nullptr);

    void say(const QString &whenEmpty);
    // Widths for the columns, in characters; the one given as 0 takes what is left.
    void setColumnWidths(const QList<int> &characters);
    // The row of the source model, or -1.
    int sourceRow(const QModelIndex &index) const;

    QByteArray saveColumns() const;
    void restoreColumns(const QByteArray &state);

private:
    void copySelection();

    QSortFilterProxyModel *m_proxy;
    EmptyState *m_empty;
};

} // namespace drover::gui
