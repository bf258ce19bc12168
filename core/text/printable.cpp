#include "text/printable.h"

#include <QByteArray>

#include <algorithm>

namespace drover::text {

namespace {

bool isHidden(char32_t c)
{
    if (c >= 0xe0000 && c <= 0xe0fff) // of tags, selectors, and what fonts show nothing for
        return true;
    switch (QChar::category(c)) {
    case QChar::Other_Control:
    case QChar::Other_Format: // among them those that reverse the direction of writing
    case QChar::Other_Surrogate:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    default:
        return false;
    }
}

QString escaped(char32_t c)
{
    const int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
    return QStringLiteral("\\%1%2")
        .arg(QLatin1Char(c < 0x100         ? 'x'
                             : c < 0x10000 ? 'u'
                                           : 'U'))
        .arg(uint(c), digits, 16, QLatin1Char('0'));
}

} // namespace

QString printable(const QString &text, LineEnds lineEnds, QString (*markOf)(char32_t))
{
    QString shown;
    shown.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool pair = text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        const char32_t c = pair ? QChar::surrogateToUcs4(text[i], text[i + 1]) : text[i].unicode();
        if (isHidden(c) && !(lineEnds == LineEnds::Keep && (c == U'\n' || c == U'\t')))
            shown += markOf(c);
        else
            shown += QStringView(text).mid(i, pair ? 2 : 1);
        i += pair ? 1 : 0;
    }
    return shown;
}

QString printable(const QString &text, LineEnds lineEnds)
{
    return printable(text, lineEnds, escaped);
}

QByteArray printableJson(const QByteArray &json)
{
    const auto isAscii = [](char c) { return uchar(c) < 0x7f; };
    if (std::all_of(json.begin(), json.end(), isAscii)) // the serializer has escaped the other control characters
        return json;
    QString safe;
    for (const char32_t c : QString::fromUtf8(json).toUcs4()) {
        const QString text = QString::fromUcs4(&c, 1);
        if (c < 0x7f || !isHidden(c)) {
            safe += text;
            continue;
        }
        for (const QChar unit : text)
            safe += QStringLiteral("\\u%1").arg(uint(unit.unicode()), 4, 16, QLatin1Char('0'));
    }
    return safe.toUtf8();
}

QString printable(const QByteArray &utf8, LineEnds lineEnds)
{
    return printable(QString::fromUtf8(utf8), lineEnds);
}

} // namespace drover::text
