#pragma once

#include <QString>

#include <bitset>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace drover::jobs {

// The text is not a valid schedule. what() says which field is wrong, and what it may be.
class InvalidSchedule : public std::runtime_error
{
public:
    explicit InvalidSchedule(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The times of a recurring job, as crontab(5) writes them, in the local time of a zone:
//
//     minute    hour      day of month   month              day of week
//     0 to 59   0 to 23   1 to 31        1 to 12, JAN-DEC   0 to 7, SUN-SAT; 0 and 7 are Sunday
//
// A field is a list of *, numbers and ranges (1-5). * and ranges may have a step (*/15, 10-40/5). @hourly, @daily,
// @midnight, @weekly, @monthly, @yearly and @annually stand for five fields. A day must match both day fields; if
// neither begins with a *, one match is enough (Vixie cron's rule). @every 1h30m is independent of the clock.
class CronExpression
{
public:
    // A local time, as a wall clock shows it. Without a zone it names no instant.
    using LocalMinute = std::chrono::local_time<std::chrono::minutes>;

    // Throws InvalidSchedule, also for dates that no year has: 30 February.
    static CronExpression parse(const QString &text);

    const QString &text() const { return m_text; }
    std::chrono::seconds interval() const { return m_interval; } // of @every; otherwise 0
    // Whether the field of the hour begins with a *. Then the job runs whenever the clock shows its minute, even twice.
    bool isHourly() const { return m_isHourly; }

    // The first match from `from` to just before `to`. Must not be called for @every.
    std::optional<LocalMinute> firstIn(LocalMinute from, LocalMinute to) const;

private:
    CronExpression() = default;
    static CronExpression ofFields(const QString &fields);
    bool matches(std::chrono::local_days day) const;
    std::optional<std::chrono::minutes> firstTime(std::chrono::minutes from) const;
    bool hasDate() const;

    QString m_text;
    std::chrono::seconds m_interval{};
    std::bitset<60> m_minutes;
    std::bitset<24> m_hours;
    std::bitset<32> m_days;
    std::bitset<13> m_months;
    std::bitset<7> m_weekdays;
    bool m_isHourly = false;
    bool m_oneDayFieldIsEnough = false;
};

} // namespace drover::jobs
