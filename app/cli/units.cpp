#include "app/cli/units.h"

#include "app/cli/failure.h"
#include "text/instant.h"
#include "text/name.h"
#include "text/quantity.h"

#include <QDateTime>

#include <ctime>

namespace drover::app {

using std::chrono::milliseconds;

milliseconds parseDuration(const QString &text, const QString &what)
{
    const std::optional<milliseconds> value = text::parseDuration(text);
    if (!value)
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not a duration; give seconds, or a number and a unit, up to 365d: "
                           "90, 500ms, 10s, 2m, 1.5h, 4m10s, 1d")
                .arg(what, text));
    return *value;
}

milliseconds parseAge(const QString &text, const QString &what)
{
    const milliseconds age = parseDuration(text, what);
    bool hasNoUnit = false;
    text.trimmed().toDouble(&hasNoUnit);
    if (hasNoUnit && age.count() > 0)
        throw UsageError(QStringLiteral("%1: \"%2\" has no unit; say %2d for days, %2h for hours or %2s for seconds")
                             .arg(what, text.trimmed()));
    return age;
}

milliseconds parseInstant(const QString &text, const QString &what)
{
    const std::optional<milliseconds> instant = text::parseInstant(text);
    if (!instant)
        throw UsageError(QStringLiteral("%1: \"%2\" is not a time; give how long ago (90s, 2h, 7d) or a date: "
                                        "2024-05-01, 2024-05-01T12:00:00Z")
                             .arg(what, text));
    return *instant;
}

namespace {

// The instants at which clocks here show that date and time. There is none in the hour that they leave out when they go
// forward, and there are two in the hour that comes twice when they go back.
QList<milliseconds> instantsOf(const QDate &date, const QTime &time)
{
    constexpr std::time_t Day = 86'400;
    const auto offsetAt = [](std::time_t instant) {
        std::tm local{};
        ::localtime_r(&instant, &local);
        return local.tm_gmtoff;
    };
    const QDateTime shown(date, time, Qt::UTC);
    QList<milliseconds> instants;
    for (const long offset : {offsetAt(shown.toSecsSinceEpoch() - Day), offsetAt(shown.toSecsSinceEpoch() + Day)}) {
        const milliseconds instant = milliseconds(shown.toMSecsSinceEpoch()) - std::chrono::seconds(offset);
        const bool isShown = offsetAt(shown.toSecsSinceEpoch() - offset) == offset;
        if (isShown && !instants.contains(instant))
            instants.append(instant);
    }
    return instants;
}

milliseconds onlyInstantOf(const QDate &date, const QTime &time, const QString &what)
{
    const QList<milliseconds> instants = instantsOf(date, time);
    if (instants.size() == 1)
        return instants.first();
    const QString shown = QDateTime(date, time, Qt::UTC).toString(QStringLiteral("yyyy-MM-ddTHH:mm:ss"));
    if (instants.isEmpty())
        throw UsageError(QStringLiteral("%1: there is no %2 here, because clocks go forward then; give an earlier or a "
                                        "later time")
                             .arg(what, shown));
    throw UsageError(QStringLiteral("%1: %2 comes twice here, because clocks go back then; say which: %3 or %4")
                         .arg(what, shown, formatTime(instants[0]), formatTime(instants[1])));
}

// The next day on which clocks here show that time of day later than now.
QDate nextDateOf(const QTime &ofDay)
{
    const QDateTime now = QDateTime::currentDateTime();
    const QList<milliseconds> today = instantsOf(now.date(), ofDay);
    const bool isAhead = !today.isEmpty() && today.last().count() > now.toMSecsSinceEpoch();
    return isAhead ? now.date() : now.date().addDays(1);
}

} // namespace

milliseconds parseStart(const QString &text, const QString &what)
{
    QTime ofDay = QTime::fromString(text, QStringLiteral("HH:mm"));
    if (!ofDay.isValid())
        ofDay = QTime::fromString(text, QStringLiteral("HH:mm:ss"));
    const QDateTime withoutZone = QDateTime::fromString(text + u'Z', Qt::ISODateWithMs);
    const QDate day = QDate::fromString(text, Qt::ISODate);
    milliseconds instant{};
    if (ofDay.isValid()) {
        instant = onlyInstantOf(nextDateOf(ofDay), ofDay, what);
    } else if (withoutZone.isValid()) {
        instant = onlyInstantOf(withoutZone.date(), withoutZone.time(), what);
    } else if (day.isValid() && day.toString(Qt::ISODate) == text) { // Qt would leave out what follows
        instant = onlyInstantOf(day, QTime(0, 0), what);
    } else {
        const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
        if (!time.isValid())
            throw UsageError(
                QStringLiteral("%1: \"%2\" is not a time; give a date, 2030-05-01T12:00 or 2030-05-01T12:00:00Z, "
                               "or a time of day, 18:30")
                    .arg(what, text));
        instant = milliseconds(time.toMSecsSinceEpoch());
    }
    if (instant.count() < QDateTime::currentMSecsSinceEpoch())
        throw UsageError(QStringLiteral("%1: %2 has passed; leave it out to start at once").arg(what, text));
    if (instant > text::LastInstant)
        throw UsageError(QStringLiteral("%1: %2 is too late; the last year is 2115").arg(what, text));
    return instant;
}

qint64 parseSize(const QString &text, const QString &what, qint64 minimum)
{
    const std::optional<qint64> value = text::parseSize(text);
    if (!value)
        throw UsageError(QStringLiteral("%1: \"%2\" is not a size; give bytes or units of 1024, up to 512T: 4096, 64K, "
                                        "10M, 2GiB")
                             .arg(what, text));
    if (*value < minimum)
        throw UsageError(
            QStringLiteral("%1: \"%2\" is too little; give at least %3").arg(what, text, text::formatSize(minimum)));
    return *value;
}

qint64 parseInteger(const QString &text, const QString &what, qint64 minimum, qint64 maximum)
{
    bool ok = false;
    const qint64 value = text.toLongLong(&ok);
    if (!ok || value < minimum || value > maximum)
        throw UsageError(QStringLiteral("%1: \"%2\" is not a whole number from %3 to %4")
                             .arg(what, text, QString::number(minimum), QString::number(maximum)));
    return value;
}

QByteArray parseName(const QString &text, const QString &what)
{
    if (!text::isName(text))
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not a valid name; %3").arg(what, text, QLatin1String(text::NameRule)));
    return text.toLatin1();
}

QByteArray parseLockName(const QString &text, const QString &what)
{
    if (!text::isLockName(text))
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not a valid name; %3").arg(what, text, QLatin1String(text::LockNameRule)));
    return text.toLatin1();
}

QString formatTime(milliseconds sinceEpoch)
{
    if (sinceEpoch.count() == 0)
        return {};
    return QDateTime::fromMSecsSinceEpoch(sinceEpoch.count(), Qt::UTC).toString(Qt::ISODateWithMs);
}

} // namespace drover::app
