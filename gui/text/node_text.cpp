#include "gui/text/node_text.h"

#include "text/printable.h"

#include <QJsonDocument>
#include <QStringDecoder>

#include <optional>

namespace drover::gui {

namespace {

constexpr qsizetype MaxText = 256 * 1024; // bytes
constexpr qsizetype MaxHex = 64 * 1024;

std::optional<QString> asText(const QByteArray &data)
{
    QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decode(data);
    if (decode.hasError() || data.contains('\0'))
        return std::nullopt;
    return text;
}

std::optional<QString> asJson(const QByteArray &data)
{
    const QJsonDocument document = QJsonDocument::fromJson(data);
    if (document.isNull())
        return std::nullopt;
    return QString::fromUtf8(document.toJson(QJsonDocument::Indented)).trimmed();
}

NodeText shown(DataFormat format, const QString &text)
{
    return {format, text::printable(text.left(MaxText), text::LineEnds::Keep), text.size() > MaxText};
}

} // namespace

NodeText renderData(const QByteArray &data, DataFormat wanted, int hexWidth)
{
    const bool mayBeJson = wanted == DataFormat::Automatic || wanted == DataFormat::Json;
    if (mayBeJson && data.size() <= MaxText) {
        if (const std::optional<QString> json = asJson(data))
            return shown(DataFormat::Json, *json);
    }
    if (wanted != DataFormat::Hex) {
        if (const std::optional<QString> text = asText(data))
            return shown(DataFormat::Text, *text);
    }
    return {DataFormat::Hex, hexDump(data.left(MaxHex), hexWidth), data.size() > MaxHex};
}

QString hexDump(const QByteArray &data, int width)
{
    const qsizetype half = width / 2;
    QString dump;
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
