#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/audit/actor_name.h"
#include "jobs/client/job_requirements.h"
#include "jobs/client/own_clock.h"
#include "text/name.h"

#include <csignal>

namespace drover::app {

namespace {

async::Task<QJsonObject> holdOne(jobs::Cluster cluster, jobs::JobId id)
{
    const jobs::JobChange change = co_await jobs::hold(cluster, id, jobs::actorName(cluster));
    co_return changeRow(id, change);
}

async::Task<int> holdJobs(Context &context)
{
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "held",
                      .arrays = JobSelection::Arrays::WithTasks,
                      .act = holdOne,
                      .check = jobs::requireHoldable,
                      .refusesUnmade = true});
}

async::Task<QJsonObject> releaseOne(jobs::Cluster cluster, jobs::JobId id)
{
    const jobs::JobChange change = co_await jobs::release(cluster, id);
    co_return changeRow(id, change);
}

async::Task<int> releaseJobs(Context &context)
{
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "released",
                      .arrays = JobSelection::Arrays::WithTasks,
                      .act = releaseOne,
                      .check = jobs::requireReleasable});
}

async::Task<QJsonObject> requeueOne(jobs::Cluster cluster, jobs::JobId id)
{
    const jobs::JobChange change = co_await jobs::requeue(cluster, id);
    co_return changeRow(id, change, QStringLiteral("requeueing"));
}

async::Task<int> requeueJobs(Context &context)
{
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "requeued",
                      .arrays = JobSelection::Arrays::TasksAlone,
                      .act = requeueOne,
                      .check = jobs::requireClaimed});
}

// Throws UsageError.
int parseSignal(const QString &text)
{
    const QByteArray name = text.toUpper().toLatin1();
    for (int number = 1; number <= SIGRTMAX; ++number) {
        const char *const abbreviation = ::sigabbrev_np(number);
        if (name == QByteArray::number(number)
            || (abbreviation && (name == abbreviation || name == QByteArray("SIG") + abbreviation)))
            return number;
    }
    throw UsageError(QStringLiteral("\"%1\" is not a signal; give a name or a number: TERM, USR1, 15").arg(text));
}

async::Task<QJsonObject> signalOne(jobs::Cluster cluster, jobs::JobId id, int number)
{
    const jobs::JobChange change = co_await jobs::sendSignal(cluster, id, number);
    co_return changeRow(id, change, QStringLiteral("signalled"));
}

async::Task<int> signalJobs(Context &context)
{
    const QStringList words = context.arguments().positional();
    const int number = parseSignal(words.first());
    const auto act = [number](jobs::Cluster cluster, const jobs::JobId &id) {
        return signalOne(std::move(cluster), id, number);
    };
    return actOnJobs(context, words.mid(1),
                     {.participle = "signalled",
                      .arrays = JobSelection::Arrays::TasksAlone,
                      .act = act,
                      .check = jobs::requireClaimed});
}

async::Task<QJsonObject> priorityOne(jobs::Cluster cluster, jobs::JobId id, int priority)
{
    const jobs::JobChange change = co_await jobs::setPriority(cluster, id, priority);
    co_return changeRow(id, change, QStringLiteral("priority %1").arg(priority));
}

async::Task<int> changePriority(Context &context)
{
    const QStringList words = context.arguments().positional();
    const auto priority =
        static_cast<int>(parseInteger(words.first(), QStringLiteral("the priority"), 0, jobs::JobSpec::MaxPriority));
    const auto act = [priority](jobs::Cluster cluster, const jobs::JobId &id) {
        return priorityOne(std::move(cluster), id, priority);
    };
    return actOnJobs(context, words.mid(1),
                     {.participle = "changed",
                      .arrays = JobSelection::Arrays::WithTasks,
                      .act = act,
                      .check = jobs::requireUnclaimedOrArray});
}

async::Task<QJsonObject> moveOne(jobs::Cluster cluster, jobs::JobId id, QByteArray queue, jobs::ClusterConfig config)
{
    const jobs::JobChange change = co_await jobs::moveToQueue(cluster, id, queue, config);
    co_return changeRow(id, change);
}

