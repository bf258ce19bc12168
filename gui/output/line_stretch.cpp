#include "gui/output/line_stretch.h"

#include "gui/output/output_lines.h"

#include <algorithm>

namespace drover::gui {

namespace {

constexpr qsizetype Always = 64; // lines on each side, however long they are: a page has no more

// The bytes that may be seen of a line. A progress bar is written over, and only one of its steps is seen.
qsizetype mostSeen(QByteArrayView line)
{
    qsizetype most = 0;
    for (qsizetype begin = 0; begin < line.size();) {
        const qsizetype back = line.indexOf('\r', begin);
        const qsizetype end = back < 0 ? line.size() : back + 1;
        most = std::max(most, end - begin);
        begin = end;
    }
    return most;
}

// How much of a stretch is left.
struct Room {
    qsizetype lines = 0;
    qsizetype bytes = 0; // that may be seen
    qsizetype taken = 0; // lines

    bool take(QByteArrayView line)
    {
        if (taken == lines || (bytes <= 0 && taken >= Always))
            return false;
        ++taken;
        bytes -= mostSeen(line);
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
    const int low = std::min(std::max(0, middle - 1), file.blockOf(line - Always));
    const int high = std::min(file.blocks() - 1, std::max(middle + 1, file.blockOf(line + 2 * Always)));
    OutputFile::Block around = file.block(low);
    for (int i = low + 1; i <= high; ++i)
        around.bytes += file.block(i).bytes;
    const QList<QByteArrayView> lines = linesOf(around.bytes);
    const qsizetype place = std::clamp<qsizetype>(line - around.first, 0, std::max<qsizetype>(0, lines.size() - 1));
    Room behind = Behind;
    qsizetype end = place;
    while (end < lines.size() && behind.take(lines[end]))
        ++end;
    Room before{All.lines - behind.taken, All.bytes - (Behind.bytes - behind.bytes)};
    qsizetype begin = place;
    while (begin > 0 && before.take(lines[begin - 1]))
        --begin;
    TerminalText::Style style = around.style;
    for (qsizetype i = 0; i < begin; ++i)
        style = styleAfter(lines[i], style);
    return {around.first + begin, shownLines(lines.sliced(begin, end - begin), style)};
}

} // namespace drover::gui
