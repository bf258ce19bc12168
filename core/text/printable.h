#pragma once

#include <QString>

namespace drover::text {

// Text from outside, made safe to show on a terminal and in a window. Invisible characters are shown as \x1b, \u202e or
// \U000e0001. These are the Unicode categories Control, Format, Line Separator and Paragraph Separator, and unpaired
// surrogates.
enum class LineEnds { Show, Keep }; // Keep: line ends and tabs stay as they are
QString printable(const QString &text, LineEnds lineEnds = LineEnds::Show);
QString printable(const QByteArray &utf8, LineEnds lineEnds = LineEnds::Show);
// With a mark of the caller's for each invisible character.
QString printable(const QString &text, LineEnds lineEnds, QString (*markOf)(char32_t character));

// A JSON document as one of the same meaning: the characters that printable() shows are written as \u202e in it.
QByteArray printableJson(const QByteArray &json);

} // namespace drover::text
