#include "gui/text/node_text.h"

#include "gui/text/gunzip.h"
#include "gui/text/marks.h"
#include "gui/text/pretty.h"

#include <QStringDecoder>

#include <optional>

namespace drover::gui {

namespace {

constexpr qsizetype MaxHex = 256 * 1024; // bytes
constexpr qsizetype MaxUnpacked = 16 * 1024 * 1024;

std::optional<QString> asText(const QByteArray &data)
{
    QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decode(data);
    if (decode.hasError() || data.contains('\0'))
        return std::nullopt;
    return text;
}

// A view lays out a line as a whole, which takes the longer the longer it is.
QString inShortLines(const QString &text)
{
    QString shown;
    shown.reserve(text.size() + text.size() / NodeText::MaxLine);
    for (qsizetype begin = 0; begin < text.size();) {
        const qsizetype lineEnd = text.indexOf(u'\n', begin);
        const qsizetype next = lineEnd < 0 ? text.size() : lineEnd + 1;
        qsizetype end = std::min(next, begin + NodeText::MaxLine);
        if (end < next && text[end - 1].isHighSurrogate())
            --end;
        shown += QStringView(text).mid(begin, end - begin);
        if (end < next && text[end] != u'\n')
            shown += u'\n';
        begin = end;
    }
    return shown;
}

NodeText shown(DataFormat format, const QString &text)
{
    const QString visible = marked(text.left(NodeText::MaxText), text::LineEnds::Keep);
    return {format, inShortLines(visible), text.size() > NodeText::MaxText};
}

NodeText asHex(const QByteArray &data, int width)
{
    return {DataFormat::Hex, hexDump(data.left(MaxHex), width), data.size() > MaxHex};
}

std::optional<QByteArray> fromBase64(const QByteArray &data)
{
    QByteArray text = data;
    text.replace('\n', "").replace('\r', "");
    const auto decoded = QByteArray::fromBase64Encoding(text, QByteArray::AbortOnBase64DecodingErrors);
    return decoded ? std::optional(*decoded) : std::nullopt;
}

// In the formats for people, each of which has the next as its fallback.
NodeText asStructure(const QByteArray &data, DataFormat wanted, int hexWidth)
{
    const auto mayBe = [&](DataFormat format) { return wanted == DataFormat::Automatic || wanted == format; };
    if (mayBe(DataFormat::Json)) {
        if (const std::optional<QString> json = prettyJson(data))
            return shown(DataFormat::Json, *json);
    }
    if (mayBe(DataFormat::Xml)) {
        if (const std::optional<QString> xml = prettyXml(data))
            return shown(DataFormat::Xml, *xml);
    }
    const std::optional<QString> text = asText(data);
    if (!text)
        return asHex(data, hexWidth);
    if (mayBe(DataFormat::Properties)) {
        if (const std::optional<QString> properties = prettyProperties(*text))
            return shown(DataFormat::Properties, *properties);
    }
    return shown(DataFormat::Text, *text);
}

} // namespace

NodeText renderData(const QByteArray &data, DataFormat wanted, int hexWidth)
{
    if (wanted == DataFormat::Hex)
        return asHex(data, hexWidth);
    if (wanted == DataFormat::ToBase64)
        return shown(wanted, QString::fromLatin1(data.toBase64()));
    std::optional<QByteArray> content;
    if (isGzip(data))
        content = gunzip(data, MaxUnpacked);
    else if (wanted == DataFormat::FromBase64)
        content = fromBase64(data);
    if (!content)
        return asStructure(data, wanted == DataFormat::FromBase64 ? DataFormat::Text : wanted, hexWidth);
    NodeText text = wanted == DataFormat::FromBase64 && isGzip(*content)
        ? renderData(*content, DataFormat::Automatic, hexWidth)
        : asStructure(*content, wanted == DataFormat::FromBase64 ? DataFormat::Automatic : wanted, hexWidth);
    text.unpacked = content->size();
    return text;
}

QString hexDump(const QByteArray &data, int width)
{
    const qsizetype half = width / 2;
    QString dump;
    dump.reserve((data.size() / width + 1) * (hexLineLength(width) + 1));
    for (qsizetype offset = 0; offset < data.size(); offset += width) {
        const QByteArray line = data.mid(offset, width);
        QByteArray ascii = line;
        for (char &c : ascii)
            c = c >= 0x20 && c < 0x7f ? c : '.';
        const QByteArray hex = line.left(half).toHex(' ') + "  " + line.mid(half).toHex(' ');
        dump += QString::number(offset, 16).rightJustified(6, u'0') + QStringLiteral("  ")
            + QString::fromLatin1(hex.leftJustified(3 * width + 1)) + QStringLiteral(" ") + QString::fromLatin1(ascii)
            + u'\n';
    }
    return dump;
}

} // namespace drover::gui
