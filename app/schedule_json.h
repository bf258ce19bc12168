#pragma once

#include "app/arguments.h"
#include "app/output.h"
#include "jobs/schedules.h"

namespace drover::app {

// A schedule as the commands print it at a moment, in milliseconds of the Unix epoch.
QJsonObject scheduleJson(const jobs::StoredSchedule &stored, std::chrono::milliseconds now);

extern const QList<Column> ScheduleListColumns;
extern const QList<Column> ScheduleColumns;

// The next ticks after `now`; none while it is paused.
std::vector<std::chrono::milliseconds> upcomingTicks(const jobs::ScheduleEntry &entry, std::chrono::milliseconds now,
                                                     std::size_t count);

// By the clocks of the schedule's zone, with their offset.
QString formatTick(const jobs::ScheduleEntry &entry, std::chrono::milliseconds tick);

// The first argument. Throws UsageError if no schedule can have that name.
QByteArray scheduleName(const Arguments &arguments);

} // namespace drover::app
