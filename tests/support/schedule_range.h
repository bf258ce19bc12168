#pragma once

#include <QString>

namespace drover::test {

struct ScheduleRange {
    quint64 first; // seed
    quint64 count;
};

// Which seeds a test of schedules runs: DROVER_SCHEDULES of them, from DROVER_SEED on. Without these `usual`, from 1 on.
inline ScheduleRange scheduleRange(quint64 usual)
{
    const auto number = [](const char *variable, quint64 fallback) {
        bool ok = false;
        const quint64 value = qEnvironmentVariable(variable).toULongLong(&ok);
        return ok ? value : fallback;
    };
    return {number("DROVER_SEED", 1), number("DROVER_SCHEDULES", usual)};
}

} // namespace drover::test
