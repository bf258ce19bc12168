#include "gui/models/job_filter.h"

#include "gui/models/job_model.h"

#include <algorithm>

namespace drover::gui {

JobFilter::JobFilter(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(SortRole);
}

void JobFilter::setStates(std::set<jobs::JobState> states)
{
    m_states = std::move(states);
    invalidateRowsFilter();
}

void JobFilter::setText(const QString &text)
{
    m_text = text.trimmed();
    invalidateRowsFilter();
}

bool JobFilter::filterAcceptsRow(int row, const QModelIndex &) const
{
    const JobRow &job = static_cast<const JobModel *>(sourceModel())->row(row);
    const bool mayFit = job.endUnknown() && std::any_of(m_states.begin(), m_states.end(), jobs::isFinal);
    if (!m_states.empty() && !m_states.contains(job.state) && !mayFit)
        return false;
    const auto contains = [&](const QString &text) { return text.contains(m_text, Qt::CaseInsensitive); };
    return m_text.isEmpty() || contains(job.id.toString()) || contains(job.name) || contains(job.worker)
        || contains(job.command.join(u' '));
}

} // namespace drover::gui
