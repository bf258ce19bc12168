#include "gui/models/schedules/schedule_model.h"

#include "gui/text/format.h"
#include "gui/text/shell_words.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QDateTime>

namespace drover::gui {

using std::chrono::milliseconds;

namespace {

// The master has handled each run up to lastTick, and made a job of each up to lastRun that it did not skip. A lastTick
// that is the moment of no run is the one at which the schedule was added, resumed or given other times: since then no
// run was due. None before that moment was missed. An older program did not write it down: the runs of such a pause
// count as missed once the next run has submitted no job.
std::vector<qint64> missedRuns(const ScheduleRow &row)
{
    std::vector<qint64> missed;
    if (!row.stored.entry || row.stored.entry->paused)
        return missed;
    const jobs::ScheduleEntry &entry = *row.stored.entry;
    const milliseconds since = std::max(entry.lastRun.count() > 0 ? entry.lastRun : entry.job.submittedAt, entry.since);
    if (since.count() == 0)
        return missed; // it is not known when it began
    const std::vector<milliseconds> handled = entry.when.latest(since, entry.lastTick, 1);
    if (handled.empty() || handled.back() != entry.lastTick)
        return missed;
    for (milliseconds tick = entry.when.next(since);
         tick <= entry.lastTick && missed.size() < ScheduleModel::MostMissed; tick = entry.when.next(tick))
        missed.push_back(tick.count());
    return missed;
}

} // namespace

// In the order of Column.
ScheduleModel::ScheduleModel(QObject *parent)
    : SnapshotModel({{tr("Schedule")},
                     {tr("State")},
                     {tr("Next run")},
                     {tr("Last run")},
                     {tr("Last job")},
                     {tr("Missed"), Qt::AlignRight},
                     {tr("When")},
                     {tr("Zone")},
                     {tr("Queue")},
                     {tr("Command")}},
                    parent)
{
}

void ScheduleModel::show(const QList<ScheduleRow> &rows)
{
    countMissed(rows);
    apply(rows);
    refresh();
}

void ScheduleModel::countMissed(const QList<ScheduleRow> &rows)
{
    QHash<QByteArray, Counted> missed;
    for (const ScheduleRow &row : rows) {
        Counted its = m_missed.take(row.stored.name);
        if (its.version != row.stored.version || its.data != row.data)
            its = {row.stored.version, row.data, missedRuns(row)};
        missed.insert(row.stored.name, std::move(its));
    }
    m_missed = std::move(missed);
}

const std::vector<qint64> &ScheduleModel::missedOf(const ScheduleRow &row) const
{
    static const std::vector<qint64> none;
    const auto its = m_missed.constFind(row.stored.name);
    return its == m_missed.constEnd() ? none : its->runs;
}

void ScheduleModel::refresh()
{
    m_now = milliseconds(QDateTime::currentMSecsSinceEpoch());
    m_next.clear();
    for (int i = 0; i < rowCount(); ++i) {
        const std::vector<qint64> runs = runsUntil(i, std::numeric_limits<qint64>::max(), 1);
        m_next.insert(row(i).stored.name, runs.empty() ? 0 : runs.front());
    }
    for (const Column column : {State, Next})
        touchColumn(column);
    Q_EMIT shown();
}

std::vector<qint64> ScheduleModel::runsUntil(int index, qint64 end, std::size_t most) const
{
    std::vector<qint64> runs;
    const std::optional<jobs::ScheduleEntry> &entry = row(index).stored.entry;
    if (!entry)
        return runs;
    for (const milliseconds tick : jobs::upcomingTicks(*entry, m_now, most)) {
        if (tick.count() <= end)
            runs.push_back(tick.count());
    }
    return runs;
}

ScheduleModel::Condition ScheduleModel::conditionOf(const ScheduleRow &row) const
{
    if (!row.stored.entry)
        return Condition::Malformed;
    if (row.stored.entry->paused)
        return Condition::Paused;
    return row.stored.entry->isLate(m_now) ? Condition::Late : Condition::Active;
}

int ScheduleModel::count(Condition condition) const
{
    int count = 0;
    for (int i = 0; i < rowCount(); ++i)
        count += conditionOf(row(i)) == condition ? 1 : 0;
    return count;
}

QString ScheduleModel::stateText(const ScheduleRow &row) const
{
    switch (conditionOf(row)) {
    case Condition::Active:
        return tr("Active");
    case Condition::Paused:
        return tr("Paused");
    case Condition::Late:
        return tr("Due since %1").arg(formatSince(row.stored.entry->nextTick().count()));
    case Condition::Malformed:
        return tr("Malformed");
    }
    return {};
}

QString ScheduleModel::text(const ScheduleRow &row, int column) const
{
    if (column == Name)
        return text::printable(row.stored.name);
    if (column == State)
        return stateText(row);
    if (!row.stored.entry)
        return column == Command ? text::printable(row.stored.malformed) : QString();
    const jobs::ScheduleEntry &entry = *row.stored.entry;
    switch (column) {
    case Next:
        return formatSince(m_next.value(row.stored.name));
    case Last:
        return formatSince(entry.lastRun.count());
    case LastJob:
        return entry.lastJob ? entry.lastJob->toString() : QString();
    case Missed: {
        const std::size_t missed = missedOf(row).size();
        return missed == 0
            ? QString()
            : text::formatCount(qint64(missed)) + (missed == MostMissed ? QStringLiteral("+") : QString());
    }
    case When:
        return text::printable(entry.when.expression().text());
    case Zone:
        return entry.when.zone();
    case Queue:
        return QString::fromLatin1(entry.job.queue);
    case Command:
        return text::printable(joinShellWords(entry.job.command));
    }
    return {};
}

// The schedule, its queue and its last job.
QList<EntityRef> ScheduleModel::entities(const ScheduleRow &row)
{
    QList<EntityRef> all{{EntityRef::Kind::Schedule, row.stored.name}};
    if (!row.stored.entry)
        return all;
    all.append({EntityRef::Kind::Queue, row.stored.entry->job.queue});
    if (row.stored.entry->lastJob)
        all.append({EntityRef::Kind::Job, row.stored.entry->lastJob->bytes()});
    return all;
}

QVariant ScheduleModel::cell(const ScheduleRow &row, int column, int role) const
{
    const bool isMalformed = !row.stored.entry;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::ToolTipRole:
        if (column == Next && m_next.value(row.stored.name) > 0)
            return formatInstant(m_next.value(row.stored.name));
        if (column == Last && !isMalformed && row.stored.entry->lastRun.count() > 0)
            return formatInstantAndAge(row.stored.entry->lastRun.count());
        if (column == Missed && !missedOf(row).empty())
            return tr("Submitted no job since the last run; the first was due %1")
                .arg(formatInstantAndAge(missedOf(row).front()));
        return plainToolTip(isMalformed ? text::printable(row.stored.malformed) : text(row, column));
    case MonospaceRole:
        return column == When;
    case ToneRole:
        if (column == State) {
            constexpr Tone tones[] = {Tone::Good, Tone::Waiting, Tone::Bad, Tone::Bad};
            return int(tones[int(conditionOf(row))]);
        }
        if (column == Missed)
            return int(Tone::Waiting);
        return isMalformed && column == Command ? QVariant(int(Tone::Bad)) : QVariant();
    case EntitiesRole:
        return QVariant::fromValue(entities(row));
    case LinkRole:
        if (column == Queue && !isMalformed)
            return QVariant::fromValue(entities(row)[1]);
        if (column == LastJob && entities(row).size() > 2)
            return QVariant::fromValue(entities(row)[2]);
        break;
    case SortRole:
        if (column == Next) // those without one come last
            return m_next.value(row.stored.name) > 0 ? m_next.value(row.stored.name)
                                                     : std::numeric_limits<qint64>::max();
        if (column == Missed)
            return qint64(missedOf(row).size());
        if (column == Last)
            return isMalformed ? qint64(0) : qint64(row.stored.entry->lastRun.count());
        return text(row, column);
    }
    return {};
}

} // namespace drover::gui
