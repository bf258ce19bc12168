#include "gui/output/output_lines.h"

#include <algorithm>

namespace drover::gui {

namespace {

constexpr char Escape = '\x1b';
constexpr qsizetype MostOfStretch = TerminalText::MaxLine; // bytes between carriage returns
constexpr qsizetype MostOfLine = 4 * MostOfStretch;

// No further than `end`, and neither within a character nor within a sequence for the terminal.
qsizetype placeToBreak(QByteArrayView bytes, qsizetype begin, qsizetype end)
{
    constexpr qsizetype LongSequence = 24;
    const qsizetype near = std::max(begin + 1, end - LongSequence);
    const qsizetype escape = bytes.sliced(near, end - near).lastIndexOf(Escape);
    if (escape >= 0)
        return near + escape;
    const auto isContinued = [&](qsizetype place) { return (static_cast<uchar>(bytes[place]) & 0xc0) == 0x80; };
    for (int i = 0; i < 3 && isContinued(end); ++i)
        --end;
    return end;
}

} // namespace

qsizetype endOfLine(QByteArrayView bytes, qsizetype begin)
{
    for (qsizetype stretch = begin;;) { // behind the latest carriage return
        const qsizetype limit = std::min(stretch + MostOfStretch, begin + MostOfLine);
        const QByteArrayView seen = bytes.sliced(stretch, std::min(limit, bytes.size()) - stretch);
        if (const qsizetype end = seen.indexOf('\n'); end >= 0)
            return stretch + end + 1;
        const qsizetype back = seen.lastIndexOf('\r');
        if (back >= 0 && stretch + back + 1 < begin + MostOfLine)
            stretch += back + 1;
        else
            return bytes.size() > limit ? placeToBreak(bytes, begin, limit) : -1;
    }
}

QList<QByteArrayView> linesOf(QByteArrayView bytes)
{
    QList<QByteArrayView> lines;
    qsizetype begin = 0;
    for (qsizetype end = 0; (end = endOfLine(bytes, begin)) >= 0; begin = end)
        lines.append(bytes.sliced(begin, end - begin));
    if (begin < bytes.size())
        lines.append(bytes.sliced(begin));
    return lines;
}

TerminalText::Style styleAfter(QByteArrayView line, const TerminalText::Style &style)
{
    if (!line.contains(Escape))
        return style;
    TerminalText terminal(style);
    terminal.add(QString::fromUtf8(line));
    return terminal.style();
}

bool isPlain(QByteArrayView text)
{
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return (static_cast<uchar>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f; });
}

QString shownText(QByteArrayView line)
{
    TerminalText terminal;
    QList<TerminalText::Line> shown = terminal.add(QString::fromUtf8(line));
    shown.append(terminal.current());
    QString text;
    for (const TerminalText::Line &part : shown) {
        for (const TerminalText::Run &run : part)
            text += run.text;
    }
    return text;
}

} // namespace drover::gui
