#pragma once

#include <QString>

namespace drover::text {

// The text of a cell that a spreadsheet is to show. One that it would take for a formula gets an apostrophe before it,
// which makes it text: https://owasp.org/www-community/attacks/CSV_Injection. A number stays as it is.
QString sheetText(const QString &text);

} // namespace drover::text
