#pragma once

#include "gui/data/entity.h"
#include "gui/data/snapshots.h"
#include "gui/models/deadlocks.h"
#include "gui/models/snapshot_model.h"

#include <set>

namespace drover::gui {

// Every lock, limit and election of the cluster, with its holder and then its waiters in the order in which they will
// get it. Contenders that are in a deadlock are marked, and so are tickets that no session owns.
class LockModel final : public SnapshotModel<LockRow, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Lock, Kind, Place, Who, Session, Since, For, Fence };

    explicit LockModel(QObject *parent = nullptr);

    // How many locks there are, with the free ones of the cluster. A limit, an election, a semaphore and a double
    // barrier count while they have a holder or a waiter. A closed barrier is no lock, and no waiter there is known.
    qsizetype lockCount() const;
    const QList<Deadlock> &deadlocks() const { return m_deadlocks; }

public Q_SLOTS:
    void show(const QList<drover::gui::LockRow> &rows);
    void showOthers(const QList<drover::gui::LockRow> &rows); // limits and elections
    void showFound(const QList<drover::gui::LockRow> &rows); // outside the cluster's directories
    void showDeadlocks(const QList<drover::gui::Deadlock> &deadlocks);

Q_SIGNALS:
    void deadlocksChanged();

protected:
    QByteArray keyOf(const LockRow &row) const override { return row.lock + '/' + row.ticket; }
    QVariant cell(const LockRow &contender, int column, int role) const override;

private:
    QString text(const LockRow &row, int column) const;
    QList<EntityRef> entities(const LockRow &row) const;
    QString kindText(const LockRow &row) const;
    QString placeText(const LockRow &row) const;
    QString toolTip(const LockRow &row, int column) const;

    void showAll();

    QList<LockRow> m_ofCluster;
    QList<LockRow> m_others;
    QList<LockRow> m_found;
    std::set<QByteArray> m_shared; // the locks in whose line a reader of kazoo stands
    QList<Deadlock> m_deadlocks;
    std::set<QByteArray> m_locked; // the keys of the rows in a deadlock
};

} // namespace drover::gui
