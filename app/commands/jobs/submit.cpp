#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/job_json.h"
#include "app/jobs/outcome_text.h"
#include "app/submission/job_fields.h"
#include "app/submission/submission.h"
#include "app/submission/submit_lines.h"
#include "jobs/client/submitter.h"

namespace drover::app {

namespace {

// Its output is not shown: that it has failed is said even if there is no more to say than that.
void tellEnd(const jobs::FinalRecord &record)
{
    const QString id = record.id.toString();
    QString became = outcomeText(record);
    if (became.isEmpty() && record.exitCode() != 0)
        became = QStringLiteral("has ended with exit code %1; drover logs %2 shows what it wrote")
                     .arg(QString::number(record.exitCode()), id);
    if (!became.isEmpty())
        Output::message(QStringLiteral("job %1 %2").arg(id, became));
}

// As one document of JSON the job is printed once it has ended; who stops waiting before knows it by the message.
async::Task<int> awaitEnd(Context &context, jobs::Cluster cluster, jobs::JobId id)
{
    const bool whole = !context.out().isTable() && !context.arguments().has("id-only");
    if (whole)
        Output::message(QStringLiteral("job %1 was submitted").arg(id.toString()));
    else
        printSubmitted(context, id);
    const jobs::FinalRecord record = co_await waitForEndAnywhere(context, cluster, id);
    if (whole) {
        const jobs::JobView job = co_await lookUpAnywhere(context, cluster, id);
        context.out().document(wholeJobJson(job));
    } else {
        tellEnd(record);
    }
    co_return record.exitCode();
}

async::Task<int> submitOne(Context &context)
{
    const jobs::JobSpec spec = co_await readSpec(context.arguments());
    const jobs::PreparedJob job(spec); // refuses a job that is too large before it asks ZooKeeper
    if (context.arguments().has("dry-run")) {
        context.out().document(jobFileJson(spec));
        co_return ExitOk;
    }
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await requireDependencies(context, cluster, spec);
    jobs::Submitter submitter(cluster, context.clusterConfig(), whenFull(context));
    submitter.leaveToSession();
    const jobs::JobId id = co_await submitJob(context, submitter, job);
    if (!context.arguments().has("wait")) {
        printSubmitted(context, id);
        co_return ExitOk;
    }
    try {
        const int code = co_await awaitEnd(context, cluster, id);
        co_return code;
    } catch (const zk::SessionLost &error) {
        throw lostWhileWaiting(id, QStringLiteral("drover wait ") + id.toString(), error);
    }
}

async::Task<int> execute(Context &context)
{
    if (!context.arguments().has("stdin"))
        return submitOne(context);
    for (const char *const other : {"file", "wait"}) {
        if (context.arguments().has(other))
            throw UsageError(QStringLiteral("--stdin and --%1 do not go together").arg(QLatin1String(other)));
    }
    return submitLines(context);
}

} // namespace

Command submit()
{
    return {.name = "submit",
            .synopsis = "[OPTIONS] [-- COMMAND [ARGUMENT...]]",
            .summary = "Put a job into a queue and print its id",
            .details =
                "The command is run as it is, without a shell: drover submit -- sh -c 'a | b' for one.\n"
                "Once the id is printed the job is durable: it runs, or ends with a record that says why not.\n"
                "A job's environment is PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ and what --env adds.\n"
                "--stdout, --stderr and --append-to follow symbolic links of root and of the worker's user.\n"
                "\n"
                "A job file has the options' names as its fields; options win over it:\n"
                "    command = [\"make\", \"all\"]\n"
                "    retries = 3\n"
                "    time-limit = \"10m\"\n"
                "    env = { CC = \"gcc\" }\n"
                "\n"
                "With --stdin each line of standard input is such a job in JSON. Ids are printed in the order of the\n"
                "lines; a refused line is reported, the others go on, and the exit code is 1.\n"
                "\n"
                "When ZooKeeper is lost, the message says what was submitted, what was not, and what may have been\n"
                "(exit code 6). Look at the latter before you submit it again.",
            .options = submissionOptions()
                + QList{option("stdin", "submit the jobs on standard input, one in JSON a line"),
                        option("wait", "wait for the end and return the job's exit code; -o json prints the ended job"),
                        waitForRoomOption(), option("id-only", "print nothing but the id, whatever -o says"),
                        option("dry-run", "print the job as a job file in JSON and submit nothing")},
            .takes = {{CompletionKind::Program}},
            .minArguments = 0,
            .maxArguments = Command::Unlimited,
            .runsProgram = true,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
