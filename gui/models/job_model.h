#pragma once

#include "gui/data/entity.h"
#include "gui/data/job_order.h"
#include "gui/data/snapshots.h"
#include "gui/models/snapshot_model.h"

#include <QSet>

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

    // More jobs of the history come when a view is scrolled to its end (JobScroll). Once there are MaxPastRows, the
    // first of them go. That is so only while a view shows them in the order of the history; else no more come.
    bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;
    void setInOrder(bool inOrder);
    bool isInOrder() const { return m_isInOrder; }
    bool isFull() const; // no more come, although the history has more
    // The jobs that have gone before JobsSnapshot::pastFirst come back, or the newest do.
    void fetchEarlier();
    void fetchFirst();
    // Ended jobs that stay when others take their places: the selected ones. If they are as many as MaxPastRows, no
    // more come.
    void keep(const QSet<jobs::JobId> &jobs);

public Q_SLOTS:
    void show(const drover::gui::JobsSnapshot &snapshot);

Q_SIGNALS:
    void aboutToShow(); // the rows are still those of the snapshot before
    void shown(); // also when isFull() has become another, while the rows are as they were
    void olderWanted();
    void earlierWanted();
    void firstWanted();

protected:
    jobs::JobId keyOf(const JobRow &row) const override { return row.id; }
    QVariant cell(const JobRow &job, int column, int role) const override;

private:
    // What was there of the history when older ones were asked for. A new walk drops what was asked of the one before
    // it.
    struct Awaited {
        qint64 pastRead = 0;
        int pastWalk = 0;
        qint64 rows = 0; // of the table, and those whose places others have taken

        bool isOnItsWay(const JobsSnapshot &later) const;
        bool broughtNothing(const JobsSnapshot &later) const;
    };

    QList<JobRow> keptOf(const JobsSnapshot &next) const;
    QVariant text(const JobRow &row, int column) const;
    QVariant sortKey(const JobRow &row, int column) const;
    QString toolTip(const JobRow &row, int column) const;
    QList<EntityRef> entities(const JobRow &row) const;

    JobsSnapshot m_snapshot;
    qint64 m_sentRows = 0; // as Awaited::rows
    std::optional<Awaited> m_awaited; // nothing: no older ones are on their way
    bool m_awaitsEarlier = false;
    bool m_isInOrder = false;
    QSet<jobs::JobId> m_kept;
};

QString jobStateText(jobs::JobState state);
Tone jobStateTone(jobs::JobState state);

} // namespace drover::gui
