#pragma once

#include "gui/data/entity.h"
#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

namespace drover::gui {

// The queues with what waits and runs in each, its limit, and who paused it.
class QueueTable final : public SnapshotModel<QueueDepth, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Queue, Unfinished, Ready, Running, Limit, Paused };

    explicit QueueTable(QObject *parent = nullptr);

public Q_SLOTS:
    void show(const QList<drover::gui::QueueDepth> &queues) { apply(queues); }

protected:
    QByteArray keyOf(const QueueDepth &row) const override { return row.name; }
    QVariant cell(const QueueDepth &queue, int column, int role) const override;

private:
    static qint64 number(const QueueDepth &queue, int column);
};

} // namespace drover::gui
