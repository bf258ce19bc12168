#pragma once

#include "gui/text/terminal_text.h"

#include <QByteArrayView>
#include <QList>

namespace drover::gui {

// How output is divided into lines. A line ends behind its '\n'. A longer one is broken after TerminalText::MaxLine
// bytes without a carriage return, and after 16 KiB in any case. Where lines end depends on nothing but the bytes from
// the beginning of the first one. All are pure functions.

// The end of the line that begins at `begin`, which is beyond its '\n' if it has one. -1: more of it may come.
qsizetype endOfLine(QByteArrayView bytes, qsizetype begin);

// All lines, the last one also if more of it may come.
QList<QByteArrayView> linesOf(QByteArrayView bytes);

// The style of what follows the line. Sequences that a line end cuts are none.
TerminalText::Style styleAfter(QByteArrayView line, const TerminalText::Style &style);

// Whether the text is shown as it is written: nothing in it is obeyed or marked.
bool isPlain(QByteArrayView text);

// The characters of a line that a terminal would show, without colours.
QString shownText(QByteArrayView line);

} // namespace drover::gui
