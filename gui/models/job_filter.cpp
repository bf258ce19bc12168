#include "gui/models/job_filter.h"

#include "gui/models/job_model.h"
#include "gui/text/counted.h"

namespace drover::gui {

using jobs::JobId;

JobFilter::JobFilter(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(SortRole);
    const auto recount = [this] { m_sizes.clear(); };
    connect(this, &QAbstractItemModel::rowsInserted, this, recount);
    connect(this, &QAbstractItemModel::rowsRemoved, this, recount);
    connect(this, &QAbstractItemModel::modelReset, this, recount);
    connect(this, &QAbstractItemModel::layoutChanged, this, recount);
    connect(this, &QAbstractItemModel::dataChanged, this, recount);
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

void JobFilter::group(Grouping by)
{
    if (by == std::exchange(m_grouping, by))
        return;
    m_sizes.clear();
    invalidate();
}

QString JobFilter::groupAt(int row) const
{
    const int own = mapToSource(index(row, 0)).row();
    const JobId &id = jobs().row(own).id;
    const JobId lead = leadOf(id);
    return groupOf(jobs().row(lead == id ? own : rowOf(lead)), m_grouping);
}

bool JobFilter::beginsGroup(int row) const
{
    return m_grouping != Grouping::None && row >= 0 && (row == 0 || groupAt(row) != groupAt(row - 1));
}

// Of a history that is not shown to its end there may be more of it.
QString JobFilter::sizeOf(const QString &group) const
{
    if (m_sizes.isEmpty()) {
        for (int row = 0; row < rowCount(); ++row) {
            const JobId &id = jobs().row(mapToSource(index(row, 0)).row()).id;
            m_sizes[groupAt(row)] += leadOf(id) == id ? 1 : 0;
        }
    }
    const QString size = counted(m_sizes.value(group), Things::Jobs);
    return jobs().notShown() > 0 ? tr("%1 in the table", "jobs").arg(size) : size;
}

QVariant JobFilter::data(const QModelIndex &index, int role) const
{
    if (role == GroupRole && beginsGroup(index.row()))
        return groupTitle(groupAt(index.row()), m_grouping);
    if (role == GroupSizeRole && beginsGroup(index.row()))
        return sizeOf(groupAt(index.row()));
    if (role == Qt::AccessibleDescriptionRole && beginsGroup(index.row())) // a title is no cell
        return tr("The first job of the group %1: %2", "group, its size")
            .arg(data(index, GroupRole).toString(), data(index, GroupSizeRole).toString());
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

JobId JobFilter::leadOf(const JobId &id) const
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
    const JobId leadA = leadOf(a);
    const JobId leadB = leadOf(b);
    if (leadA == leadB)
        return sortOrder() == Qt::AscendingOrder ? isBefore(a, b) : isBefore(b, a);
    const QModelIndex first = leadA == a ? left : left.siblingAtRow(rowOf(leadA));
    const QModelIndex second = leadB == b ? right : right.siblingAtRow(rowOf(leadB));
    if (m_grouping != Grouping::None) { // the groups stay in their order
        const QString groupA = groupOf(jobs().row(first.row()), m_grouping);
        const QString groupB = groupOf(jobs().row(second.row()), m_grouping);
        if (groupA != groupB)
            return isGroupBefore(groupA, groupB) == (sortOrder() == Qt::AscendingOrder);
    }
    if (QSortFilterProxyModel::lessThan(first, second))
        return true;
    if (QSortFilterProxyModel::lessThan(second, first))
        return false;
    // As the history does, and so that no two arrays mix.
    const qint64 sinceA = jobs().row(first.row()).since;
    const qint64 sinceB = jobs().row(second.row()).since;
    return sinceA != sinceB ? sinceA < sinceB : leadA < leadB;
}

} // namespace drover::gui
