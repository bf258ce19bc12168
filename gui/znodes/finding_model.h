#pragma once

#include "gui/data/znode_search.h"

#include <QAbstractTableModel>

namespace drover::gui {

// What a search has found, in the order in which it was found.
class FindingModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Path, Excerpt, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void clear();
    void add(const QList<ZnodeFinding> &found);
    const zk::Path &path(int row) const { return m_found[row].path; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<ZnodeFinding> m_found;
};

} // namespace drover::gui
