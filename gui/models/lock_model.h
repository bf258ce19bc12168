#pragma once

#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

namespace drover::gui {

// Every lock of the cluster, with its holder and then its waiters in the order in which they will get it.
class LockModel final : public SnapshotModel<LockRow, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Lock, Place, Who, Session, Since, ColumnCount };

    using SnapshotModel::SnapshotModel;

    int columnCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

public Q_SLOTS:
    void show(const QList<drover::gui::LockRow> &rows) { apply(rows); }

protected:
    QByteArray keyOf(const LockRow &row) const override { return row.lock + '/' + row.ticket; }

private:
    QString text(const LockRow &row, int column) const;
};

} // namespace drover::gui
