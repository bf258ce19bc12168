#pragma once

#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "jobs/schedules/schedules.h"

namespace drover::app {

// A schedule in the form that commands print at `now`, in milliseconds since the Unix epoch.
QJsonObject scheduleJson(const jobs::StoredSchedule &stored, std::chrono::milliseconds now);

extern const QList<Column> ScheduleListColumns;
extern const QList<Column> ScheduleColumns;

// The tick in the local time of the schedule's zone, with the offset from UTC.
QString formatTick(const jobs::ScheduleEntry &entry, std::chrono::milliseconds tick);

// The first argument as a name. Throws UsageError if it is not valid.
QByteArray scheduleName(const Arguments &arguments);

} // namespace drover::app
