#include "app/commands/commands.h"
#include "app/submission.h"
#include "jobs/submitter.h"
#include "jobs/wait.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const jobs::JobSpec spec = specFrom(context.arguments());
    const QByteArray checked = spec.encode(); // refuses what is too large before anything is asked
    zk::Coordinator *const zk = co_await context.openCluster();
    jobs::Submitter submitter(*zk, context.layout(), context.clusterConfig());
    const jobs::JobId id = co_await submitter.submit(spec);
    printSubmitted(context, id);
    if (!context.arguments().has("wait"))
        co_return ExitOk;
    const jobs::FinalRecord record = co_await jobs::waitForEnd(*zk, context.layout(), id);
    co_return record.exitCode();
}

} // namespace

Command submit()
{
    return {.name = "submit",
            .synopsis = "[OPTIONS] -- COMMAND [ARGUMENT...]",
            .summary = "Put a job into a queue and print its id",
            .details = "The command is run as it is, without a shell: drover submit -- sh -c 'a | b' for one.\n"
                       "Once the id is printed the job is durable: it runs, or ends with a record that says why not.\n"
                       "A job's environment is PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ and what --env adds.",
            .options = submissionOptions() + QList{option("wait", "wait for the end and return the job's exit code")},
            .minArguments = 1,
            .maxArguments = Command::Unlimited,
            .runsProgram = true,
            .run = execute};
}

} // namespace drover::app
