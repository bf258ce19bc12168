#pragma once

#include "jobs/audit/audit_note.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/schedules/schedule_entry.h"

#include <functional>

namespace drover::jobs {

// The clients' operations on the nodes schedules/<name>. Every write names the version that was read, so it never
// overwrites a change of another client or of the master. Names must be valid by text::isLockName(). Each change is
// noted in the audit.

// More schedules than these the master does not follow.
inline constexpr qsizetype MaxSchedules = 2000;

struct StoredSchedule {
    QByteArray name;
    std::optional<ScheduleEntry> entry;
    QString malformed; // why the entry could not be read; one line
    qint32 version = 0;
};

StoredSchedule readSchedule(const QByteArray &name, const zk::Node &node);

// Lists the schedules by name. Throws SessionLost.
async::Task<std::vector<StoredSchedule>> listSchedules(Cluster cluster);

// Throws NotFound, SessionLost.
async::Task<StoredSchedule> findSchedule(Cluster cluster, QByteArray name);

// Throws WrongState if the name is in use, NotFound if no worker serves its queue, SpecTooLarge, and SessionLost.
async::Task<void> addSchedule(Cluster cluster, QByteArray name, ScheduleEntry entry);

// Puts `entry` in the place of the schedule of that name, and keeps its progress (ScheduleEntry::inPlaceOf). Adds it if
// there is none. If a tick of other times is due, it first gives a master up to 5 s to run that. Throws as
// addSchedule() and editSchedule() do.
async::Task<void> replaceSchedule(Cluster cluster, QByteArray name, ScheduleEntry entry);

// Writes the entry as changed by `edit`. If another writer was faster, `edit` is called again with the newer entry,
// perhaps several times. `action` is what the audit says of it. Throws NotFound, SessionLost, and WrongState if the
// entry is malformed.
async::Task<void> editSchedule(Cluster cluster, QByteArray name, AuditAction action,
                               std::function<void(ScheduleEntry &)> edit);

// Submits no more of it until it is resumed. Throw as editSchedule() does.
async::Task<void> pauseSchedule(Cluster cluster, QByteArray name);
// Goes on with the next tick: those that were due while it was paused are not caught up on.
async::Task<void> resumeSchedule(Cluster cluster, QByteArray name);

// Removes the schedule; its jobs stay. Throws NotFound and SessionLost.
async::Task<void> removeSchedule(Cluster cluster, QByteArray name);

} // namespace drover::jobs
