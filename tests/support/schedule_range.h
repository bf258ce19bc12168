#pragma once

#include <QString>

namespace drover::test {

struct ScheduleRange {
    quint64 first; // seed
    quint64 count;
};

// Which seeds a test of schedules runs: DROVER_SCHEDULES of them, from DROVER_SEED on. Without these `usual`, from 1
// on.
inline ScheduleRange scheduleRange(quint64 usual)
{
    const auto number = [](const char *variable, quint64 fallback) {
        bool ok = false;
        const quint64 value = qEnvironmentVariable(variable).toULongLong(&ok);
        return ok ? value : fallback;
    };
    return {number("DROVER_SEED", 1), number("DROVER_SCHEDULES", usual)};
}

// What to say of a schedule that went wrong: what, and how to see it again.
inline QByteArray replay(quint64 seed, const QString &wrong)
{
    return QStringLiteral("%1\nagain: DROVER_SEED=%2 DROVER_SCHEDULES=1").arg(wrong).arg(seed).toUtf8();
}

} // namespace drover::test
