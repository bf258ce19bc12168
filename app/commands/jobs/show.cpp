#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/job_json.h"
#include "app/submission/job_fields.h"
#include "jobs/client/unmade_tasks.h"

namespace drover::app {

namespace {

// What was submitted is in the array's record; unless that one has gone.
async::Task<void> addArray(Context &context, jobs::Cluster cluster, jobs::JobView &task)
{
    try {
        std::optional<jobs::JobSpec> job = co_await jobToResubmit(context, cluster, task);
        if (!job)
            co_return;
        job->array.reset();
        job->gang = 0;
        task.record->repeat = job->toResubmit();
    } catch (const jobs::NotFound &) {
    } catch (const jobs::Malformed &) {
    }
}

// With the job as a job file, if its record can be read.
QJsonObject forPrograms(const jobs::JobView &job)
{
    QJsonObject object = wholeJobJson(job);
    try {
        std::optional<jobs::JobSpec> spec = job.spec;
        if (!spec && job.record)
            spec = job.record->jobToResubmit();
        if (spec)
            object.insert(QStringLiteral("job"), jobFileJson(*spec));
    } catch (const jobs::Malformed &) {
    }
    return object;
}

async::Task<int> execute(Context &context)
{
    const jobs::JobId id = parseJobId(context.arguments().at(0));
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::function<jobs::JobView(const jobs::JobView &)> asItIs = [](const jobs::JobView &past) { return past; };
    jobs::JobView job = co_await orArchived(context, id, jobs::lookUpEvenUnmade(cluster, id), asItIs);
    if (id.isTask() && job.record)
        co_await addArray(context, cluster, job);
    context.out().object(JobColumns, context.out().isTable() ? jobJson(job) : forPrograms(job));
    co_return ExitOk;
}

} // namespace

Command show()
{
    return {.name = "show",
            .synopsis = "[OPTIONS] ID",
            .summary = "Show all that is known about a job",
            .details = "With -o json the member \"job\" is the job as a job file. All that is printed may be given to\n"
                       "drover submit --file, which reads that member:\n"
                       "    drover show -o json default-42 | drover submit --file -",
            .takes = {{CompletionKind::AnyJob}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover show default-42", "drover show -o json default-42.7"},
            .exits = {{"3", "there is no such job"}},
            .run = execute};
}

} // namespace drover::app
