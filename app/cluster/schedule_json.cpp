#include "app/cluster/schedule_json.h"

#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "app/cluster/coordination.h"

#include <QDateTime>

namespace drover::app {

using Kind = Column::Kind;
using std::chrono::milliseconds;

const QList<Column> ScheduleListColumns{
    {"schedule", "NAME"},
    {"cron", "CRON"},
    {"zone", "ZONE", Kind::Text, false, 8, 3},
    {"state", "STATE", Kind::State},
    {"next_in_ms", "NEXT IN", Kind::Duration},
    {"last_run_at", "LAST", Kind::Time, false, 8, 2},
    {"last_job", "LAST JOB", Kind::Text, false, 8, 1},
    {"command", "COMMAND", Kind::Text, true},
};

const QList<Column> ScheduleColumns{
    {"schedule", "schedule"},
    {"state", "state", Kind::State},
    {"trouble", "trouble"},
    {"malformed", "malformed"},
    {"cron", "cron"},
    {"zone", "time zone"},
    {"catch_up", "catches up on"},
    {"overlap", "overlap"},
    {"command", "command"},
    {"name", "job's name"},
    {"comment", "comment"},
    {"dir", "directory"},
    {"queue", "queue"},
    {"priority", "priority"},
    {"last_run_at", "last run", Kind::Time},
    {"last_job", "last job"},
    {"created_by", "made by"},
    {"created_at", "made", Kind::Time},
};

namespace {

void addEntry(QJsonObject &object, const jobs::ScheduleEntry &entry, milliseconds now)
{
    JsonBuilder builder(object);
    builder.set("state", entry.paused ? QStringLiteral("paused") : QStringLiteral("active"));
    builder.set("cron", entry.when.expression().text());
    builder.set("zone", entry.when.zone());
    builder.set("catch_up", jobs::catchUpName(entry.catchUp));
    builder.set("overlap", jobs::overlapName(entry.overlap));
    builder.set("name", entry.job.title());
    builder.text("comment", entry.job.comment);
    builder.set("command", QJsonArray::fromStringList(entry.job.command));
    builder.set("dir", entry.job.directory);
    builder.set("queue", QString::fromLatin1(entry.job.queue));
    builder.set("priority", entry.job.priority);
    builder.set("created_by", entry.job.submitter);
    builder.set("created_at", formatTime(entry.job.submittedAt));
    builder.time("last_run_at", entry.lastRun);
    if (entry.lastJob)
        builder.set("last_job", entry.lastJob->toString());
    for (const milliseconds next : jobs::upcomingTicks(entry, now, 1)) {
        builder.set("next_at", formatTime(next));
        builder.set("next_in_ms", static_cast<qint64>((next - now).count()));
    }
}

} // namespace

QJsonObject scheduleJson(const jobs::StoredSchedule &stored, milliseconds now)
{
    QJsonObject object{{QStringLiteral("schedule"), QString::fromUtf8(stored.name)}};
    if (stored.entry) {
        addEntry(object, *stored.entry, now);
    } else {
        object.insert(QStringLiteral("state"), QStringLiteral("malformed"));
        object.insert(QStringLiteral("malformed"), stored.malformed);
    }
    return object;
}

QString formatTick(const jobs::ScheduleEntry &entry, milliseconds tick)
{
    return QDateTime::fromMSecsSinceEpoch(tick.count(), entry.when.timeZone()).toString(Qt::ISODate);
}

QByteArray scheduleName(const Arguments &arguments)
{
    return placeName("schedule", arguments.at(0));
}

} // namespace drover::app
