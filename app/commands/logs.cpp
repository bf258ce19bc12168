#include "app/commands/commands.h"
#include "app/context.h"
#include "app/job_json.h"
#include "app/job_output.h"
#include "app/output_form.h"
#include "app/past_jobs.h"

namespace drover::app {

namespace {

constexpr qint64 MaxTail = 1'000'000'000; // lines

async::Task<int> execute(Context &context)
{
    requireNoForm(context.arguments(), "what the job has written");
    const jobs::JobId id = parseJobId(context.arguments().at(0));
    const bool error = context.arguments().has("stderr");
    zk::Coordinator *const zk = co_await context.openCluster();
    output::Streams streams{.output = !error, .error = error};
    if (context.arguments().has("tail"))
        streams.lastLines = context.arguments().integer("tail", 0, MaxTail, 0);
    JobOutput output(context, *zk, streams);
    const jobs::JobView job = co_await lookUpAnywhere(context, *zk, id);
    if (context.arguments().has("follow") && !job.record && !job.progress)
        co_await output.follow(id);
    else
        co_await output.copy(job);
    co_return ExitOk;
}

} // namespace

Command logs()
{
    return {
        .name = "logs",
        .synopsis = "[OPTIONS] ID",
        .summary = "Print what a job has written",
        .details =
            "The output is kept on the machine of the job's worker. It is read from there, or, on another machine,\n"
            "through that worker (drover worker --listen). If the worker has gone, the last 4 KiB come from the\n"
            "job's final record, and a message says so.",
        .options = {option("f follow", "go on until the job has ended"),
                    option("stderr", "standard error instead of standard output"),
                    option("tail", "only the last N lines of what there is", "N")},
        .takes = {{ValueKind::BegunJob}},
        .minArguments = 1,
        .maxArguments = 1,
        .run = execute};
}

} // namespace drover::app
