#pragma once

#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

namespace drover::gui {

// Every lock of the cluster, with its holder and then its waiters in the order in which they will get it.
class LockModel final : public SnapshotModel<LockRow, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Lock, Place, Who, Session, Since };

    explicit LockModel(QObject *parent = nullptr);

    qsizetype lockCount() const;

public Q_SLOTS:
    void show(const QList<drover::gui::LockRow> &rows) { apply(rows); }

protected:
    QByteArray keyOf(const LockRow &row) const override { return row.lock + '/' + row.ticket; }
    QVariant cell(const LockRow &contender, int column, int role) const override;

private:
    QString text(const LockRow &row, int column) const;
};

} // namespace drover::gui
