#pragma once

#include "gui/data/entity.h"
#include "gui/data/job_order.h"
#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

namespace drover::gui {

// The jobs of a snapshot, one a row.
class JobModel final : public SnapshotModel<JobRow, jobs::JobId>
{
    Q_OBJECT

public:
    enum Column { State, Id, Name, Command, Comment, WaitsFor, Worker, Since, Attempt, Exit };

    explicit JobModel(QObject *parent = nullptr);

    // Counts all jobs, shown or not; its rows are the rows of this model.
    const JobsSnapshot &snapshot() const { return m_snapshot; }
    bool hasComments() const;
    bool hasWaits() const; // whether any job says what it waits for
    qint64 notShown() const { return m_snapshot.total() - rowCount(); }
    // Jobs that a search has not looked at: neither shown nor read for it, nor in the history, which is searched whole.
    qint64 notSearched() const;
    const JobRow *find(const jobs::JobId &id) const; // until the next snapshot; null if it has no row

    // What the history is sorted by while the table is sorted by that column. Nothing: the history has no such order,
    // and only the rows of the table are sorted.
    static std::optional<JobOrder> orderOf(int column, Qt::SortOrder order);

    // More jobs of the history come when a view has scrolled to its end.
    bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;

public Q_SLOTS:
    void show(const drover::gui::JobsSnapshot &snapshot);

Q_SIGNALS:
    void shown();
    void olderWanted();

protected:
    jobs::JobId keyOf(const JobRow &row) const override { return row.id; }
    QVariant cell(const JobRow &job, int column, int role) const override;

private:
    // What was there of the history when older ones were asked for. A new walk drops what was asked of the one before
    // it.
    struct Awaited {
        qint64 pastRead = 0;
        int pastWalk = 0;
        qsizetype rows = 0; // of the table

        bool isOnItsWay(const JobsSnapshot &later) const;
        bool broughtNothing(const JobsSnapshot &later) const;
    };

    QVariant text(const JobRow &row, int column) const;
    QVariant sortKey(const JobRow &row, int column) const;
    QString toolTip(const JobRow &row, int column) const;
    QList<EntityRef> entities(const JobRow &row) const;

    JobsSnapshot m_snapshot;
    std::optional<Awaited> m_awaited; // nothing: no older ones are on their way
};

QString jobStateText(jobs::JobState state);
Tone jobStateTone(jobs::JobState state);

} // namespace drover::gui
