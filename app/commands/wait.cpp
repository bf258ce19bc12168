#include "jobs/wait.h"

#include "app/commands/commands.h"
#include "app/context.h"
#include "app/failure.h"
#include "app/job_json.h"
#include "app/past_jobs.h"
#include "async/or_timeout.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"id", "ID"},
    {"state", "STATE", Column::Kind::State},
    {"outcome", "OUTCOME"},
    {"exit_code", "EXIT", Column::Kind::Number},
};

struct Ended {
    QList<QJsonObject> rows;
    int exitCode = ExitOk; // of the first that did not return 0
};

// One that has been archived meanwhile has ended long ago.
async::Task<jobs::FinalRecord> waitForEnd(Context &context, zk::Coordinator &zk, jobs::JobId id)
{
    std::exception_ptr unknown;
    try {
        jobs::FinalRecord record = co_await jobs::waitForEnd(zk, context.layout(), id);
        co_return record;
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    const std::optional<jobs::JobView> past = co_await findPast(context, id);
    if (!past)
        std::rethrow_exception(unknown);
    co_return *past->record;
}

// All have to end, so it makes no difference in which order they are awaited.
async::Task<Ended> waitForAll(Context &context, zk::Coordinator &zk, QList<jobs::JobId> ids)
{
    Ended ended;
    for (const jobs::JobId &id : ids) {
        const jobs::FinalRecord record = co_await waitForEnd(context, zk, id);
        ended.rows.append({{QStringLiteral("id"), id.toString()},
                           {QStringLiteral("state"), jobs::stateName(record.state())},
                           {QStringLiteral("outcome"), jobs::outcomeName(record.outcome)},
                           {QStringLiteral("exit_code"), record.exitCode()}});
        if (ended.exitCode == ExitOk)
            ended.exitCode = record.exitCode();
    }
    co_return ended;
}

async::Task<int> execute(Context &context)
{
    QList<jobs::JobId> ids;
    for (const QString &text : context.arguments().positional())
        ids.append(parseJobId(text));
    const std::chrono::milliseconds limit = context.arguments().duration("timeout", std::chrono::milliseconds(-1));
    zk::Coordinator *const zk = co_await context.openCluster();

    Ended ended;
    if (limit.count() < 0) {
        ended = co_await waitForAll(context, *zk, ids);
    } else {
        try {
            ended = co_await async::orTimeout(context.loop(), waitForAll(context, *zk, ids), limit);
        } catch (const async::Timeout &) {
            throw CommandError(ExitTimeout,
                               QStringLiteral("not all have ended within %1; drover ls shows what runs")
                                   .arg(context.arguments().value("timeout")));
        }
    }
    context.out().list("jobs", Columns, ended.rows);
    co_return ended.exitCode;
}

} // namespace

Command wait()
{
    return {.name = "wait",
            .synopsis = "[OPTIONS] ID...",
            .summary = "Wait until jobs have ended",
            .details = "Returns the job's own exit code; of several jobs that of the first one named that is not 0.",
            .options = {option("timeout", "give up after so long, with exit code 124", "DURATION")},
            .minArguments = 1,
            .maxArguments = Command::Unlimited,
            .run = execute};
}

} // namespace drover::app
