#pragma once

#include "gui/data/entity.h"
#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

#include <deque>
#include <functional>

namespace drover::gui {

// The queues with what waits and runs in each, its limit, and who paused it. It says how long the oldest ready job
// waits. Its rates are of the last minute, and are not known in the first seconds of a session.
class QueueTable final : public SnapshotModel<QueueDepth, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Queue, Unfinished, Ready, Waiting, Running, Oldest, Came, Left, Limit, Paused };
    using Clock = std::function<qint64()>; // ms of the Unix epoch

    explicit QueueTable(QObject *parent = nullptr, Clock clock = {});

public Q_SLOTS:
    void show(const QList<drover::gui::QueueDepth> &queues);
    void refresh(); // time has passed

protected:
    QByteArray keyOf(const QueueDepth &row) const override { return row.name; }
    QVariant cell(const QueueDepth &queue, int column, int role) const override;

private:
    // The counters of a queue at a moment.
    struct Count {
        qint64 at = 0;
        qint64 came = 0;
        qint64 left = 0;
    };

    void count(const QueueDepth &queue);
    std::optional<qint64> rate(const QueueDepth &queue, qint64 Count::*counter) const; // jobs a minute
    std::optional<qint64> number(const QueueDepth &queue, int column) const;

    const Clock m_clock;
    QHash<QByteArray, std::deque<Count>> m_counts; // of the last minute, by queue
};

} // namespace drover::gui
