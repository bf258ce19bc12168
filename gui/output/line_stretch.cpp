#include "gui/output/line_stretch.h"

#include "gui/output/output_lines.h"

#include <algorithm>

namespace drover::gui {

namespace {

// How much of a stretch is left.
struct Room {
    qsizetype lines = 0;
    qsizetype bytes = 0;

    bool take(QByteArrayView line)
    {
        if (lines == 0 || bytes <= 0)
            return false;
        --lines;
        bytes -= line.size();
        return true;
    }
};

constexpr Room All{400, 32 * 1024};
constexpr Room Behind{300, 24 * 1024}; // of that, the line itself included

// What a terminal shows of lines that follow each other. Each is a line of its own, also if it was broken.
QList<TerminalText::Line> shownLines(const QList<QByteArrayView> &lines, const TerminalText::Style &style)
{
    QString text;
    for (const QByteArrayView line : lines)
        text += QString::fromUtf8(line.endsWith('\n') ? line.chopped(1) : line) + u'\n';
    return TerminalText(style).add(text);
}

} // namespace

LineStretch stretchAround(const OutputFile &file, qint64 line)
{
    const int middle = file.blockOf(line);
    OutputFile::Block around = file.block(std::max(0, middle - 1));
    for (int i = std::max(1, middle); i <= std::min(file.blocks() - 1, middle + 1); ++i)
        around.bytes += file.block(i).bytes;
    const QList<QByteArrayView> lines = linesOf(around.bytes);
    const qsizetype place = std::clamp<qsizetype>(line - around.first, 0, std::max<qsizetype>(0, lines.size() - 1));
    Room behind = Behind;
    qsizetype end = place;
    while (end < lines.size() && behind.take(lines[end]))
        ++end;
    Room before{All.lines - (Behind.lines - behind.lines), All.bytes - (Behind.bytes - behind.bytes)};
    qsizetype begin = place;
    while (begin > 0 && before.take(lines[begin - 1]))
        --begin;
    TerminalText::Style style = around.style;
    for (qsizetype i = 0; i < begin; ++i)
        style = styleAfter(lines[i], style);
    return {around.first + begin, shownLines(lines.sliced(begin, end - begin), style)};
}

} // namespace drover::gui
