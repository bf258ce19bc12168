#include "app/cluster/schedule_json.h"

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
    object.insert(QStringLiteral("state"), entry.paused ? QStringLiteral("paused") : QStringLiteral("active"));
    object.insert(QStringLiteral("cron"), entry.when.expression().text());
    object.insert(QStringLiteral("zone"), entry.when.zone());
    object.insert(QStringLiteral("catch_up"), jobs::catchUpName(entry.catchUp));
    object.insert(QStringLiteral("overlap"), jobs::overlapName(entry.overlap));
    object.insert(QStringLiteral("name"), entry.job.title());
    if (!entry.job.comment.isEmpty())
        object.insert(QStringLiteral("comment"), entry.job.comment);
    object.insert(QStringLiteral("command"), QJsonArray::fromStringList(entry.job.command));
    object.insert(QStringLiteral("dir"), entry.job.directory);
    object.insert(QStringLiteral("queue"), QString::fromLatin1(entry.job.queue));
    object.insert(QStringLiteral("priority"), entry.job.priority);
    object.insert(QStringLiteral("created_by"), entry.job.submitter);
    object.insert(QStringLiteral("created_at"), formatTime(entry.job.submittedAt));
    if (entry.lastRun.count() > 0)
        object.insert(QStringLiteral("last_run_at"), formatTime(entry.lastRun));
    if (entry.lastJob)
        object.insert(QStringLiteral("last_job"), entry.lastJob->toString());
    for (const milliseconds next : jobs::upcomingTicks(entry, now, 1)) {
        object.insert(QStringLiteral("next_at"), formatTime(next));
        object.insert(QStringLiteral("next_in_ms"), static_cast<qint64>((next - now).count()));
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
