#include "core/jobs/schedules/cron_oracle.h"

#include <QByteArrayList>

#include <ctime>

namespace drover::test {

namespace {

bool fieldMatches(const QByteArray &field, int value, int minimum, int maximum)
{
    for (const QByteArray &part : field.split(',')) {
        const QByteArrayList halves = part.split('/');
        const QByteArrayList ends = halves[0].split('-');
        const int first = halves[0] == "*" ? minimum : ends.first().toInt();
        const int last = halves[0] == "*" ? maximum : ends.last().toInt();
        const int step = halves.size() > 1 ? halves[1].toInt() : 1;
        if (value >= first && value <= last && (value - first) % step == 0)
            return true;
    }
    return false;
}

// The fields, as the values that they allow.
struct Fields {
    explicit Fields(const QByteArrayList &fields)
        : everyHour(fields[1].startsWith('*')), bothDays(fields[2].startsWith('*') || fields[4].startsWith('*'))
    {
        constexpr int Ranges[5][2] = {{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}};
        for (std::size_t i = 0; i < 5; ++i) {
            for (int value = Ranges[i][0]; value <= Ranges[i][1]; ++value)
                allowed[i][value] = fieldMatches(fields[static_cast<int>(i)], value, Ranges[i][0], Ranges[i][1]);
        }
        allowed[4][0] |= allowed[4][7];
    }

    // `wall` counts minutes by the clock on the wall.
    bool match(qint64 wall) const
    {
        const std::time_t seconds = wall * 60;
        std::tm time{};
        ::gmtime_r(&seconds, &time);
        const bool date = allowed[2][time.tm_mday];
        const bool weekday = allowed[4][time.tm_wday];
        return (bothDays ? date && weekday : date || weekday) && allowed[0][time.tm_min] && allowed[1][time.tm_hour]
            && allowed[3][time.tm_mon + 1];
    }

    const bool everyHour;
    const bool bothDays;
    bool allowed[5][60] = {};
};

qint64 wallMinute(qint64 instant)
{
    const std::time_t seconds = instant;
    std::tm time{};
    ::localtime_r(&seconds, &time);
    return ::timegm(&time) / 60;
}

} // namespace

std::vector<qint64> cronOracle(const QByteArray &expression, const QByteArray &zone, qint64 begin, qint64 end)
{
    const QByteArray before = qgetenv("TZ");
    qputenv("TZ", zone);
    ::tzset();
    const Fields fields(expression.split(' '));
    std::vector<qint64> ticks;
    qint64 seen = wallMinute(begin - 60); // the latest that the wall has shown
    for (qint64 now = begin; now < end; now += 60) {
        const qint64 wall = wallMinute(now);
        bool due = fields.everyHour && fields.match(wall);
        for (qint64 skipped = seen + 1; !fields.everyHour && skipped <= wall; ++skipped)
            due |= fields.match(skipped); // more than one when the clock was put forward, none while it repeats
        seen = std::max(seen, wall);
        if (due)
            ticks.push_back(now);
    }
    qputenv("TZ", before);
    ::tzset();
    return ticks;
}

} // namespace drover::test
