#include "gui/models/job_filter.h"

#include "gui/models/job_model.h"

namespace drover::gui {

using jobs::JobId;

JobFilter::JobFilter(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(SortRole);
}

// Its own slots come first: the base sorts when rows come.
void JobFilter::setSourceModel(QAbstractItemModel *model)
{
    const auto forget = [this] { m_known = false; };
    connect(model, &QAbstractItemModel::rowsInserted, this, forget);
    connect(model, &QAbstractItemModel::rowsRemoved, this, forget);
    connect(model, &QAbstractItemModel::modelReset, this, forget);
    QSortFilterProxyModel::setSourceModel(model);
    // A task follows its array, also if only the array has changed.
    connect(static_cast<JobModel *>(model), &JobModel::shown, this, [this] {
        if (!m_open.isEmpty() && dynamicSortFilter())
            invalidate();
    });
}

const JobModel &JobFilter::jobs() const
{
    return *static_cast<const JobModel *>(sourceModel());
}

void JobFilter::lookAtRows() const
{
    if (std::exchange(m_known, true))
        return;
    m_rows.clear();
    m_withTasks.clear();
    for (int row = 0; row < jobs().rowCount(); ++row) {
        const JobId &id = jobs().row(row).id;
        m_rows.insert(id, row);
        if (id.isTask())
            m_withTasks.insert(id.array());
    }
}

int JobFilter::rowOf(const JobId &id) const
{
    lookAtRows();
    return m_rows.value(id, -1);
}

void JobFilter::search(const JobSearch &search)
{
    m_search = search;
    invalidateRowsFilter();
}

void JobFilter::setOpen(const JobId &array, bool open)
{
    if (open)
        m_open.insert(array);
    else
        m_open.remove(array);
    invalidate();
}

std::optional<JobFilter::Fold> JobFilter::foldOf(const JobId &id) const
{
    lookAtRows();
    if (m_search.tasks)
        return {}; // they stand beside their arrays
    if (id.isTask())
        return Fold::Task;
    if (!m_withTasks.contains(id))
        return {};
    return m_open.contains(id) ? Fold::Open : Fold::Closed;
}

QVariant JobFilter::data(const QModelIndex &index, int role) const
{
    if (role != FoldRole)
        return QSortFilterProxyModel::data(index, role);
    const std::optional<Fold> fold =
        index.column() == JobModel::Id ? foldOf(jobs().row(mapToSource(index).row()).id) : std::nullopt;
    return fold ? QVariant(int(*fold)) : QVariant();
}

bool JobFilter::filterAcceptsRow(int row, const QModelIndex &) const
{
    const JobRow &job = jobs().row(row);
    if (m_search.tasks || !job.id.isTask())
        return m_search.fits(job);
    const int array = rowOf(job.id.array());
    return m_open.contains(job.id.array()) && array >= 0 && m_search.fits(jobs().row(array));
}

JobId JobFilter::groupOf(const JobId &id) const
{
    const bool isFolded = id.isTask() && !m_search.tasks && m_open.contains(id.array()) && rowOf(id.array()) >= 0;
    return isFolded ? id.array() : id;
}

bool JobFilter::isBefore(const JobId &a, const JobId &b) const
{
    if (a.isTask() != b.isTask())
        return !a.isTask();
    const auto failed = [this](const JobId &id) { return jobs().row(rowOf(id)).state == jobs::JobState::Failed; };
    const bool aFailed = failed(a);
    return aFailed != failed(b) ? aFailed : a < b;
}

bool JobFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const JobId &a = jobs().row(left.row()).id;
    const JobId &b = jobs().row(right.row()).id;
    const JobId groupA = groupOf(a);
    const JobId groupB = groupOf(b);
    if (groupA == groupB)
        return sortOrder() == Qt::AscendingOrder ? isBefore(a, b) : isBefore(b, a);
    const QModelIndex first = groupA == a ? left : left.siblingAtRow(rowOf(groupA));
    const QModelIndex second = groupB == b ? right : right.siblingAtRow(rowOf(groupB));
    if (QSortFilterProxyModel::lessThan(first, second))
        return true;
    if (QSortFilterProxyModel::lessThan(second, first))
        return false;
    // As the history does, and so that no two groups mix.
    const qint64 sinceA = jobs().row(first.row()).since;
    const qint64 sinceB = jobs().row(second.row()).since;
    return sinceA != sinceB ? sinceA < sinceB : groupA < groupB;
}

} // namespace drover::gui
