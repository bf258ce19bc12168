#include "gui/models/job_filter.h"

#include "gui/models/job_model.h"

#include <algorithm>

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
    const JobRow &job = static_cast<const JobModel *>(sourceModel())->row(row);
    const std::set<jobs::JobState> &states = m_search.states;
    const bool mayFit = job.endUnknown() && std::any_of(states.begin(), states.end(), jobs::isFinal);
    if (!states.empty() && !states.contains(job.state) && !mayFit)
        return false;
    return (m_search.tasks || !job.id.isTask()) && job.contains(m_search.text);
}

} // namespace drover::gui
