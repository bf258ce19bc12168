#include "app/cli/failure.h"
#include "app/cluster/schedule_json.h"
#include "app/commands/commands.h"
#include "app/submission/submission.h"
#include "jobs/client/own_clock.h"
#include "jobs/client/prover.h"
#include "jobs/client/submitter.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::requireClockToSign(cluster);
    const jobs::StoredSchedule stored = co_await jobs::findSchedule(cluster, name);
    if (!stored.entry)
        throw jobs::WrongState(
            QStringLiteral("schedule %1 is malformed: %2").arg(QString::fromUtf8(name), stored.malformed));
    jobs::Prover prover(cluster); // who runs it signs it
    co_await prover.requireSchedule(stored);
    jobs::JobSpec spec = stored.entry->job;
    spec.submittedAt = context.loop().wallClock();
    jobs::Submitter submitter(cluster, context.clusterConfig());
    submitter.leaveToSession();
    const jobs::JobId id = co_await submitJob(context, submitter, spec);
    printSubmitted(context, id);
    co_return ExitOk;
}

} // namespace

Command cronRun()
{
    return {.name = "cron run",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Submit a job that recurs now, once, and print its id",
            .details =
                "Its ticks stay as they are, also while it is paused; the policy for overlaps does not count this\n"
                "job, and LAST and LAST JOB of cron ls do not show it.",
            .options = {option("id-only", "print nothing but the id, whatever -o says")},
            .takes = {{CompletionKind::Schedule}},
            .needs = {{trust::Role::Submit, {}, Need::Signs}},
            .check = "drover ls --all",
            .examples = {"drover cron run nightly"},
            .exits = {{"3", "there is no such schedule"},
                      {"4",
                       "the schedule cannot be read, or this machine's clock is more than 5 minutes ahead of "
                       "ZooKeeper's"},
                      {"5", "in a closed cluster: no person with a valid certificate has signed it"},
                      {"7", "the queue is full"}},
            .run = execute};
}

} // namespace drover::app
