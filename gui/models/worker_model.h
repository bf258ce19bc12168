#pragma once

#include "gui/data/entity.h"
#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

#include <QMap>

namespace drover::gui {

// The members of the cluster; the master is marked.
class WorkerModel final : public SnapshotModel<WorkerRow, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Worker, State, Running, Queues, Labels, Memory, Host, Since, Pid };

    explicit WorkerModel(QObject *parent = nullptr);

    WorkerLoad load(int index) const { return loadOf(row(index)); }
    WorkerLoad loadOf(const WorkerRow &worker) const { return m_loads.value(QString::fromUtf8(worker.id)); }
    // It is ordered to begin no more jobs, or still obeys such an order.
    static bool isCordoned(const WorkerRow &worker);
    bool hasLabels() const; // one of them has
    const WorkerRow *master() const; // until the next snapshot; null: none is shown
    bool isDrained(int index) const; // it obeys a cordon and has no job any more

public Q_SLOTS:
    void show(const QList<drover::gui::WorkerRow> &rows) { apply(rows); }
    void showLoads(const QMap<QString, drover::gui::WorkerLoad> &loads);

protected:
    QByteArray keyOf(const WorkerRow &row) const override { return row.id; }
    QVariant cell(const WorkerRow &worker, int column, int role) const override;

private:
    QVariant text(const WorkerRow &worker, int column) const;
    QString stateText(const WorkerRow &worker) const;
    Tone stateTone(const WorkerRow &worker) const;
    QList<EntityRef> entities(const WorkerRow &row) const;
    QString toolTip(const WorkerRow &worker, int column) const;

    QMap<QString, WorkerLoad> m_loads;
};

} // namespace drover::gui
