#include "app/jobs/history_json.h"

#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/job_json.h"
#include "text/quantity.h"
#include "text/spreadsheet.h"

#include <QJsonDocument>

#include <array>

namespace drover::app {

using Kind = Column::Kind;

const QList<Column> EntryColumns{
    {"id", "ID"},
    {"state", "STATE", Kind::State},
    {"name", "NAME", Kind::Text, true},
    {"exit_code", "EXIT", Kind::Number},
    {"ended_at", "ENDED", Kind::Time},
    {"wall_ms", "RAN", Kind::Duration},
    {"cpu_ms", "CPU", Kind::Duration, false, 8, 1},
    {"peak_bytes", "PEAK", Kind::Size, false, 8, 2},
    {"worker", "WORKER", Kind::Text, true, 8, 4},
    {"submitter", "SUBMITTER", Kind::Text, true, 8, 3},
    {"command", "COMMAND", Kind::Text, true, 8, 5},
};

namespace {

constexpr std::array CsvFields{"cluster", "id",        "queue",        "name",         "state",
                               "outcome", "exit_code", "signal",       "reason",       "attempt",
                               "worker",  "submitter", "submitted_at", "started_at",   "ended_at",
                               "wall_ms", "cpu_ms",    "peak_bytes",   "output_bytes", "command"};

QByteArray csvCell(const QJsonValue &value)
{
    QByteArray cell;
    if (value.isArray())
        cell = QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact);
    else if (value.isDouble())
        cell = QByteArray::number(value.toInteger());
    else
        cell = text::sheetText(value.toString()).toUtf8();
    const bool plain = !cell.contains(',') && !cell.contains('"') && !cell.contains('\n') && !cell.contains('\r');
    return plain ? cell : '"' + cell.replace('"', "\"\"") + '"';
}

} // namespace

QJsonObject entryJson(const history::ArchivedJob &entry)
{
    QJsonObject object = jobJson(viewOf(entry));
    object.remove(QStringLiteral("since"));
    object.insert(QStringLiteral("cluster"), QString::fromUtf8(entry.cluster));
    const jobs::FinalRecord &record = entry.record;
    if (record.startedAt.count() > 0 && record.finishedAt >= record.startedAt)
        object.insert(QStringLiteral("wall_ms"), qint64((record.finishedAt - record.startedAt).count()));
    return object;
}

QJsonObject groupJson(const history::GroupTotals &group, history::GroupBy by)
{
    return {{QLatin1String(groupColumns(by).front().key), group.key},
            {QStringLiteral("job_count"), group.jobs},
            {QStringLiteral("succeeded"), group.succeeded},
            {QStringLiteral("failed"), group.failed},
            {QStringLiteral("cancelled"), group.cancelled},
            {QStringLiteral("wall_ms"), qint64(group.wallTime.count())},
            {QStringLiteral("cpu_ms"), qint64(group.cpuTime.count())},
            {QStringLiteral("peak_bytes"), group.peakMemory},
            {QStringLiteral("first_ended_at"), formatTime(group.first)},
            {QStringLiteral("last_ended_at"), formatTime(group.last)},
            {QStringLiteral("per_s"), group.perSecond()}};
}

QList<Column> groupColumns(history::GroupBy by)
{
    static constexpr std::array<Column, 8> Keys{{{"state", "STATE", Kind::State},
                                                 {"outcome", "OUTCOME"},
                                                 {"queue", "QUEUE"},
                                                 {"name", "NAME", Kind::Text, true},
                                                 {"submitter", "SUBMITTER", Kind::Text, true},
                                                 {"worker", "WORKER"},
                                                 {"day", "DAY"},
                                                 {"hour", "HOUR"}}};
    return {
        Keys[static_cast<std::size_t>(by)],
        {"job_count", "JOBS", Kind::Number},
        {"succeeded", "SUCCEEDED", Kind::Number},
        {"failed", "FAILED", Kind::Number},
        {"cancelled", "CANCELLED", Kind::Number},
        {"wall_ms", "RAN", Kind::Duration},
        {"cpu_ms", "CPU", Kind::Duration, false, 8, 2},
        {"peak_bytes", "PEAK", Kind::Size, false, 8, 1},
        {"per_s", "PER SECOND", Kind::Number, false, 8, 3},
        {"last_ended_at", "LAST", Kind::Time, false, 8, 4},
    };
}

QJsonObject coverageJson(const history::Coverage &coverage)
{
    QJsonObject object{{QStringLiteral("history"), coverage.location},
                       {QStringLiteral("job_count"), coverage.jobs},
                       {QStringLiteral("kept_by"), QJsonArray::fromStringList(coverage.machines)}};
    JsonBuilder builder(object);
    builder.time("kept_since", coverage.since);
    builder.time("first_ended_at", coverage.first);
    builder.time("last_ended_at", coverage.last);
    return object;
}

QString coverageText(const history::Coverage &coverage)
{
    const QString keepers = coverage.machines.isEmpty()
        ? QStringLiteral("no worker yet")
        : coverage.machines.join(QStringLiteral(", ")) + QStringLiteral(" since ") + formatTime(coverage.since);
    const QString where = QStringLiteral("in %1, kept by %2").arg(coverage.location, keepers);
    if (coverage.jobs == 0)
        return QStringLiteral("no jobs ") + where;
    const QString jobs = text::formatCount(coverage.jobs, "job", "jobs");
    if (coverage.first.count() == 0 || coverage.last.count() == 0) // among very many of other clusters
        return jobs + QStringLiteral(", ") + where;
    return QStringLiteral("%1 that ended from %2 to %3, %4")
        .arg(jobs, formatTime(coverage.first), formatTime(coverage.last), where);
}

QByteArray csvHeader()
{
    QByteArrayList cells;
    for (const char *const field : CsvFields)
        cells.append(field);
    return cells.join(',') + "\r\n";
}

QByteArray csvLine(const history::ArchivedJob &entry)
{
    const QJsonObject object = entryJson(entry);
    QByteArrayList cells;
    for (const char *const field : CsvFields)
        cells.append(csvCell(object.value(QLatin1String(field))));
    return cells.join(',') + "\r\n";
}

} // namespace drover::app
