#include "gui/text/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace drover::gui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Format", text);
}

// Characters that a viewer cannot see but that change what it sees.
bool isInvisible(char16_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff
        || (c >= 0x80 && c <= 0x9f);
}

} // namespace

QString visibleText(const QString &text, bool multiLine)
{
    QString shown;
    shown.reserve(text.size());
    for (const QChar c : text) {
        const char16_t unit = c.unicode();
        if (multiLine && (unit == u'\n' || unit == u'\t'))
            shown.append(c);
        else if (unit < 0x20)
            shown.append(QChar(0x2400 + unit));
        else if (unit == 0x7f)
            shown.append(QChar(0x2421));
        else if (isInvisible(unit))
            shown.append(QStringLiteral("<U+%1>").arg(QString::number(unit, 16).toUpper().rightJustified(4, u'0')));
        else
            shown.append(c);
    }
    return shown;
}

QString visibleText(const QByteArray &utf8, bool multiLine)
{
    return visibleText(QString::fromUtf8(utf8), multiLine);
}

QString formatCount(qint64 count)
{
    return QLocale().toString(count);
}

QString formatBytes(qint64 bytes)
{
    return QLocale().formattedDataSize(bytes, bytes < 1024 ? 0 : 1, QLocale::DataSizeIecFormat);
}

QString formatHex(qint64 number)
{
    return QStringLiteral("0x") + QString::number(static_cast<quint64>(number), 16);
}

QString formatDuration(std::chrono::milliseconds duration)
{
    const qint64 ms = std::max<qint64>(duration.count(), 0);
    const qint64 seconds = ms / 1000;
    if (ms < 1000)
        return tr("%1 ms").arg(ms);
    if (seconds < 60)
        return tr("%1 s").arg(seconds);
    if (seconds < 3600)
        return tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
    if (seconds < 86400)
        return tr("%1 h %2 min").arg(seconds / 3600).arg(seconds / 60 % 60);
    return tr("%1 d %2 h").arg(seconds / 86400).arg(seconds / 3600 % 24);
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
    return QLocale().toString(instant, today ? QStringLiteral("HH:mm:ss") : QStringLiteral("d MMM HH:mm"));
}

QString formatInstantAndAge(qint64 ms)
{
    if (ms == 0)
        return {};
    const std::chrono::milliseconds age(QDateTime::currentMSecsSinceEpoch() - ms);
    return tr("%1 (%2 ago)").arg(formatInstant(ms), formatDuration(age));
}

} // namespace drover::gui
