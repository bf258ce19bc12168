#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/filter_options.h"
#include "app/jobs/job_json.h"
#include "jobs/explain/waits_for.h"

#include <algorithm>
#include <array>
#include <limits>

namespace drover::app {

namespace {

using jobs::JobState;

constexpr qsizetype DefaultLimit = 200;
constexpr qsizetype Everything = std::numeric_limits<int>::max();

std::optional<JobState> stateFrom(const Arguments &arguments)
{
    constexpr std::array States{JobState::Held,      JobState::Waiting, JobState::Ready,    JobState::Running,
                                JobState::Succeeded, JobState::Failed,  JobState::Cancelled};
    if (!arguments.has("state"))
        return std::nullopt;
    QStringList names;
    for (const JobState state : States) {
        names.append(jobs::stateName(state));
        if (names.last() == arguments.value("state"))
            return state;
    }
    throw UsageError(QStringLiteral("--state: \"%1\" must be one of %2")
                         .arg(arguments.value("state"), names.join(QStringLiteral(", "))));
}

QJsonObject rowOf(const jobs::JobView &job, const QString &text)
{
    QJsonObject row = jobJson(job);
    if (!text.isEmpty())
        row.insert(QStringLiteral("waits_for"), text);
    return row;
}

// Progress of arrays, what jobs wait for, and comments: each has a column only if a job has one.
QList<Column> columnsFor(const QList<QJsonObject> &rows)
{
    QList<Column> columns = JobListColumns;
    const auto anyHas = [&](const char *field) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const QJsonObject &row) { return row.contains(QLatin1String(field)); });
    };
    if (anyHas("waits_for"))
        columns.insert(2, {"waits_for", "WAITS FOR", Column::Kind::Text, true, 20});
    if (anyHas("progress"))
        columns.insert(2, {"progress", "PROGRESS"});
    if (anyHas("comment"))
        columns.insert(columns.size() - 1, {"comment", "COMMENT", Column::Kind::Text, true});
    return columns;
}

// A program reads them all; a person would not.
qsizetype limitFrom(const Context &context)
{
    return context.arguments().integer("rows", 1, 1'000'000, context.out().isTable() ? DefaultLimit : Everything);
}

jobs::ListFilter filterFrom(const Arguments &arguments, std::optional<JobState> state)
{
    jobs::ListFilter filter;
    filter.queue = arguments.name("queue", "");
    filter.tasks = arguments.has("tasks");
    if (!arguments.positional().isEmpty())
        filter.array = parseJobId(arguments.at(0)).array();
    filter.finished = arguments.has("all") || (state && jobs::isFinal(*state));
    filter.unfinished = !state || !jobs::isFinal(*state);
    return filter;
}

// Throws NotFound for what is not there. Of an array that has ended all has ended.
async::Task<void> checkNames(Context &context, jobs::Cluster cluster, jobs::ListFilter &filter)
{
    if (!filter.queue.isEmpty())
        co_await jobs::requireQueue(cluster, filter.queue);
    if (filter.array) {
        const jobs::JobView array = co_await lookUpAnywhere(context, cluster, *filter.array);
        filter.finished |= array.record.has_value();
    }
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const std::optional<JobState> state = stateFrom(arguments);
    const qsizetype limit = limitFrom(context);
    jobs::ListFilter filter = filterFrom(arguments, state);
    const jobs::JobFilter description = jobFilterFrom(arguments);

    const jobs::Cluster cluster = co_await context.openCluster();
    co_await checkNames(context, cluster, filter);
    const bool past = filter.finished && keepsHistory(context);
    // These are known only once the jobs have been read. So is which of the ended jobs are the latest.
    const bool chooses = state || description.describes();
    filter.limit = chooses || filter.finished ? Everything : limit;
    jobs::JobList list = co_await jobs::listJobs(cluster, filter);
    if (chooses) {
        std::erase_if(list.jobs, [&](const jobs::JobView &job) {
            return (state && job.state != *state) || !description.fits(job);
        });
        list.total = static_cast<qsizetype>(list.jobs.size());
    }
    filter.limit = limit;
    if (past)
        co_await addArchived(context, filter, state, description, list);
    else if (filter.finished)
        sortByEnd(list);
    list.jobs.resize(std::min(list.jobs.size(), static_cast<std::size_t>(limit)));
    const QStringList waits = co_await jobs::waitsFor(cluster, list.jobs);
    QList<QJsonObject> rows;
    for (std::size_t i = 0; i < list.jobs.size(); ++i)
        rows.append(rowOf(list.jobs[i], waits[static_cast<qsizetype>(i)]));
    context.out().list("jobs", columnsFor(rows), rows, {{QStringLiteral("total"), list.total}});
    if (list.total > rows.size())
        Output::message(QStringLiteral("%1 of %2 jobs shown; --rows N shows more").arg(rows.size()).arg(list.total));
    co_return ExitOk;
}

} // namespace

Command ls()
{
    return {.name = "ls",
            .synopsis = "[OPTIONS] [ARRAY]",
            .summary = "List jobs: running, then waiting in the order of dispatch, then the latest that ended",
            .details =
                "An array is one line; with the array's id its tasks are listed alone, those of one that has "
                "ended as with\n"
                "--all.\n\n"
                "PRIO is the priority, 0 before 9. FOR is how long the job has been in this state. EXIT is the "
                "exit code. WAITS FOR says what keeps a job: that it is held, waits for others or for a time, that "
                "its queue is paused, that no worker can run it or has room, that another program's znodes block "
                "it, or what it waits for at its worker. drover why ID says it whole, and what else keeps the job.",
            .options =
                QList<QCommandLineOption>{
                    option("all", "finished jobs as well, those of the history included"),
                    option("tasks", "the tasks of arrays as well"), option("queue", "jobs of one queue", "QUEUE"),
                    option("state", "jobs in one state", "held|waiting|ready|running|succeeded|failed|cancelled"),
                    option("rows", "list at most so many (default: 200; json and jsonl: all)", "N")}
                + filterOptions(),
            .takes = {{CompletionKind::Array}},
            .argumentCount = {0, 1},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover ls", "drover ls --all --tag nightly --rows 20", "drover ls -o json --state running"},
            .exits = {{"3", "there is no such array"}},
            .run = execute};
}

} // namespace drover::app
