#pragma once

#include "gui/models/job_grouping.h"

#include <QHash>
#include <QSet>
#include <QSortFilterProxyModel>

namespace drover::gui {

class JobModel;

// The jobs that fit a search, sorted. The tasks of an array are folded into it. Once it is opened they stand below it,
// whatever the table is sorted by: the failed ones first. Jobs of one group stand together and are sorted within it.
// The first of them has the group's title (GroupRole).
class JobFilter final : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    enum class Fold { Closed, Open, Task }; // an array, and a task below its open array
    static constexpr int FoldRole = Qt::UserRole + 64; // int(Fold), of the column of ids; absent: none of these

    explicit JobFilter(QObject *parent = nullptr);

    void setSourceModel(QAbstractItemModel *model) override;
    QVariant data(const QModelIndex &index, int role) const override;
    // A QTreeView fetches with each layout, wherever it is scrolled to: JobScroll asks the model instead.
    bool canFetchMore(const QModelIndex &) const override { return false; }
    void search(const JobSearch &search);
    // Tasks of arrays are left out as a rule, so that alone does not count.
    bool isFiltering() const { return !m_search.states.empty() || !m_search.filter.isEmpty(); }

    std::optional<Fold> foldOf(const jobs::JobId &id) const;
    void setOpen(const jobs::JobId &array, bool open);
    Grouping grouping() const { return m_grouping; }
    void group(Grouping by);

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    const JobModel &jobs() const;
    void lookAtRows() const;
    int rowOf(const jobs::JobId &id) const; // in the source; -1: none
    jobs::JobId leadOf(const jobs::JobId &id) const; // its array, if that is open and shown; or itself
    bool isBefore(const jobs::JobId &a, const jobs::JobId &b) const; // of one array
    QString groupAt(int row) const; // of a row of this model; a task is where its array is
    bool beginsGroup(int row) const;
    QString sizeOf(const QString &group) const;

    JobSearch m_search;
    QSet<jobs::JobId> m_open;
    Grouping m_grouping = Grouping::None;
    mutable QHash<QString, int> m_sizes; // of the groups, without folded tasks; empty: they are not counted yet
    mutable bool m_known = false; // the two below are those of the present rows
    mutable QHash<jobs::JobId, int> m_rows;
    mutable QSet<jobs::JobId> m_withTasks; // arrays
};

} // namespace drover::gui
