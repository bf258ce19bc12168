#include "app/commands/commands.h"
#include "app/failure.h"
#include "app/job_file_json.h"
#include "app/job_json.h"
#include "app/job_verb.h"
#include "app/past_jobs.h"
#include "app/submission.h"
#include "jobs/submitter.h"

namespace drover::app {

namespace {

// An ended job, and the one to submit for another run of the same.
struct Repeated {
    jobs::JobState was{};
    jobs::JobSpec job;
};

void requireEnded(const jobs::JobView &job)
{
    if (job.entry)
        throw jobs::WrongState(
            QStringLiteral("job %1 has not ended (%2): drover requeue begins one that runs anew; what "
                           "drover resubmit --dry-run prints of it drover submit --file submits as "
                           "another")
                .arg(job.id.toString(), jobs::stateName(job.state)));
}

// Of a task: the array that is this task alone, and tells it of as many as before.
jobs::JobSpec taskOf(jobs::JobSpec array, const jobs::JobId &task)
{
    if (array.gang > 0)
        throw jobs::WrongState(QStringLiteral("%1 is a member of a gang, whose members begin together: resubmit %2")
                                   .arg(task.toString(), task.array().toString()));
    if (array.arrayCount == 0 && array.array)
        array.arrayCount = array.array->count();
    array.array = jobs::ArrayRange{.first = task.task, .last = task.task};
    return array;
}

async::Task<Repeated> repeat(Context &context, zk::Coordinator &zk, jobs::JobId id, bool ended)
{
    const jobs::JobView view = co_await lookUpAnywhere(context, zk, id);
    if (ended)
        requireEnded(view);
    std::optional<jobs::JobSpec> job = co_await jobToRepeat(context, zk, view);
    if (!job)
        throw jobs::WrongState(
            QStringLiteral("the record of job %1 does not hold all of the job (%2): submit it as it was submitted then")
                .arg(id.toString(),
                     view.record && !view.record->reason.isEmpty() ? view.record->reason
                                                                   : QStringLiteral("it was too large for it")));
    Repeated repeated{view.state, std::move(*job)};
    if (id.isTask())
        repeated.job = taskOf(std::move(repeated.job), id);
    co_return repeated;
}

async::Task<QJsonObject> resubmitOne(Context &context, zk::Coordinator &zk, jobs::Submitter &submitter, jobs::JobId id)
{
    Repeated repeated = co_await repeat(context, zk, id, true);
    jobs::JobSpec job = resubmitted(std::move(repeated.job), context.arguments());
    QJsonObject row{{QStringLiteral("id"), id.toString()}, {QStringLiteral("from"), jobs::stateName(repeated.was)}};
    co_await requireDependencies(context, zk, job);
    const jobs::JobId made = co_await submitter.submit(std::move(job));
    row.insert(QStringLiteral("result"), QStringLiteral("resubmitted"));
    row.insert(QStringLiteral("new_id"), made.toString());
    co_return row;
}

// What would be submitted.
async::Task<int> showOne(Context &context, jobs::JobId id)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    Repeated repeated = co_await repeat(context, *zk, id, false);
    context.out().document(jobFileJson(resubmitted(std::move(repeated.job), context.arguments())));
    co_return ExitOk;
}

async::Task<int> execute(Context &context)
{
    std::vector<jobs::JobId> ids;
    for (const QString &text : context.arguments().positional())
        ids.push_back(parseJobId(text));
    if (context.arguments().has("dry-run")) {
        if (ids.size() > 1)
            throw UsageError(QStringLiteral("--dry-run prints one job file: name one job"));
        co_return co_await showOne(context, ids.front());
    }
    requireValidOptions(context.arguments());
    zk::Coordinator *const zk = co_await context.openCluster();
    jobs::Submitter submitter(*zk, context.layout(), context.clusterConfig(), whenFull(context));
    const auto act = [&](zk::Coordinator &session, const jobs::JobId &id) {
        return resubmitOne(context, session, submitter, id);
    };
    const JobVerb verb{.participle = "resubmitted", .arrays = JobSelection::Arrays::AsOne, .act = act, .toEnded = true};
    const JobSelection named(std::move(ids));
    const int code = co_await actOnJobs(context, *zk, named, verb);
    co_return code;
}

} // namespace

Command resubmit()
{
    return {
        .name = "resubmit",
        .synopsis = "[OPTIONS] ID...",
        .summary = "Submit jobs that have ended again, as they were or with changes",
        .details = "Each becomes a new job with the command, the environment and all else of the old one, also of "
                   "one that is\n"
                   "in the history alone; options win: drover resubmit --memory 2G ID. What it waited for, its "
                   "start time, its\n"
                   "hold and its dedupe key are not repeated. A task (ID.7) becomes an array of that one task.",
        .options = jobOptions()
            + QList{waitForRoomOption(), option("dry-run", "print the job as a job file in JSON and submit nothing")},
        .takes = {{ValueKind::EndedJob}},
        .minArguments = 1,
        .maxArguments = Command::Unlimited,
        .run = execute};
}

} // namespace drover::app
