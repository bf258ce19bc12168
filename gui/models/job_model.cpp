#include "gui/models/job_model.h"

#include "gui/text/format.h"
#include "gui/text/shell_words.h"
#include "text/printable.h"

#include <QDateTime>

#include <algorithm>
#include <iterator>

namespace drover::gui {

using jobs::JobState;

namespace {

constexpr qsizetype MaxCommand = 400; // characters of a cell

struct StateLook {
    const char *text;
    Tone tone;
    int rank; // what happens now comes first, then what happens next, then what has happened
};

// In the order of JobState.
constexpr StateLook Looks[]{
    {QT_TRANSLATE_NOOP("drover::gui::JobModel", "Held"), Tone::Waiting, 2},
    {QT_TRANSLATE_NOOP("drover::gui::JobModel", "Waiting"), Tone::Waiting, 2},
    {QT_TRANSLATE_NOOP("drover::gui::JobModel", "Ready"), Tone::Plain, 1},
    {QT_TRANSLATE_NOOP("drover::gui::JobModel", "Running"), Tone::Busy, 0},
    {QT_TRANSLATE_NOOP("drover::gui::JobModel", "Succeeded"), Tone::Good, 3},
    {QT_TRANSLATE_NOOP("drover::gui::JobModel", "Failed"), Tone::Bad, 3},
    {QT_TRANSLATE_NOOP("drover::gui::JobModel", "Cancelled"), Tone::Muted, 3},
};
static_assert(std::size(Looks) == std::size_t(JobState::Cancelled) + 1);

const StateLook &lookOf(JobState state)
{
    return Looks[std::size_t(state)];
}

// Zero-padded, so that texts compare as the numbers do.
QString padded(qint64 number)
{
    return QString::number(number).rightJustified(19, u'0');
}

constexpr qint64 Latest = std::numeric_limits<qint64>::max();

QString newestFirst(qint64 number)
{
    return padded(Latest - number);
}

// A line of its own while that time is to come.
QString notBefore(const JobRow &job)
{
    return job.startsAt > QDateTime::currentMSecsSinceEpoch()
        ? u'\n' + JobModel::tr("It does not start before %1").arg(formatInstantAndAge(job.startsAt))
        : QString();
}

} // namespace

QString jobStateText(JobState state)
{
    return JobModel::tr(lookOf(state).text);
}

Tone jobStateTone(JobState state)
{
    return lookOf(state).tone;
}

// In the order of Column.
JobModel::JobModel(QObject *parent)
    : SnapshotModel({{tr("State")},
                     {tr("Job")},
                     {tr("Name")},
                     {tr("Command")},
                     {tr("Comment")},
                     {tr("Waits for")},
                     {tr("Worker")},
                     {tr("Since")},
                     {tr("Try"), Qt::AlignRight},
                     {tr("Exit"), Qt::AlignRight}},
                    parent)
{
}

// By their states, the newest of those that have ended come first.
std::optional<JobOrder> JobModel::orderOf(int column, Qt::SortOrder order)
{
    const bool descending = order == Qt::DescendingOrder;
    switch (column) {
    case State:
        return JobOrder{JobOrder::By::Ended, !descending};
    case Id:
        return JobOrder{JobOrder::By::Id, descending};
    case Name:
        return JobOrder{JobOrder::By::Name, descending};
    case Worker:
        return JobOrder{JobOrder::By::Worker, descending};
    case Since:
        return JobOrder{JobOrder::By::Ended, descending};
    default:
        return {};
    }
}

void JobModel::show(const JobsSnapshot &snapshot)
{
    Q_EMIT aboutToShow();
    const QList<JobRow> kept = keptOf(snapshot);
    if (snapshot.pastDropped != m_snapshot.pastDropped || snapshot.pastWalk != m_snapshot.pastWalk)
        m_awaitsEarlier = false;
    m_snapshot = snapshot;
    m_snapshot.rows += kept;
    m_snapshot.pastRows += kept.size();
    m_sentRows = snapshot.rows.size() + snapshot.pastDropped;
    const std::optional<Awaited> awaited = m_awaited;
    if (awaited && !awaited->isOnItsWay(snapshot))
        m_awaited.reset();
    apply(m_snapshot.rows);
    Q_EMIT shown();
    if (awaited && awaited->broughtNothing(snapshot))
        fetchMore({});
}

bool JobModel::Awaited::isOnItsWay(const JobsSnapshot &later) const
{
    return later.pastHasMore && later.pastWalk == pastWalk && later.pastRead == pastRead;
}

// The jobs of the page have rows already. No view asks again unless rows come.
bool JobModel::Awaited::broughtNothing(const JobsSnapshot &later) const
{
    return later.pastWalk == pastWalk && later.pastRead > pastRead && later.rows.size() + later.pastDropped <= rows;
}

// What others have taken the place of. Of another search or order it would be where it does not belong.
QList<JobRow> JobModel::keptOf(const JobsSnapshot &next) const
{
    QList<JobRow> kept;
    if (m_kept.isEmpty() || next.rows.isEmpty() || next.pastQuestion != m_snapshot.pastQuestion)
        return kept;
    QSet<jobs::JobId> missing = m_kept;
    for (const JobRow &row : next.rows)
        missing.remove(row.id);
    for (const JobRow &row : m_snapshot.rows) {
        if (jobs::isFinal(row.state) && row.loaded && missing.contains(row.id))
            kept.append(row);
    }
    return kept;
}

bool JobModel::canFetchMore(const QModelIndex &parent) const
{
    return !parent.isValid() && m_snapshot.pastHasMore && !m_awaited && !isFull();
}

void JobModel::setInOrder(bool inOrder)
{
    if (std::exchange(m_isInOrder, inOrder) != inOrder)
        Q_EMIT shown();
}

bool JobModel::isFull() const
{
    return m_snapshot.pastIsFull && (!m_isInOrder || m_kept.size() >= MaxPastRows);
}

void JobModel::keep(const QSet<jobs::JobId> &jobs)
{
    m_kept = jobs;
}

void JobModel::fetchEarlier()
{
    if (m_snapshot.pastDropped > 0 && m_isInOrder && !std::exchange(m_awaitsEarlier, true))
        Q_EMIT earlierWanted();
}

void JobModel::fetchFirst()
{
    if (m_snapshot.pastDropped > 0)
        Q_EMIT firstWanted();
}

void JobModel::fetchMore(const QModelIndex &parent)
{
    if (!canFetchMore(parent))
        return;
    m_awaited = {m_snapshot.pastRead, m_snapshot.pastWalk, m_sentRows};
    Q_EMIT olderWanted();
}

bool JobModel::hasComments() const
{
    return std::ranges::any_of(m_snapshot.rows, [](const JobRow &job) { return !job.comment.isEmpty(); });
}

bool JobModel::hasWaits() const
{
    return std::ranges::any_of(m_snapshot.rows, [](const JobRow &job) { return !job.waits.isEmpty(); });
}

qint64 JobModel::notSearched() const
{
    const qint64 inZooKeeper = m_snapshot.total() - m_snapshot.past;
    return std::max<qint64>(0, inZooKeeper - (rowCount() - m_snapshot.pastRows) - m_snapshot.searched);
}

const JobRow *JobModel::find(const jobs::JobId &id) const
{
    const auto found = std::ranges::find_if(m_snapshot.rows, [&](const JobRow &job) { return job.id == id; });
    return found == m_snapshot.rows.end() ? nullptr : &*found;
}

QVariant JobModel::cell(const JobRow &job, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return text(job, column);
    case Qt::ToolTipRole:
        return plainToolTip(toolTip(job, column));
    case ToneRole:
        if (column == State)
            return int(job.endUnknown() ? Tone::Muted : jobStateTone(job.state));
        if (column == Exit && job.exitCode.value_or(0) != 0)
            return int(Tone::Bad);
        if (column == WaitsFor)
            return int(Tone::Waiting);
        if (!job.loaded || (column == Name && job.name.isEmpty()))
            return int(Tone::Muted);
        break;
    case MonospaceRole:
        return column == Command;
    case SortRole:
        return sortKey(job, column);
    case EntitiesRole:
        return QVariant::fromValue(entities(job));
    case LinkRole:
        if (column == Worker && !job.worker.isEmpty())
            return QVariant::fromValue(EntityRef{EntityRef::Kind::Worker, job.worker.toUtf8()});
        break;
    }
    return {};
}

