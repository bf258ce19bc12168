#include "text/spreadsheet.h"

#include <QRegularExpression>

namespace drover::text {

QString sheetText(const QString &text)
{
    static const QRegularExpression number(QStringLiteral("\\A[+-]?[0-9]+([.,][0-9]+)*([eE][+-]?[0-9]+)?\\z"));
    constexpr QStringView Begins = u"=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"; // the last four in full width
    const bool isFormula = !text.isEmpty() && Begins.contains(text.front()) && !number.match(text).hasMatch();
    return isFormula ? u'\'' + text : text;
}

} // namespace drover::text
