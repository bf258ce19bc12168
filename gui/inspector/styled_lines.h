#pragma once

#include "gui/text/terminal_text.h"

class QPalette;
class QTextCursor;

namespace drover::gui {

// Inserts lines of a terminal, each with its line end, and a last one without. Their colours are made to be read on the
// base of that palette.
void insertLines(QTextCursor &at, const QList<TerminalText::Line> &ended, const TerminalText::Line &last,
                 const QPalette &palette);

} // namespace drover::gui
