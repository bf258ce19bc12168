#include "jobs/schedules/cron_schedule.h"

#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>

namespace drover::jobs {

using namespace std::chrono_literals;
using LocalMinute = CronExpression::LocalMinute;
using std::chrono::milliseconds;
using std::chrono::minutes;

namespace {

constexpr milliseconds Horizon = std::chrono::years(50);

// The first minute that a clock shows at or after `local`, which is an instant and its offset added up.
LocalMinute minuteFrom(milliseconds local)
{
    return LocalMinute(std::chrono::ceil<minutes>(local));
}

// The zone that was probably meant by a name in another case, or by a city alone.
QString nearestZone(const QString &name)
{
    for (const QByteArray &id : QTimeZone::availableTimeZoneIds()) {
        const QString zone = QString::fromUtf8(id);
        if (zone.compare(name, Qt::CaseInsensitive) == 0 || zone.endsWith(u'/' + name, Qt::CaseInsensitive))
            return zone;
    }
    return {};
}

// Qt lists the zones of zone.tab alone, so neither Etc/UTC nor an older name, as US/Eastern. It reads the file of
// each, but takes a name without a file for a rule of POSIX. The machine's own files there (localtime, right/...) are
// in small letters.
bool hasZoneFile(const QString &name)
{
    static const QRegularExpression allowed(QStringLiteral("^[A-Z][\\w+-]*(/[\\w+-]+)*$"));
    return allowed.match(name).hasMatch() && QFileInfo(QStringLiteral("/usr/share/zoneinfo/") + name).isFile();
}

QTimeZone zoneOf(const QString &name)
{
    if (name.isEmpty())
        return QTimeZone::utc();
    const QTimeZone zone(name.toUtf8());
    if (zone.isValid() && (QTimeZone::isTimeZoneIdAvailable(name.toUtf8()) || hasZoneFile(name)))
        return zone;
    const QString nearest = nearestZone(name);
    throw InvalidSchedule(QStringLiteral("there is no time zone \"%1\"; %2")
                              .arg(name,
                                   nearest.isEmpty()
                                       ? QStringLiteral("give one of the IANA's: Europe/Berlin, America/New_York, UTC")
                                       : QStringLiteral("did you mean %1?").arg(nearest)));
}

} // namespace

CronSchedule CronSchedule::parse(const QString &expression, const QString &zone)
{
    return CronSchedule(CronExpression::parse(expression), zoneOf(zone));
}

// The periods between two changes of the clock divide the minutes of all clocks among themselves. By its own clock a
// period accounts for [begin + offset, end + offset). With a fixed hour it is [begin + before, end + offset), which
// has every minute once: those that were skipped, and not those that had been before.
milliseconds CronSchedule::next(milliseconds after) const
{
    if (after > Latest)
        return Never;
    if (m_expression.interval().count() > 0)
        return nextInterval(after);
    const milliseconds horizon = after + Horizon;
    milliseconds begin = after;
    while (begin < horizon) {
        const ZoneOffsets::Period period = m_offsets.at(begin);
        const milliseconds end = std::min(period.end, horizon);
        milliseconds from = period.begin + (m_expression.isHourly() ? period.offset : period.before);
        if (period.begin <= after)
            from = std::max(from, after + period.offset + 1ms);
        const std::optional<LocalMinute> found =
            m_expression.firstIn(minuteFrom(from), minuteFrom(end + period.offset));
        if (found)
            return std::max<milliseconds>(found->time_since_epoch() - period.offset, period.begin);
        begin = end;
    }
    return Never;
}

milliseconds CronSchedule::nextInterval(milliseconds after) const
{
    const milliseconds interval = m_expression.interval();
    if (!m_origin)
        return after + interval;
    const milliseconds past = (after - *m_origin) % interval; // negative before the origin
    return after - past + (past.count() < 0 ? milliseconds(0) : interval);
}

std::vector<milliseconds> CronSchedule::latest(milliseconds after, milliseconds until, std::size_t atMost) const
{
    if (m_expression.interval().count() > 0)
        return latestIntervals(after, until, atMost);
    std::vector<milliseconds> ticks;
    for (milliseconds window = 1h; window < Horizon; window *= 2) { // until enough of them are in it
        const milliseconds begin = std::max(after, until - window);
        ticks.clear();
        for (milliseconds tick = next(begin); tick <= until; tick = next(tick))
            ticks.push_back(tick);
        if (ticks.size() >= atMost || begin == after)
            break;
    }
    ticks.erase(ticks.begin(), ticks.end() - static_cast<std::ptrdiff_t>(std::min(ticks.size(), atMost)));
    return ticks;
}

std::vector<milliseconds> CronSchedule::latestIntervals(milliseconds after, milliseconds until,
                                                        std::size_t atMost) const
{
    const milliseconds interval = m_expression.interval();
    const milliseconds first = nextInterval(after);
    const qint64 count = until < first ? 0 : (until - first) / interval + 1;
    std::vector<milliseconds> ticks;
    for (qint64 i = std::max<qint64>(0, count - static_cast<qint64>(atMost)); i < count; ++i)
        ticks.push_back(first + i * interval);
    return ticks;
}

} // namespace drover::jobs
