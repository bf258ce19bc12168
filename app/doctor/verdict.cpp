#include "app/doctor/verdict.h"

#include "app/cli/exit_codes.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <algorithm>
#include <map>

namespace drover::app {

namespace {

using Level = Finding::Level;

constexpr int Indent = 9; // "problem" and a gap
constexpr qint64 MostOfAKind = 20;

QString nameOf(Level level)
{
    switch (level) {
    case Level::Ok:
        return QStringLiteral("ok");
    case Level::Unknown:
        return QStringLiteral("unknown");
    case Level::Warning:
        return QStringLiteral("warning");
    case Level::Problem:
        break;
    }
    return QStringLiteral("problem");
}

QJsonObject rowOf(const Finding &finding)
{
    QJsonObject row{{QStringLiteral("level"), nameOf(finding.level)},
                    {QStringLiteral("subject"), finding.subject},
                    {QStringLiteral("what"), finding.what}};
    if (!finding.advice.isEmpty())
        row.insert(QStringLiteral("advice"), finding.advice);
    if (!finding.place.isEmpty())
        row.insert(QStringLiteral("place"), finding.place);
    return row;
}

void tellOne(const Output &out, const Finding &finding)
{
    const int width = out.terminal().width > 0 ? std::max(1, out.terminal().width - Indent) : 0;
    const QString place = finding.place.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(finding.place);
    QStringList lines = wrapped(text::printable(finding.subject + place + QStringLiteral(": ") + finding.what), width);
    if (!finding.advice.isEmpty())
        lines += wrapped(text::printable(QStringLiteral("to do: ") + finding.advice), width);
    const QString level = nameOf(finding.level);
    QString margin = out.coloured(level, level.leftJustified(Indent));
    for (const QString &line : lines)
        out.line(std::exchange(margin, QString(Indent, u' ')) + line);
}

// A flood of findings of one kind would hide the others, and take an hour to read.
void tellAll(const Output &out, const Findings &findings)
{
    std::map<std::pair<Level, QString>, qint64> seen; // by the first word of the subject
    for (const Finding &finding : findings) {
        if (++seen[{finding.level, finding.subject.section(u' ', 0, 0)}] <= MostOfAKind)
            tellOne(out, finding);
    }
    for (const auto &[kind, count] : seen) {
        if (count > MostOfAKind)
            tellOne(out,
                    {kind.first, kind.second,
                     QStringLiteral("and %1 more of these (all: drover doctor -o jsonl)")
                         .arg(text::formatCount(count - MostOfAKind))});
    }
}

} // namespace

int tellFindings(const Output &out, const Findings &findings)
{
    const auto count = [&](Level level) {
        return std::count_if(findings.begin(), findings.end(), [&](const Finding &f) { return f.level == level; });
    };
    const qint64 problems = count(Level::Problem);
    const qint64 warnings = count(Level::Warning);
    const qint64 unknown = count(Level::Unknown);
    if (out.isTable()) {
        tellAll(out, findings);
        QString total = QStringLiteral("%1, %2").arg(text::formatCount(problems, "problem", "problems"),
                                                     text::formatCount(warnings, "warning", "warnings"));
        if (unknown > 0)
            total += QStringLiteral(", %1 unknown").arg(unknown);
        out.line(problems + warnings + unknown == 0 ? QStringLiteral("all is well") : total);
    } else {
        QList<QJsonObject> rows;
        for (const Finding &finding : findings)
            rows.append(rowOf(finding));
        out.list("findings", {}, rows,
                 {{QStringLiteral("problems"), problems},
                  {QStringLiteral("warnings"), warnings},
                  {QStringLiteral("unknown"), unknown}});
    }
    return problems == 0 ? ExitOk : ExitError;
}

} // namespace drover::app
