#include "jobs/schedules/zone_offsets.h"

#include <QDateTime>

namespace drover::jobs {

using std::chrono::milliseconds;

namespace {

// Of zones, or times of them, without changes.
constexpr milliseconds Begin = -std::chrono::years(1000);
constexpr milliseconds End = std::chrono::years(20'000);

QDateTime utc(milliseconds instant)
{
    return QDateTime::fromMSecsSinceEpoch(instant.count(), Qt::UTC);
}

} // namespace

const ZoneOffsets::Period &ZoneOffsets::at(milliseconds instant) const
{
    if (instant >= m_last.begin && instant < m_last.end)
        return m_last;
    Period period{Begin, End, offset(instant), offset(instant)};
    if (m_zone.hasTransitions()) {
        const QTimeZone::OffsetData began = m_zone.previousTransition(utc(instant + milliseconds(1)));
        const QTimeZone::OffsetData ends = m_zone.nextTransition(utc(instant));
        if (began.atUtc.isValid()) {
            period.begin = milliseconds(began.atUtc.toMSecsSinceEpoch());
            period.before = offset(period.begin - milliseconds(1));
        }
        if (ends.atUtc.isValid())
            period.end = milliseconds(ends.atUtc.toMSecsSinceEpoch());
    }
    m_last = period;
    return m_last;
}

milliseconds ZoneOffsets::offset(milliseconds instant) const
{
    return std::chrono::seconds(m_zone.offsetFromUtc(utc(instant)));
}

} // namespace drover::jobs
