#pragma once

#include "jobs/cluster.h"
#include "jobs/schedule_entry.h"

#include <functional>

namespace drover::jobs {

// What clients do with the nodes schedules/<name>. Every write names the version that was read, so that it overwrites
// neither another client's nor the master's. Names are isValidLockName().

struct StoredSchedule {
    QByteArray name;
    std::optional<ScheduleEntry> entry;
    QString malformed; // one line, if there is none
    qint32 version = 0;
};

StoredSchedule readSchedule(const QByteArray &name, const zk::Node &node);

// By name. Throws SessionLost.
async::Task<std::vector<StoredSchedule>> listSchedules(zk::Coordinator &zk, Layout layout);

// Throws NotFound, SessionLost.
async::Task<StoredSchedule> findSchedule(zk::Coordinator &zk, Layout layout, QByteArray name);

// Throws WrongState if there is one of that name, NotFound if nobody serves its queue, SpecTooLarge, SessionLost.
async::Task<void> addSchedule(zk::Coordinator &zk, Layout layout, QByteArray name, ScheduleEntry entry);

// Writes what `edit` has made of the entry; it is called again for a newer one when somebody else was faster, and must
// not care how often. Throws NotFound, WrongState if it is malformed, SessionLost.
async::Task<void> editSchedule(zk::Coordinator &zk, Layout layout, QByteArray name,
                               std::function<void(ScheduleEntry &)> edit);

// Its jobs are left alone. Throws NotFound, SessionLost.
async::Task<void> removeSchedule(zk::Coordinator &zk, Layout layout, QByteArray name);

} // namespace drover::jobs
