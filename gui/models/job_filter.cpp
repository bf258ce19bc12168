#include "gui/models/job_filter.h"

#include "gui/models/job_model.h"

namespace drover::gui {

JobFilter::JobFilter(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(SortRole);
}

void JobFilter::search(const JobSearch &search)
{
    m_search = search;
    invalidateRowsFilter();
}

bool JobFilter::filterAcceptsRow(int row, const QModelIndex &) const
{
    return m_search.fits(static_cast<const JobModel *>(sourceModel())->row(row));
}

} // namespace drover::gui
