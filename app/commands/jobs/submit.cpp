#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/commands/jobs/waiting_notice.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/dependencies.h"
#include "app/jobs/job_json.h"
#include "app/jobs/outcome_text.h"
#include "app/submission/job_fields.h"
#include "app/submission/submission.h"
#include "app/submission/submit_lines.h"
#include "jobs/client/own_clock.h"
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
async::Task<int> awaitEnd(Context &context, jobs::Cluster cluster, jobs::JobId id, WaitingNotice &notice)
{
    const bool whole = !context.out().isTable() && !context.arguments().has("id-only");
    if (whole)
        Output::message(QStringLiteral("job %1 was submitted").arg(id.toString()));
    else
        notice.watch(id);
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
    const jobs::JobSpec asked = co_await readSpec(context.arguments());
    asked.requireFits(); // before ZooKeeper is asked
    if (context.arguments().has("dry-run")) {
        context.out().document(jobFileJson(asked));
        co_return ExitOk;
    }
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::requireClockToSign(cluster);
    const jobs::JobSpec spec = co_await withDependencies(context, cluster, asked);
    jobs::Submitter submitter(cluster, context.clusterConfig(), whenFull(context));
    submitter.leaveToSession();
    const jobs::JobId id = co_await submitJob(context, submitter, spec);
    const bool wait = context.arguments().has("wait");
    if (!wait || context.out().isTable() || context.arguments().has("id-only"))
        printSubmitted(context, id);
    WaitingNotice notice(context, cluster);
    co_await notice.warnIfUnfit(id, spec);
    if (!wait)
        co_return ExitOk;
    try {
        co_return co_await awaitEnd(context, cluster, id, notice);
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
                "A message warns of a job that no present worker could run; it waits for one that can.\n"
                "A job's environment is PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ and what --env adds. To these its\n"
                "worker adds:\n"
                "    DROVER_JOB_ID, DROVER_QUEUE   default-42.7 and default\n"
                "    DROVER_ATTEMPT                1, then 2 if it is retried or was lost.\n"
                "                                  Runs that are given back do not count\n"
                "    DROVER_FENCE                  a number that grows: refuse older ones\n"
                "    DROVER_ARRAY_INDEX            of a task, as the ones below\n"
                "    DROVER_ARRAY_ID, DROVER_ARRAY_COUNT\n"
                "    DROVER_GANG_RANK              from 0, of a gang's member, as below\n"
                "    DROVER_GANG_ID, _SIZE, _PEERS, _WORKERS, _ROUND\n"
                "    DROVER_LOCK_FENCE_NAME        of each --lock NAME\n"
                "    DROVER_LOCK_OWNER             with a lock or limit: by this the\n"
                "                                  console sees a deadlock with the job\n"
                "    DROVER_CONNECT, DROVER_CLUSTER: a job's drover uses its own cluster\n"
                "    DROVER_RUN                    by this the worker finds its processes\n"
                "    DROVER_CREDENTIALS            of a worker with --job-credentials\n"
                "--dir and the folder of --append-to have to be there when the job runs, on its worker. The worker\n"
                "makes the folders of --stdout and --stderr when an attempt begins. --input has to be readable here\n"
                "and there.\n"
                "--stdout, --stderr and --append-to follow symbolic links of root and of the worker's user.\n"
                "Jobs that --after and its like name by their ids must exist. Of a range those numbers are left out\n"
                "that are not jobs; a range without any job is refused. tag:NAME means all jobs with that tag, also\n"
                "those that have ended, so give each run a tag of its own.\n"
                "\n"
                "A job file has the options as its fields, with underscores, and lists in the plural. It is TOML or\n"
                "JSON, and options win over it:\n"
                "    command = [\"make\", \"all\"]\n"
                "    retries = 3\n"
                "    time_limit = \"10m\"\n"
                "    tags = [\"nightly\", \"report\"]\n"
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
            .argumentCount = {0, Command::Unlimited},
            .runsProgram = true,
            .needs = {{std::nullopt, QStringLiteral("--dry-run")}, {trust::Role::Submit, {}, Need::Signs}},
            .check = "drover ls --all",
            .examples = {"drover submit --name nightly --retries 3 -- make -C /srv/report",
                         "drover submit --array 1-100%5 -- sh -c 'echo $DROVER_ARRAY_INDEX'",
                         "drover submit --after-ok default-3..7 --slots 4 --memory 8G -- ./load"},
            .exits = {{"3", "there is no such queue, or no job that --after names"},
                      {"4", "this machine's clock is more than 5 minutes ahead of ZooKeeper's"},
                      {"7", "the queue is full"},
                      {"N", "with --wait the job's own code, as of drover wait"}},
            .run = execute};
}

} // namespace drover::app
