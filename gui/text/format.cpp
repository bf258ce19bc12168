#include "gui/text/format.h"

#include "text/quantity.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QTextDocument>

namespace drover::gui {

QString formatHex(qint64 number)
{
    return QStringLiteral("0x") + QString::number(static_cast<quint64>(number), 16);
}

QString formatInstant(qint64 ms)
{
    return ms == 0 ? QString() : QDateTime::fromMSecsSinceEpoch(ms).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
}

QString formatSince(qint64 ms)
{
    if (ms == 0)
        return {};
    const QDateTime instant = QDateTime::fromMSecsSinceEpoch(ms);
    const bool today = instant.date() == QDate::currentDate();
    return QLocale().toString(
        instant,
        today ? QStringLiteral("HH:mm:ss")
              : QCoreApplication::translate("Format", "d MMM HH:mm", "day, month and time, as QDateTime has them"));
}

QString formatDay(qint64 ms)
{
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(ms).date(),
                              QCoreApplication::translate("Format", "d MMM", "day and month, as QDate has them"));
}

QString formatInstantAndAge(qint64 ms)
{
    if (ms == 0)
        return {};
    const qint64 age = QDateTime::currentMSecsSinceEpoch() - ms;
    const std::chrono::milliseconds distance(std::abs(age));
    return (age < 0 ? QCoreApplication::translate("Format", "%1 (in %2)")
                    : QCoreApplication::translate("Format", "%1 (%2 ago)"))
        .arg(formatInstant(ms), text::formatDuration(std::chrono::floor<std::chrono::seconds>(distance)));
}

QString shortCount(qint64 count)
{
    constexpr qint64 Thousand = 1000;
    const auto scaled = [&](qint64 unit, QChar letter) {
        const qint64 tenths = count * 10 / unit;
        return tenths < 100 ? QStringLiteral("%1.%2%3").arg(tenths / 10).arg(tenths % 10).arg(letter)
                            : QStringLiteral("%1%2").arg(tenths / 10).arg(letter);
    };
    if (count < Thousand)
        return QString::number(count);
    return count < Thousand * Thousand ? scaled(Thousand, u'k') : scaled(Thousand * Thousand, u'M');
}

QString plainToolTip(const QString &text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

} // namespace drover::gui
