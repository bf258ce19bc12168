#include "app/cli/sentence.h"

namespace drover::app {

void printSentence(const Output &out, const QString &text, const QString &advice)
{
    const int width = out.terminal().width;
    const QString whole = advice.isEmpty() ? text : text + QStringLiteral("; ") + advice;
    if (width == 0 || displayWidth(whole) <= width) {
        out.line(whole);
        return;
    }
    const QString indent(2, u' ');
    const int room = width - static_cast<int>(indent.size());
    QStringList lines = wrapped(advice.isEmpty() ? text : text + u';', room);
    if (!advice.isEmpty())
        lines += wrapped(advice, room);
    out.line(lines.join(u'\n' + indent));
}

} // namespace drover::app
