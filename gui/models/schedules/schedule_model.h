#pragma once

#include "gui/data/entity.h"
#include "gui/data/schedule_row.h"
#include "gui/models/snapshot_model.h"

#include <QHash>

namespace drover::gui {

// The recurring jobs, with their next and last runs. A run that the master has not seen to in time is late.
class ScheduleModel final : public SnapshotModel<ScheduleRow, QByteArray>
{
    Q_OBJECT

public:
    enum Column { Name, State, Next, Last, LastJob, Missed, When, Zone, Queue, Command };
    enum class Condition { Active, Paused, Late, Malformed };

    explicit ScheduleModel(QObject *parent = nullptr);

    Condition condition(int index) const { return conditionOf(row(index)); }
    qint64 next(int index) const { return m_next.value(row(index).stored.name); } // 0: none; ms of the Unix epoch
    // The runs since the last one that submitted no job. The job before had not ended, or there was no master and they
    // were not caught up. At most MostMissed are counted. None of one that is paused, or that had no run since
    // it was resumed.
    std::vector<qint64> missed(int index) const { return missedOf(row(index)); }
    static constexpr std::size_t MostMissed = 100;
    int count(Condition condition) const;
    // The runs from now until then, at most `most` of them, in order. None of one that is paused.
    std::vector<qint64> runsUntil(int index, qint64 end, std::size_t most) const;

public Q_SLOTS:
    void show(const QList<drover::gui::ScheduleRow> &rows);
    void refresh(); // time has passed

Q_SIGNALS:
    void shown();

protected:
    QByteArray keyOf(const ScheduleRow &row) const override { return row.stored.name; }
    QVariant cell(const ScheduleRow &row, int column, int role) const override;

private:
    Condition conditionOf(const ScheduleRow &row) const;
    void countMissed(const QList<ScheduleRow> &rows);
    const std::vector<qint64> &missedOf(const ScheduleRow &row) const;
    QString text(const ScheduleRow &row, int column) const;
    QString stateText(const ScheduleRow &row) const;
    static QList<EntityRef> entities(const ScheduleRow &row);

    std::chrono::milliseconds m_now{};
    QHash<QByteArray, qint64> m_next;
    // Counted once for each change of a schedule: each may need a hundred steps through the calendar.
    struct Counted {
        int version = -1; // of the node that was counted
        QByteArray data;
        std::vector<qint64> runs;
    };
    QHash<QByteArray, Counted> m_missed; // by schedule
};

} // namespace drover::gui
