#include "gui/text/marks.h"

#include <array>

namespace drover::gui {

namespace {

constexpr std::array ControlNames{"NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS",  "TAB", "LF",
                                  "VT",  "FF",  "CR",  "SO",  "SI",  "DLE", "DC1", "DC2", "DC3", "DC4", "NAK",
                                  "SYN", "ETB", "CAN", "EM",  "SUB", "ESC", "FS",  "GS",  "RS",  "US"};

QString markOf(char32_t c)
{
    if (c < ControlNames.size())
        return QStringLiteral("⟨%1⟩").arg(QLatin1String(ControlNames[c]));
    if (c == 0x7f)
        return QStringLiteral("⟨DEL⟩");
    return QStringLiteral("⟨U+%1⟩").arg(QString::number(uint(c), 16).toUpper().rightJustified(4, u'0'));
}

} // namespace

QString marked(const QString &text, text::LineEnds lineEnds)
{
    return text::printable(text, lineEnds, markOf);
}

QString marked(const QByteArray &utf8, text::LineEnds lineEnds)
{
    return marked(QString::fromUtf8(utf8), lineEnds);
}

} // namespace drover::gui
