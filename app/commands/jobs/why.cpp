#include "jobs/explain/why.h"

#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/job_json.h"
#include "text/printable.h"

namespace drover::app {

namespace {

async::Task<jobs::Explanation> explainAnywhere(Context &context, jobs::Cluster cluster, jobs::JobId id)
{
    return orArchived(context, id, jobs::explain(cluster, id), jobs::explainEnded);
}

async::Task<int> execute(Context &context)
{
    const jobs::JobId id = parseJobId(context.arguments().at(0));
    const jobs::Cluster cluster = co_await context.openCluster();
    const jobs::Explanation explanation = co_await explainAnywhere(context, cluster, id);
    const Output &out = context.out();
    if (out.isTable()) {
        for (const jobs::Reason &reason : explanation.reasons)
            printSentence(out, text::printable(id.toString() + QStringLiteral(": ") + reason.what),
                          text::printable(reason.advice));
        co_return ExitOk;
    }
    QJsonArray reasons;
    for (const jobs::Reason &reason : explanation.reasons) {
        QJsonObject row{{QStringLiteral("what"), reason.what}};
        if (!reason.advice.isEmpty())
            row.insert(QStringLiteral("advice"), reason.advice);
        reasons.append(row);
    }
    QJsonObject object = jobJson(explanation.job);
    object.insert(QStringLiteral("reasons"), reasons);
    out.object({}, object);
    co_return ExitOk;
}

} // namespace

Command why()
{
    return {.name = "why",
            .synopsis = "[OPTIONS] ID",
            .summary = "Tell why a job is not running",
            .details =
                "What keeps it now comes first: that it is held, what it waits for, that its queue is paused, that\n"
                "no worker has what it needs, who holds the lock that it asks for, how many are ahead of it.",
            .takes = {{CompletionKind::AnyJob}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover why default-42"},
            .exits = {{"3", "there is no such job"}},
            .run = execute};
}

} // namespace drover::app
