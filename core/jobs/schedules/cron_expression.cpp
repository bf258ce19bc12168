#include "jobs/schedules/cron_expression.h"

#include "text/quantity.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace drover::jobs {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::seconds;
using std::chrono::year_month_day;

namespace {

constexpr seconds LongestInterval = days(365);
constexpr std::array<unsigned, 13> LongestMonth{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

struct Field {
    const char *name;
    int minimum;
    int maximum;
    const char *names; // three letters each, of the values from the minimum on
};
constexpr Field Fields[] = {
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"day of month", 1, 31, ""},
    {"month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
    {"day of week", 0, 7, "SUNMONTUEWEDTHUFRISAT"},
};
constexpr qsizetype FieldCount = std::size(Fields);
constexpr int DayOfWeek = 4;
constexpr int Sunday = 7; // as well as 0

struct Macro {
    const char *name;
    const char *fields;
};
constexpr Macro Macros[] = {
    {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
    {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"},
};

// Reads one field.
class FieldReader
{
public:
    explicit FieldReader(int index) : m_index(index), m_field(Fields[index]) { }

    std::bitset<60> read(const QString &text)
    {
        for (const QString &part : text.split(u','))
            add(part);
        return m_values;
    }

private:
    [[noreturn]] void refuse(const QString &part, const QString &why) const
    {
        throw InvalidSchedule(
            QStringLiteral("field %1 (%2): \"%3\" %4").arg(m_index + 1).arg(QLatin1String(m_field.name), part, why));
    }

    int number(const QString &text, const QString &part, int minimum, int maximum, const char *is = "is") const
    {
        const bool digits = !text.isEmpty() && text.size() <= 4
            && std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
        const int value = text.toInt();
        if (!digits || value < minimum || value > maximum)
            refuse(part, QStringLiteral("%1 not %2 to %3").arg(QLatin1String(is)).arg(minimum).arg(maximum));
        return value;
    }

    int value(const QString &text, const QString &part) const
    {
        const QString names = QLatin1String(m_field.names);
        const qsizetype at = names.indexOf(text, 0, Qt::CaseInsensitive);
        if (text.size() == 3 && at >= 0 && at % 3 == 0)
            return m_field.minimum + static_cast<int>(at / 3);
        if (!names.isEmpty() && !text.isEmpty() && text.front().isLetter())
            refuse(part, QStringLiteral("is not %1 to %2").arg(names.left(3), names.right(3)));
        return number(text, part, m_field.minimum, m_field.maximum);
    }

    void add(const QString &part)
    {
        const QString range = part.section(u'/', 0, 0);
        const bool stepped = part.contains(u'/');
        const bool all = range == u"*";
        const bool hasEnd = range.contains(u'-');
        if (stepped && !all && !hasEnd)
            refuse(part,
                   QStringLiteral("has a step without a range; write %1-%2/%3")
                       .arg(range, QString::number(m_field.maximum), part.section(u'/', 1)));
        const int first = all ? m_field.minimum : value(range.section(u'-', 0, 0), part);
        int last = all ? m_field.maximum : hasEnd ? value(range.section(u'-', 1), part) : first;
        if (m_index == DayOfWeek && last == 0 && first > 0)
            last = Sunday; // MON-SUN
        if (last < first)
            refuse(part, QStringLiteral("runs backwards; write its two parts, with a comma between"));
        const int step = stepped ? number(part.section(u'/', 1), part, 1, m_field.maximum, "has a step that is") : 1;
        for (int i = first; i <= last; i += step)
            m_values.set(static_cast<std::size_t>(m_index == DayOfWeek ? i % Sunday : i));
    }

    const int m_index;
    const Field &m_field;
    std::bitset<60> m_values;
};

template <std::size_t N>
std::bitset<N> narrowed(const std::bitset<60> &values)
{
    return std::bitset<N>(values.to_ullong());
}

// A duration as everywhere (text::parseDuration), in whole seconds.
seconds parseInterval(const QString &text)
{
    const std::optional<milliseconds> interval = text::parseDuration(text);
    if (!interval || *interval < 1s || *interval > LongestInterval || *interval % 1s != 0s)
        throw InvalidSchedule(
            QStringLiteral("@every: \"%1\" is not an interval from 1s to 365d in whole seconds; write 90, 90s, 15m, "
                           "1.5h, 1h30m or 1d")
                .arg(text));
    return std::chrono::duration_cast<seconds>(*interval);
}

} // namespace

CronExpression CronExpression::parse(const QString &text)
{
    const QString simplified = text.simplified();
    CronExpression expression;
    if (!simplified.startsWith(u'@')) {
        expression = ofFields(simplified);
    } else if (simplified.section(u' ', 0, 0) == u"@every") {
        expression.m_interval = parseInterval(simplified.section(u' ', 1));
    } else {
        const auto macro = std::find_if(std::begin(Macros), std::end(Macros),
                                        [&](const Macro &m) { return simplified == QLatin1String(m.name); });
        if (macro == std::end(Macros))
            throw InvalidSchedule(
                QStringLiteral(
                    "there is no \"%1\"; there is @hourly, @daily, @weekly, @monthly, @yearly and @every 1h30m")
                    .arg(simplified));
        expression = ofFields(QLatin1String(macro->fields));
    }
    expression.m_text = simplified;
    return expression;
}

CronExpression CronExpression::ofFields(const QString &text)
{
    const QStringList fields = text.split(u' ', Qt::SkipEmptyParts);
    if (fields.size() != FieldCount)
        throw InvalidSchedule(
            QStringLiteral("\"%1\" has %2 instead of five: minute, hour, day of month, month, day of week; in a shell "
                           "quote them together, as in \"0 3 * * *\"")
                .arg(text, text::formatCount(fields.size(), "field", "fields")));
    std::array<std::bitset<60>, FieldCount> values;
    for (int i = 0; i < FieldCount; ++i)
        values[static_cast<std::size_t>(i)] = FieldReader(i).read(fields[i]);
    CronExpression expression;
    expression.m_minutes = values[0];
    expression.m_hours = narrowed<24>(values[1]);
    expression.m_days = narrowed<32>(values[2]);
    expression.m_months = narrowed<13>(values[3]);
    expression.m_weekdays = narrowed<7>(values[4]);
    expression.m_isHourly = fields[1].startsWith(u'*');
    expression.m_oneDayFieldIsEnough = !fields[2].startsWith(u'*') && !fields[4].startsWith(u'*');
    if (!expression.hasDate())
        throw InvalidSchedule(QStringLiteral("fields 3 and 4 (day of month, month): no year has a date \"%1 %2\"")
                                  .arg(fields[2], fields[3]));
    return expression;
}

bool CronExpression::hasDate() const
{
    if (m_oneDayFieldIsEnough)
        return true;
    for (std::size_t month = 1; month < m_months.size(); ++month) {
        for (unsigned day = 1; m_months[month] && day <= LongestMonth[month]; ++day) {
            if (m_days[day])
                return true; // and in 400 years it falls on every day of the week, 29 February included
        }
    }
    return false;
}

bool CronExpression::matches(local_days day) const
{
    const bool date = m_days[static_cast<unsigned>(year_month_day(day).day())];
    const bool weekday = m_weekdays[std::chrono::weekday(day).c_encoding()];
    return m_oneDayFieldIsEnough ? date || weekday : date && weekday;
}

std::optional<CronExpression::LocalMinute> CronExpression::firstIn(LocalMinute from, LocalMinute to) const
{
    local_days day = std::chrono::floor<days>(from);
    while (day < to) {
        const year_month_day date(day);
        if (!m_months[static_cast<unsigned>(date.month())]) {
            day = local_days(date.year() / date.month() / 1 + months(1));
            continue;
        }
        if (matches(day)) {
            const std::optional<minutes> time = firstTime(std::max<minutes>(from - day, 0min));
            if (time)
                return day + *time < to ? std::optional(day + *time) : std::nullopt;
        }
        day += days(1);
    }
    return std::nullopt;
}

// Of a day that matches.
std::optional<minutes> CronExpression::firstTime(minutes from) const
{
    const auto firstHour = static_cast<std::size_t>(from / 1h);
    for (std::size_t hour = firstHour; hour < m_hours.size(); ++hour) {
        const auto firstMinute = hour == firstHour ? static_cast<std::size_t>((from % 1h).count()) : 0;
        for (std::size_t minute = firstMinute; m_hours[hour] && minute < m_minutes.size(); ++minute) {
            if (m_minutes[minute])
                return hours(hour) + minutes(minute);
        }
    }
    return std::nullopt;
}

} // namespace drover::jobs
