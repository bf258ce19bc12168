#include "gui/models/array_model.h"

#include "gui/text/format.h"
#include "text/printable.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace drover::gui {

using jobs::JobState;

QString taskStateText(TaskState state)
{
    constexpr const char *Texts[TaskStates]{
        // in the order of TaskState
        QT_TRANSLATE_NOOP("drover::gui::ArrayModel", "failed"),
        QT_TRANSLATE_NOOP("drover::gui::ArrayModel", "cancelled"),
        QT_TRANSLATE_NOOP("drover::gui::ArrayModel", "running"),
        QT_TRANSLATE_NOOP("drover::gui::ArrayModel", "waiting"),
        QT_TRANSLATE_NOOP("drover::gui::ArrayModel", "to come"),
        QT_TRANSLATE_NOOP("drover::gui::ArrayModel", "ended"),
        QT_TRANSLATE_NOOP("drover::gui::ArrayModel", "succeeded"),
    };
    return ArrayModel::tr(Texts[std::size_t(state)]);
}

namespace {

TaskState taskState(JobState state)
{
    switch (state) {
    case JobState::Held:
    case JobState::Waiting:
    case JobState::Ready:
        break;
    case JobState::Running:
        return TaskState::Running;
    case JobState::Succeeded:
        return TaskState::Succeeded;
    case JobState::Failed:
        return TaskState::Failed;
    case JobState::Cancelled:
        return TaskState::Cancelled;
    }
    return TaskState::Waiting;
}

bool isGang(const jobs::JobView &job)
{
    const std::optional<jobs::JobSpec> spec = job.spec || !job.record ? job.spec : job.record->jobToResubmit();
    return spec && spec->gang != 0;
}

} // namespace

ArrayModel::ArrayModel(const jobs::JobId &array, QObject *parent)
    : QAbstractListModel(parent), m_array(array), m_asked(Unsuccessful{}), m_answered(Unsuccessful{})
{
}

void ArrayModel::show(const jobs::JobView &job, const jobs::ArrayIndices &indices, const QList<JobRow> &table)
{
    QList<JobRow> ours;
    for (const JobRow &row : table) {
        if (row.id.isTask() && row.id.array() == m_array)
            ours.append(row);
    }
    const bool isSame = m_job && m_indices == indices && ours == m_table && job.state == m_job->state
        && job.progress == m_job->progress && job.record.has_value() == m_job->record.has_value();
    if (isSame)
        return;
    m_job = job;
    m_indices = indices;
    m_table = ours;
    m_known.reset();
    if (job.progress)
        m_known = Unsuccessful{job.progress->failed, job.progress->cancelled};
    else if (job.record)
        m_known = Unsuccessful{job.record->failedTasks, -1};
    judge();
}

void ArrayModel::showEnded(const QList<JobRow> &tasks)
{
    m_ended = tasks;
    m_answered = m_asked;
    judge();
}

void ArrayModel::setOrder(Order order)
{
    if (order != std::exchange(m_order, order))
        arrange(false);
}

// The table of the jobs is newer than the node of the array, so its states are set last.
void ArrayModel::judge()
{
    const bool isNew = m_states.size() != std::size_t(m_indices ? m_indices->count() : 0);
    m_states.assign(std::size_t(m_indices ? m_indices->count() : 0), TaskState::Ended);
    m_about.clear();
    if (m_job && m_job->progress)
        judgeByProgress(*m_job->progress);
    else if (m_job && m_job->record)
        put(m_job->record->neverMade.ranges(), TaskState::Cancelled);
    else
        put({{0, count() - 1}}, TaskState::ToCome);
    judgeByRows(m_ended);
    if (areAllKnown())
        std::replace(m_states.begin(), m_states.end(), TaskState::Ended, TaskState::Succeeded);
    judgeByRows(m_table);
    m_counts = {};
    for (const TaskState state : m_states)
        ++m_counts[std::size_t(state)];
    arrange(isNew);
    Q_EMIT shown();
}

void ArrayModel::judgeByProgress(const jobs::ArrayProgress &progress)
{
    put({{progress.next, count() - 1}}, TaskState::ToCome);
    put(progress.open.ranges(), TaskState::Waiting);
    put(progress.neverMade.ranges(), TaskState::Cancelled);
    put(progress.skipped, TaskState::Cancelled);
}

