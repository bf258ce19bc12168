#include "fuzz/harness/target.h"
#include "text/printable.h"
#include "text/terminal_filter.h"

#include <QJsonDocument>
#include <QRegularExpression>

using namespace drover;

// Bytes of a job on their way to a terminal: whole, and in two parts at a place that the first byte chooses.
DROVER_FUZZ_TARGET(terminal, Form::Bytes)
{
    text::TerminalFilter whole;
    QByteArray shown = whole.pass(input); // one after the other: the operands of + have no order
    shown += whole.finish();
    const qsizetype at = input.isEmpty() ? 0 : quint8(input[0]) % input.size();
    text::TerminalFilter parts;
    QByteArray joined = parts.pass(input.first(at));
    joined += parts.pass(input.sliced(at));
    joined += parts.finish();
    requireEqual(joined, shown, "what two parts show");

    const QString safe = text::printable(input);
    require(text::printable(safe) == safe, "what is printable is not");
    static const QRegularExpression allowed(QStringLiteral("\x1b\\[[0-9;:]*m|\r(?=\n)"));
    const QString left = QString::fromUtf8(shown).remove(allowed);
    require(text::printable(left, text::LineEnds::Keep) == left,
            "a character reaches the terminal that is not printable");
    if (const QJsonDocument json = QJsonDocument::fromJson(input); !json.isNull())
        require(QJsonDocument::fromJson(text::printableJson(json.toJson())) == json,
                "printable JSON means something else");
}
