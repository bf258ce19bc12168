#pragma once

#include "jobs/cron_expression.h"
#include "jobs/zone_offsets.h"

#include <vector>

namespace drover::jobs {

// A CronExpression in a time zone: instants, its ticks, in milliseconds of the Unix epoch. Pure; one thread.
//
// When clocks change, by Vixie cron's rule. What has a fixed hour runs once each time: if its time is skipped, at the
// moment after the gap, where several that are skipped are one tick; if its time comes twice, the first time. What has
// a * for its hour runs whenever the clock shows its minute: not while that is skipped, and again when it comes again.
//
// Without a zone UTC is meant, not the zone of a machine: whichever machine is master must find the same ticks.
class CronSchedule
{
public:
    static constexpr std::chrono::milliseconds Never = std::chrono::milliseconds::max();
    static constexpr std::chrono::milliseconds Latest = std::chrono::years(8000); // of the epoch; what next() takes

    // `zone` is a name of the IANA's: Europe/Berlin. Empty: UTC. Throws InvalidSchedule.
    static CronSchedule parse(const QString &expression, const QString &zone = {});

    const CronExpression &expression() const { return m_expression; }
    QString zone() const { return QString::fromUtf8(m_offsets.zone().id()); }
    const QTimeZone &timeZone() const { return m_offsets.zone(); }

    // The first tick after `after`; of @every one interval after it. Every expression has one within 40 years (29
    // February on one day of the week), so Never is said of instants after `Latest` alone.
    std::chrono::milliseconds next(std::chrono::milliseconds after) const;

    // The last ticks after `after` and not after `until`, at most so many, in order. What it costs grows with the
    // number asked for, hardly with the time between.
    std::vector<std::chrono::milliseconds> latest(std::chrono::milliseconds after, std::chrono::milliseconds until,
                                                  std::size_t atMost) const;

private:
    CronSchedule(CronExpression expression, QTimeZone zone)
        : m_expression(std::move(expression)), m_offsets(std::move(zone))
    {
    }
    std::vector<std::chrono::milliseconds> latestIntervals(std::chrono::milliseconds after,
                                                           std::chrono::milliseconds until, std::size_t atMost) const;

    CronExpression m_expression;
    ZoneOffsets m_offsets;
};

} // namespace drover::jobs