void ArrayModel::judgeByRows(const QList<JobRow> &rows)
{
    for (const JobRow &row : rows) {
        const std::optional<qint32> place = m_indices ? m_indices->placeOf(row.id.task) : std::nullopt;
        if (!place)
            continue;
        if (!row.endUnknown())
            m_states[std::size_t(*place)] = taskState(row.state);
        m_about[*place] = row;
    }
}

// A final record counts in its reason how the tasks have ended. That of a gang does not, whose members end together.
bool ArrayModel::areAllKnown() const
{
    if (!m_known)
        return false;
    const qint32 end = m_job->progress ? std::min(m_job->progress->next, count()) : count();
    const auto counted = [&](TaskState state) {
        return qint32(std::count(m_states.begin(), m_states.begin() + end, state));
    };
    jobs::ArrayProgress known;
    known.failed = counted(TaskState::Failed);
    known.cancelled = counted(TaskState::Cancelled);
    if (!m_job->record)
        return known.failed >= m_known->failed && known.cancelled >= m_known->cancelled;
    if (isGang(*m_job))
        return m_job->state == JobState::Succeeded;
    known.ok = count() - known.failed - known.cancelled;
    return m_job->record->reason == known.summary(count());
}

// Places that the node names are checked against the indices when it is read.
void ArrayModel::put(const jobs::PlaceSet::Ranges &ranges, TaskState state)
{
    for (const auto &[first, last] : ranges) {
        const qint32 end = std::min(last + 1, count());
        if (first < end)
            std::fill(m_states.begin() + first, m_states.begin() + end, state);
    }
}

ArrayModel::Places ArrayModel::ordered() const
{
    Places places;
    places.reserve(std::min(m_states.size(), std::size_t(MaxRows)));
    if (m_order == Order::ByIndex) {
        places.resize(std::min(m_states.size(), std::size_t(MaxRows)));
        std::iota(places.begin(), places.end(), 0);
        return places;
    }
    for (int state = 0; state < TaskStates; ++state) {
        if (count(TaskState(state)) == 0)
            continue;
        for (std::size_t place = 0; place < m_states.size() && places.size() < std::size_t(MaxRows); ++place) {
            if (m_states[place] == TaskState(state))
                places.push_back(qint32(place));
        }
    }
    return places;
}

// A task that is current stays so, wherever it goes.
void ArrayModel::arrange(bool isNew)
{
    Places rows = ordered();
    if (isNew || rows.size() != m_rows.size()) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    if (rows != m_rows) {
        Q_EMIT layoutAboutToBeChanged();
        const QModelIndexList from = persistentIndexList();
        QModelIndexList to;
        for (const QModelIndex &index : from) {
            const auto row = std::find(rows.begin(), rows.end(), m_rows[std::size_t(index.row())]);
            to << (row == rows.end() ? QModelIndex() : this->index(int(row - rows.begin())));
        }
        m_rows = std::move(rows);
        changePersistentIndexList(from, to);
        Q_EMIT layoutChanged();
    }
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

jobs::JobId ArrayModel::taskOf(const QModelIndex &index) const
{
    jobs::JobId id = m_array;
    id.task = m_indices->at(m_rows[std::size_t(index.row())]);
    return id;
}

QVariant ArrayModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const qint32 place = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return QString::number(m_indices->at(place));
    case StateRole:
        return int(m_states[std::size_t(place)]);
    case Qt::AccessibleTextRole:
        return tr("task %1, %2", "index, state")
            .arg(m_indices->at(place))
            .arg(taskStateText(m_states[std::size_t(place)]));
    case Qt::AccessibleDescriptionRole:
        return toolTip(place);
    case Qt::ToolTipRole:
        return plainToolTip(toolTip(place));
    default:
        return {};
    }
}

QString ArrayModel::toolTip(qint32 place) const
{
    QStringList lines{
        tr("Task %1: %2", "index, state").arg(m_indices->at(place)).arg(taskStateText(m_states[std::size_t(place)]))};
    const auto about = m_about.find(place);
    if (about == m_about.end())
        return lines.front();
    if (about->exitCode)
        lines << tr("exit code %1").arg(*about->exitCode);
    if (!about->worker.isEmpty())
        lines << tr("on %1", "worker").arg(text::printable(about->worker));
    if (about->since > 0)
        lines << formatInstantAndAge(about->since);
    if (!about->note.isEmpty())
        lines << text::printable(about->note);
    return lines.join(u'\n');
}

} // namespace drover::gui
