#include "jobs/cancel.h"

#include "app/commands/commands.h"
#include "app/context.h"
#include "app/failure.h"
#include "app/job_json.h"

namespace drover::app {

namespace {

const QList<Column> Columns{{"id", "ID"}, {"result", "RESULT"}};

async::Task<int> execute(Context &context)
{
    QList<jobs::JobId> ids;
    for (const QString &text : context.arguments().positional())
        ids.append(parseJobId(text));
    zk::Coordinator *const zk = co_await context.openCluster();

    int code = ExitOk;
    QList<QJsonObject> rows;
    for (const jobs::JobId &id : ids) {
        try {
            const jobs::CancelResult result = co_await jobs::cancel(*zk, context.layout(), id);
            const bool over = result == jobs::CancelResult::Cancelled;
            rows.append({{QStringLiteral("id"), id.toString()},
                         {QStringLiteral("result"), over ? QStringLiteral("cancelled") : QStringLiteral("stopping")}});
            if (result == jobs::CancelResult::MarkedWithoutMaster)
                Output::message(QStringLiteral("array %1 ends when there is a master: start a worker, drover worker")
                                    .arg(id.toString()));
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &) { // the others are still to be cancelled
            const Failure failure = explain(std::current_exception());
            Output::message(failure.message);
            code = code == ExitOk ? failure.code : code;
        }
    }
    if (!rows.isEmpty() || !context.out().isTable())
        context.out().list("jobs", Columns, rows);
    co_return code;
}

} // namespace

Command cancel()
{
    return {.name = "cancel",
            .synopsis = "[OPTIONS] ID...",
            .summary = "Cancel jobs: those that wait will not run, those that run are stopped",
            .details = "\"stopping\" means that the job's worker has been told; drover wait ID waits for the end.",
            .minArguments = 1,
            .maxArguments = Command::Unlimited,
            .run = execute};
}

} // namespace drover::app
