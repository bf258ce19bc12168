#pragma once

#include "jobs/schedules/cron_expression.h"
#include "jobs/schedules/zone_offsets.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// A CronExpression in a time zone. Its ticks are instants in milliseconds since the Unix epoch. Pure; one thread.
//
// Changes of the clock follow Vixie cron's rule. A schedule with a fixed hour runs once each day. If its time is
// skipped, it runs at the first moment after the gap; several skipped times are one tick. If its time comes twice, it
// runs the first time. A schedule with a * for its hour runs whenever the clock shows its minute. So it does not run in
// the gap, and runs in both hours of a repeated one.
//
// Without a zone it uses UTC, not the zone of a machine, because every machine must compute equal ticks when it is
// master.
class CronSchedule
{
public:
    static constexpr std::chrono::milliseconds Never = std::chrono::milliseconds::max();
    static constexpr std::chrono::milliseconds Latest = std::chrono::years(8000); // the latest instant for next()

    // `zone` is an IANA name: Europe/Berlin. Empty: UTC. Throws InvalidSchedule.
    static CronSchedule parse(const QString &expression, const QString &zone = {});

    const CronExpression &expression() const { return m_expression; }
    QString zone() const { return QString::fromUtf8(m_offsets.zone().id()); }
    const QTimeZone &timeZone() const { return m_offsets.zone(); }

    // The ticks of @every are whole intervals after `origin` then, whatever next() begins with.
    void countFrom(std::chrono::milliseconds origin) { m_origin = origin; }

    // The first tick after `after`; for @every without countFrom() one interval after it. Every expression has a tick
    // within 40 years (29 February on one day of the week). So it returns Never only for instants after `Latest`.
    std::chrono::milliseconds next(std::chrono::milliseconds after) const;

    // The last ticks after `after` and not after `until`, at most `count`, in order. The cost grows with `count`, and
    // hardly with the time between.
    std::vector<std::chrono::milliseconds> latest(std::chrono::milliseconds after, std::chrono::milliseconds until,
                                                  std::size_t atMost) const;

private:
    CronSchedule(CronExpression expression, QTimeZone zone)
        : m_expression(std::move(expression)), m_offsets(std::move(zone))
    {
    }
    std::chrono::milliseconds nextInterval(std::chrono::milliseconds after) const;
    std::vector<std::chrono::milliseconds> latestIntervals(std::chrono::milliseconds after,
                                                           std::chrono::milliseconds until, std::size_t atMost) const;

    CronExpression m_expression;
    ZoneOffsets m_offsets;
    std::optional<std::chrono::milliseconds> m_origin; // of intervals
};

} // namespace drover::jobs
