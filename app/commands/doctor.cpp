#include "app/commands/commands.h"
#include "app/context.h"
#include "app/doctor/cluster_checks.h"
#include "app/doctor/server_checks.h"
#include "app/failure.h"
#include "jobs/count_text.h"

#include <algorithm>

namespace drover::app {

namespace {

using Level = Finding::Level;

const QList<Column> Columns{
    {"level", "", Column::Kind::State},
    {"subject", "PART"},
    {"what", "WHAT"},
    {"advice", "WHAT TO DO", Column::Kind::Text, true},
};

QString nameOf(Level level)
{
    switch (level) {
    case Level::Ok:
        return QStringLiteral("ok");
    case Level::Warning:
        return QStringLiteral("warning");
    case Level::Problem:
        break;
    }
    return QStringLiteral("problem");
}

int tell(const Output &out, const Findings &findings)
{
    QList<QJsonObject> rows;
    for (const Finding &finding : findings) {
        QJsonObject row{{QStringLiteral("level"), nameOf(finding.level)},
                        {QStringLiteral("subject"), finding.subject},
                        {QStringLiteral("what"), finding.what}};
        if (!finding.advice.isEmpty())
            row.insert(QStringLiteral("advice"), finding.advice);
        rows.append(row);
    }
    const auto count = [&](Level level) {
        return std::count_if(findings.begin(), findings.end(), [&](const Finding &f) { return f.level == level; });
    };
    const qint64 problems = count(Level::Problem);
    const qint64 warnings = count(Level::Warning);
    out.list("findings", Columns, rows,
             {{QStringLiteral("problems"), problems}, {QStringLiteral("warnings"), warnings}});
    if (out.isTable())
        out.line(problems + warnings == 0
                     ? QStringLiteral("all is well")
                     : QStringLiteral("%1, %2").arg(jobs::formatCount(problems, "problem", "problems"),
                                                    jobs::formatCount(warnings, "warning", "warnings")));
    return problems == 0 ? ExitOk : ExitError;
}

async::Task<int> execute(Context &context)
{
    Findings findings;
    if (!context.settings().connect.isEmpty())
        findings = co_await checkServers(context.loop(), context.settings().connect);
    try {
        zk::Coordinator *const zk = co_await context.openCluster();
        const Findings found = co_await checkCluster(*zk, context.layout());
        findings += found;
    } catch (const CommandError &error) {
        if (findings.isEmpty())
            throw;
        findings.append({Level::Problem, QStringLiteral("session"), QString::fromUtf8(error.what()), {}});
    } catch (const jobs::NotFound &error) {
        findings.append({Level::Problem, QStringLiteral("cluster"), QString::fromUtf8(error.what()), {}});
    }
    co_return tell(context.out(), findings);
}

} // namespace

Command doctor()
{
    return {.name = "doctor",
            .synopsis = "[OPTIONS]",
            .summary = "Tell what is wrong with this cluster, and what to do",
            .details =
                "Asks every server how it is, then looks at the cluster's workers, master, queues, history and\n"
                "shared files. It changes nothing. The exit code is 1 if there is a problem; warnings leave it 0.",
            .run = execute};
}

} // namespace drover::app
