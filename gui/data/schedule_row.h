#pragma once

#include "jobs/schedules/schedules.h"

#include <QMetaType>

namespace drover::gui {

// A recurring job as its node has it.
struct ScheduleRow {
    jobs::StoredSchedule stored;
    QByteArray data; // of the node

    friend bool operator==(const ScheduleRow &a, const ScheduleRow &b)
    {
        return a.stored.name == b.stored.name && a.stored.version == b.stored.version && a.data == b.data;
    }
};

} // namespace drover::gui
