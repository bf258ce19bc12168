#include "gui/inspector/styled_lines.h"

#include "gui/widgets/theme.h"

#include <QTextCursor>

#include <utility>

namespace drover::gui {

namespace {

// The colours of ANSI, made to be read on the base of the palette: the first eight, then their bright ones.
QColor ansiColour(int index, const QPalette &palette)
{
    constexpr QRgb Light[] = {0x1c2128, 0xb3202f, 0x12784a, 0x7a5a00, 0x0f5cad, 0x8a2d8a, 0x0b6a73, 0x57606a,
                              0x3d444d, 0xc62a38, 0x0f7a3d, 0x8f5a00, 0x0f6cbd, 0xa034a0, 0x0a7480, 0x40474f};
    constexpr QRgb Dark[] = {0x8b949e, 0xff7d88, 0x4fd394, 0xe8b84a, 0x5eb1ff, 0xe29bea, 0x56d4dd, 0xd0d7de,
                             0xa5adb7, 0xff9aa2, 0x7ee2b0, 0xf2cc74, 0x8cc8ff, 0xefb8f5, 0x86e3ea, 0xf6f8fa};
    return QColor(isDark(palette) ? Dark[index] : Light[index]);
}

// Of the 256 colours: ANSI, a cube of 6 x 6 x 6, and 24 greys.
QColor indexedColour(int index, const QPalette &palette)
{
    constexpr int Steps[] = {0, 95, 135, 175, 215, 255};
    if (index < 16)
        return ansiColour(index, palette);
    if (index >= 232)
        return QColor::fromHsv(0, 0, 8 + 10 * (index - 232));
    const int place = index - 16;
    return QColor(Steps[place / 36], Steps[place / 6 % 6], Steps[place % 6]);
}

QColor colourOf(int colour, const QPalette &palette)
{
    return colour & TerminalText::Style::Rgb ? QColor(QRgb(colour & 0xffffff)) : indexedColour(colour, palette);
}

QTextCharFormat formatOf(const TerminalText::Style &style, const QPalette &colours)
{
    QTextCharFormat format;
    QColor text = style.foreground == style.Usual ? colours.color(QPalette::Text) : colourOf(style.foreground, colours);
    QColor base = style.background == style.Usual ? colours.color(QPalette::Base) : colourOf(style.background, colours);
    if (style.foreground == style.Usual && style.background != style.Usual) // it may be as dark, or as light
        text = base.lightness() < 128 ? Qt::white : Qt::black;
    if (style.inverse)
        std::swap(text, base);
    format.setForeground(text);
    if (style.inverse || style.background != style.Usual)
        format.setBackground(base);
    if (style.bold)
        format.setFontWeight(QFont::Bold);
    format.setFontItalic(style.italic);
    format.setFontUnderline(style.underlined);
    return format;
}

} // namespace

void insertLines(QTextCursor &at, const QList<TerminalText::Line> &ended, const TerminalText::Line &last,
                 const QPalette &palette)
{
    QString usual; // what has no style goes in at once
    const auto write = [&](const TerminalText::Line &line) {
        for (const TerminalText::Run &run : line) {
            if (run.style == TerminalText::Style()) {
                usual += run.text;
                continue;
            }
            at.insertText(std::exchange(usual, {}), {});
            at.insertText(run.text, formatOf(run.style, palette));
        }
    };
    for (const TerminalText::Line &line : ended) {
        write(line);
        usual += u'\n';
    }
    write(last);
    at.insertText(usual, {});
}

} // namespace drover::gui
