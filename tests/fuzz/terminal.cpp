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
    const QByteArray shown = whole.pass(input) + whole.finish();
    const qsizetype at = input.isEmpty() ? 0 : quint8(input[0]) % input.size();
    text::TerminalFilter parts;
    requireEqual(parts.pass(input.first(at)) + parts.pass(input.sliced(at)) + parts.finish(), shown,
                 "what two parts show");

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
