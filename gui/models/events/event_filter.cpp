#include "gui/models/events/event_filter.h"

#include "gui/models/events/event_model.h"

namespace drover::gui {

EventFilter::EventFilter(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(SortRole);
}

void EventFilter::setRule(const EventRule &rule)
{
    m_rule = rule;
    invalidateRowsFilter();
}

bool EventFilter::filterAcceptsRow(int row, const QModelIndex &) const
{
    return m_rule.fits(static_cast<const EventModel *>(sourceModel())->row(row));
}

} // namespace drover::gui
