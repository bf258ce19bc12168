#include "app/units.h"

#include "app/failure.h"

#include <QDateTime>

#include <cmath>

namespace drover::app {

using std::chrono::milliseconds;

namespace {

struct Unit {
    const char *name;
    double factor;
};

constexpr Unit Durations[] = {{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}};
constexpr Unit Sizes[] = {{"", 1}, {"k", 1024}, {"m", 1048576}, {"g", 1073741824}, {"t", 1099511627776}};

// The number times its unit, or nothing. What is not a plain decimal number ("1e3", "-1", "inf", " 1") is refused.
template <std::size_t N>
std::optional<double> parseQuantity(const QString &text, const Unit (&units)[N])
{
    qsizetype split = 0;
    while (split < text.size() && (text[split] == u'.' || (text[split] >= u'0' && text[split] <= u'9')))
        ++split;
    bool ok = false;
    const double number = text.left(split).toDouble(&ok);
    const QString suffix = text.mid(split).toLower();
    for (const Unit &unit : units) {
        if (ok && suffix == QLatin1String(unit.name))
            return number * unit.factor;
    }
    return ok && number == 0 && suffix.isEmpty() ? std::optional(0.0) : std::nullopt;
}

QString twoParts(qint64 major, const char *majorUnit, qint64 minor, const char *minorUnit)
{
    return QStringLiteral("%1%2%3%4")
        .arg(major)
        .arg(QLatin1String(majorUnit))
        .arg(minor, 2, 10, QLatin1Char('0'))
        .arg(QLatin1String(minorUnit));
}

} // namespace

milliseconds parseDuration(const QString &text, const QString &what)
{
    const std::optional<double> value = parseQuantity(text, Durations);
    constexpr double Longest = 365 * 8.64e7;
    if (!value || *value > Longest)
        throw UsageError(
            QStringLiteral("%1: \"%2\" is no duration; give a number and a unit, up to 365d: 500ms, 10s, 2m, 1h, 1d")
                .arg(what, text));
    return milliseconds(std::llround(*value));
}

milliseconds parseInstant(const QString &text, const QString &what)
{
    const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    if (time.isValid())
        return milliseconds(time.toMSecsSinceEpoch());
    try {
        return milliseconds(QDateTime::currentMSecsSinceEpoch()) - parseDuration(text, what);
    } catch (const UsageError &) {
        throw UsageError(QStringLiteral("%1: \"%2\" is no time; give how long ago (90s, 2h, 7d) or a date: "
                                        "2024-05-01, 2024-05-01T12:00:00Z")
                             .arg(what, text));
    }
}

milliseconds parseStart(const QString &text, const QString &what)
{
    const QDateTime now = QDateTime::currentDateTime();
    QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    QTime ofDay = QTime::fromString(text, QStringLiteral("HH:mm"));
    if (!ofDay.isValid())
        ofDay = QTime::fromString(text, QStringLiteral("HH:mm:ss"));
    if (ofDay.isValid()) {
        time = QDateTime(now.date(), ofDay);
        if (time <= now)
            time = QDateTime(now.date().addDays(1), ofDay);
    }
    if (!time.isValid())
        throw UsageError(QStringLiteral("%1: \"%2\" is no time; give a date, 2030-05-01T12:00 or 2030-05-01T12:00:00Z, "
                                        "or a time of day, 18:30")
                             .arg(what, text));
    if (time < now)
        throw UsageError(QStringLiteral("%1: %2 has passed; leave it out to start at once").arg(what, text));
    return milliseconds(time.toMSecsSinceEpoch());
}

qint64 parseSize(const QString &text, const QString &what, qint64 minimum)
{
    const std::optional<double> value = parseQuantity(text, Sizes);
    constexpr double Largest = 512.0 * 1099511627776; // exact as a double, and in JSON
    if (value && *value > Largest)
        throw UsageError(QStringLiteral("%1: \"%2\" is too large; give at most 512T").arg(what, text));
    if (!value || *value != std::floor(*value))
        throw UsageError(
            QStringLiteral("%1: \"%2\" is no size; give bytes or a unit of 1024: 4096, 64K, 10M, 2G").arg(what, text));
    if (*value < static_cast<double>(minimum))
        throw UsageError(
            QStringLiteral("%1: \"%2\" is too little; give at least %3").arg(what, text, formatSize(minimum)));
    return static_cast<qint64>(*value);
}

qint64 parseInteger(const QString &text, const QString &what, qint64 minimum, qint64 maximum)
{
    bool ok = false;
    const qint64 value = text.toLongLong(&ok);
    if (!ok || value < minimum || value > maximum)
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not a whole number from %3 to %4").arg(what, text).arg(minimum).arg(maximum));
    return value;
}

QString formatDuration(milliseconds duration)
{
    const qint64 ms = duration.count();
    if (ms == 0)
        return QStringLiteral("0s");
    if (ms < 1000)
        return QStringLiteral("%1ms").arg(ms);
    if (ms < 60'000)
        return QStringLiteral("%1s").arg(static_cast<double>(ms) / 1000, 0, 'f', ms % 1000 == 0 ? 0 : 1);
    const qint64 seconds = ms / 1000;
    if (seconds < 3600)
        return twoParts(seconds / 60, "m", seconds % 60, "s");
    if (seconds < 86400)
        return twoParts(seconds / 3600, "h", seconds / 60 % 60, "m");
    return twoParts(seconds / 86400, "d", seconds / 3600 % 24, "h");
}

QString formatSize(qint64 bytes)
{
    constexpr const char *Units[] = {"", "K", "M", "G", "T"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        ++unit;
    }
    const bool whole = unit == 0 || value >= 10 || value == std::floor(value);
    return QString::number(value, 'f', whole ? 0 : 1) + QLatin1String(Units[unit]);
}

QString formatTime(milliseconds sinceEpoch)
{
    if (sinceEpoch.count() == 0)
        return {};
    return QDateTime::fromMSecsSinceEpoch(sinceEpoch.count(), Qt::UTC).toString(Qt::ISODateWithMs);
}

} // namespace drover::app
