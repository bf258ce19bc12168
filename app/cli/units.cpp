#include "app/cli/units.h"

#include "app/cli/failure.h"
#include "text/name.h"
#include "text/quantity.h"

#include <QDateTime>

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

milliseconds parseInstant(const QString &text, const QString &what)
{
    const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    if (time.isValid())
        return milliseconds(time.toMSecsSinceEpoch());
    try {
        return milliseconds(QDateTime::currentMSecsSinceEpoch()) - parseDuration(text, what);
    } catch (const UsageError &) {
        throw UsageError(QStringLiteral("%1: \"%2\" is not a time; give how long ago (90s, 2h, 7d) or a date: "
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
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not a time; give a date, 2030-05-01T12:00 or 2030-05-01T12:00:00Z, "
                           "or a time of day, 18:30")
                .arg(what, text));
    if (time < now)
        throw UsageError(QStringLiteral("%1: %2 has passed; leave it out to start at once").arg(what, text));
    const milliseconds instant(time.toMSecsSinceEpoch());
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
