#pragma once

#include "text/printable.h"

namespace drover::gui {

// Text from outside, for widgets: invisible characters become marks such as ⟨ESC⟩, ⟨NUL⟩ and ⟨U+202E⟩. The marks
// consist of characters that each font has, or that a desktop takes from its default font. text/printable.h says which
// characters are invisible. `LineEnds::Keep` leaves line ends and tabs as they are.
QString marked(const QString &text, text::LineEnds lineEnds = text::LineEnds::Show);
QString marked(const QByteArray &utf8, text::LineEnds lineEnds = text::LineEnds::Show);

} // namespace drover::gui