QList<EntityRef> JobModel::entities(const JobRow &job) const
{
    QList<EntityRef> all{{EntityRef::Kind::Job, job.id.bytes()}};
    if (!job.worker.isEmpty())
        all.append({EntityRef::Kind::Worker, job.worker.toUtf8()});
    all.append({EntityRef::Kind::Queue, job.id.queue});
    return all;
}

QVariant JobModel::text(const JobRow &job, int column) const
{
    switch (column) {
    case State:
        if (job.state == JobState::Running && !job.progress.isEmpty()) // "28/40, 1 failed"
            return tr("%1 %2", "state, progress").arg(jobStateText(job.state), job.progress.section(u',', 0, 0));
        return job.endUnknown() ? tr("Ended") : jobStateText(job.state);
    case Id:
        return job.id.toString();
    case Name:
        if (!job.loaded)
            return tr("Loading…");
        return job.command.isEmpty() && !job.note.isEmpty() ? tr("(malformed)") : text::printable(job.name);
    case Command:
        return text::printable(joinShellWords(job.command).left(MaxCommand));
    case Comment:
        return text::printable(job.comment);
    case WaitsFor:
        return text::printable(job.waits);
    case Worker:
        return text::printable(job.worker);
    case Attempt:
        return job.attempt > 0 ? QVariant(job.attempt) : QVariant();
    case Since:
        return formatSince(job.since);
    case Exit:
        return job.exitCode ? QVariant(*job.exitCode) : QVariant();
    }
    return {};
}

QVariant JobModel::sortKey(const JobRow &job, int column) const
{
    switch (column) {
    case State: {
        const QString rank = QString::number(lookOf(job.state).rank);
        if (jobs::isFinal(job.state))
            return rank + newestFirst(job.endUnknown() ? Latest : job.since) + newestFirst(job.id.number)
                + job.id.toString();
        return rank + padded(job.priority * (qint64(1) << 32) + job.id.number) + job.id.toString();
    }
    case Id:
        return QString::fromLatin1(job.id.queue) + u' ' + padded(job.id.inQueue());
    case Since:
        return job.since;
    case Attempt:
        return job.attempt;
    case Exit:
        return job.exitCode.value_or(-1);
    default:
        return text(job, column);
    }
}

QString JobModel::toolTip(const JobRow &job, int column) const
{
    if (column == Since)
        return formatInstantAndAge(job.since);
    if (column == Command)
        return text::printable(joinShellWords(job.command));
    if (column == Comment)
        return text::printable(job.comment);
    if (column == WaitsFor)
        return text::printable(job.waits) + notBefore(job);
    if (column == State && !job.progress.isEmpty())
        return tr("Tasks: %1").arg(job.progress);
    return text::printable(job.note);
}

} // namespace drover::gui