async::Task<int> moveJobs(Context &context)
{
    QStringList words = context.arguments().positional();
    const QString queue = words.takeLast();
    if (!text::isName(queue))
        throw UsageError(QStringLiteral("\"%1\" is not a valid queue name; usage: drover move ID... QUEUE").arg(queue));
    const auto act = [&context, queue = queue.toLatin1()](jobs::Cluster cluster, const jobs::JobId &id) {
        return moveOne(std::move(cluster), id, queue, context.clusterConfig());
    };
    const auto check = [queue](const jobs::JobView &job) { jobs::requireMovable(job, queue.toLatin1()); };
    const BulkJobCommand verb{.participle = "moved", .arrays = JobSelection::Arrays::AsOne, .act = act, .check = check};
    const JobSelection selection(context.arguments(), words);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::requireQueue(cluster, queue.toLatin1());
    if (!context.arguments().has("dry-run"))
        co_await jobs::requireClockToSign(cluster);
    co_return co_await actOnJobs(context, cluster, selection, verb);
}

} // namespace

Command hold()
{
    return bulkCommand(
        {.name = "hold",
         .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
         .summary = "Keep jobs from running until they are released",
         .details =
             "A job that runs cannot be held: drover requeue puts it back. Of an array its tasks are held, too, but "
             "those that run go on, and are retried if they fail.",
         .takes = {{CompletionKind::UnheldJob}},
         .examples = {"drover hold default-42", "drover hold --queue default --name report"},
         .run = holdJobs});
}

Command release()
{
    return bulkCommand({.name = "release",
                        .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
                        .summary = "Let jobs run that were held",
                        .takes = {{CompletionKind::HeldJob}},
                        .examples = {"drover release default-42", "drover release --tag nightly"},
                        .run = releaseJobs});
}

Command requeue()
{
    return bulkCommand(
        {.name = "requeue",
         .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
         .summary = "Kill running jobs and put them back into their queue",
         .details = "The job's worker kills it. Then it is ready again, at its old place in the queue. That counts\n"
                    "neither as a failure nor as one of its attempts.",
         .takes = {{CompletionKind::RunningJob}},
         .examples = {"drover requeue default-42"},
         .run = requeueJobs});
}

Command signal()
{
    return bulkCommand(
        {.name = "signal",
         .synopsis = "[OPTIONS] SIGNAL [ID | FIRST..LAST]...",
         .summary = "Send a signal to running jobs, to all of their processes",
         .details = "SIGNAL is a name or a number: USR1, HUP, 15. The request is stored; the job's worker sends the "
                    "signal once.",
         .takes = {{CompletionKind::Signal}, {CompletionKind::RunningJob}},
         .examples = {"drover signal HUP default-42", "drover signal TERM --tag nightly"},
         .run = signalJobs});
}

Command priority()
{
    return bulkCommand({.name = "priority",
                        .synopsis = "[OPTIONS] N [ID | FIRST..LAST]...",
                        .summary = "Give jobs that do not run yet another priority, 0 (first) to 9",
                        .takes = {{}, {CompletionKind::UnclaimedJob}},
                        .examples = {"drover priority 0 default-42", "drover priority 9 --tag nightly"},
                        .run = changePriority});
}

Command move()
{
    return bulkCommand(
        {.name = "move",
         .synopsis = "[OPTIONS] [ID | FIRST..LAST]... QUEUE",
         .summary = "Move jobs that do not run yet to another queue",
         .details = "There each is a new job with an id of its own; under its old id it has ended as cancelled.\n"
                    "In a closed cluster none is moved while this machine's clock is more than 5 minutes\n"
                    "ahead of ZooKeeper's.",
         .takes = {{CompletionKind::UnclaimedJob}, {CompletionKind::UnclaimedJob, CompletionKind::Queue}},
         .needs = {{trust::Role::Viewer, QStringLiteral("--dry-run")}, {trust::Role::Operate, {}, Need::Signs}},
         .examples = {"drover move default-42 other", "drover move --tag nightly other"},
         .run = moveJobs});
}

} // namespace drover::app
