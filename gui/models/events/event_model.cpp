#include "gui/models/events/event_model.h"

#include "gui/models/job_model.h"
#include "gui/text/format.h"
#include "text/printable.h"

#include <algorithm>

namespace drover::gui {

namespace {

Tone toneOf(const EventRow &row)
{
    if (row.bad)
        return Tone::Bad;
    if (row.event == u"ended" || row.event == u"lock-taken" || row.event == u"server-changed")
        return Tone::Good;
    if (row.event == u"started" || row.event == u"claimed" || row.event == u"master-elected")
        return Tone::Busy;
    if (row.event.endsWith(u"waits") || row.event.endsWith(u"paused") || row.event == u"worker-cordoned")
        return Tone::Waiting;
    return Tone::Muted;
}

// Of a job as the table of the jobs has it.
QString stateText(const EventRow &row)
{
    constexpr jobs::JobState States[] = {jobs::JobState::Held,     jobs::JobState::Waiting,   jobs::JobState::Ready,
                                         jobs::JobState::Running,  jobs::JobState::Succeeded, jobs::JobState::Failed,
                                         jobs::JobState::Cancelled};
    const auto *const state = std::find_if(std::begin(States), std::end(States), [&](jobs::JobState one) {
        return row.about == EventRow::About::Job && jobs::stateName(one) == row.state;
    });
    return state == std::end(States) ? row.state : jobStateText(*state);
}

} // namespace

QString EventModel::text(const EventRow &row, int column)
{
    switch (column) {
    case Time:
        return formatSince(row.at);
    case Event:
        return row.event;
    case Subject:
        return text::printable(row.subject);
    case Queue:
        return text::printable(row.queue);
    case State:
        return stateText(row);
    case Detail:
        return text::printable(row.detail);
    }
    return {};
}

QVariant EventModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const EventRow &event = row(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(event, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(index.column() == Time ? formatInstantAndAge(event.at) : text(event, index.column()));
    case ToneRole:
        return index.column() == Event || (event.bad && index.column() == State) ? QVariant(int(toneOf(event)))
                                                                                 : QVariant();
    case EntitiesRole:
        return event.entity().isNull() ? QVariant() : QVariant::fromValue(QList<EntityRef>{event.entity()});
    case SortRole:
        return index.column() == Time ? QVariant(m_first + index.row()) : QVariant(text(event, index.column()));
    }
    return {};
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    // In the order of Column.
    static const char *const titles[] = {QT_TR_NOOP("Time"),  QT_TR_NOOP("Event"), QT_TR_NOOP("About"),
                                         QT_TR_NOOP("Queue"), QT_TR_NOOP("State"), QT_TR_NOOP("Detail")};
    const bool isTitle = orientation == Qt::Horizontal && role == Qt::DisplayRole && section >= 0 && section < Columns;
    return isTitle ? tr(titles[section]) : QVariant();
}

void EventModel::add(const QList<EventRow> &events)
{
    const QList<EventRow> fresh = events.last(std::min(events.size(), MaxRows));
    if (fresh.isEmpty())
        return;
    const qsizetype surplus = std::max<qsizetype>(0, qsizetype(m_rows.size()) + fresh.size() - MaxRows);
    if (surplus > 0) {
        beginRemoveRows({}, 0, int(surplus) - 1);
        m_rows.erase(m_rows.begin(), m_rows.begin() + surplus);
        m_first += surplus;
        endRemoveRows();
    }
    beginInsertRows({}, rowCount(), rowCount() + int(fresh.size()) - 1);
    m_rows.insert(m_rows.end(), fresh.begin(), fresh.end());
    endInsertRows();
}

void EventModel::clear()
{
    beginResetModel();
    m_rows.clear();
    m_first = 0;
    endResetModel();
}

} // namespace drover::gui
