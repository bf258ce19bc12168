#include "app/jobs/bulk_job_command.h"

#include "app/cli/input_lines.h"
#include "app/cli/parallel_in_order.h"
#include "app/jobs/archived_jobs.h"
#include "jobs/client/batch_creator.h"
#include "jobs/client/unmade_tasks.h"
#include "text/quantity.h"
#include "zk/error.h"

#include <algorithm>

#include <unistd.h>

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"id", "ID"},         {"from", "FROM", Column::Kind::State},    {"result", "RESULT", Column::Kind::State},
    {"new_id", "NEW ID"}, {"tasks", "TASKS", Column::Kind::Number}, {"state", "STATE", Column::Kind::State},
    {"name", "NAME"},
};

QList<Column> usedIn(const QList<QJsonObject> &rows)
{
    QList<Column> columns;
    for (const Column &column : Columns) {
        const bool used = std::any_of(rows.begin(), rows.end(),
                                      [&](const QJsonObject &row) { return row.contains(QLatin1String(column.key)); });
        if (used)
            columns.append(column);
    }
    return columns;
}

// The first of them, and how many others there are.
QString listed(const QStringList &jobs)
{
    constexpr qsizetype Most = 20;
    const QString first = jobs.mid(0, Most).join(QStringLiteral(", "));
    if (jobs.size() <= Most)
        return first;
    return QStringLiteral("%1 and %2 of the jobs behind it").arg(first).arg(jobs.size() - Most);
}

} // namespace

async::Task<Acted> outcomeOf(const Context &context, QString job, async::Task<QJsonObject> acting, bool named)
{
    Acted acted{.named = named};
    try {
        QJsonObject row = co_await acting;
        acted.row = std::move(row);
    } catch (const zk::SessionLost &error) {
        acted.inDoubt = job;
        acted.failure = {ExitUnreachable, QString::fromUtf8(error.what())};
    } catch (const zk::ConnectionLoss &error) {
        acted.inDoubt = job;
        acted.failure = {ExitUnreachable, QString::fromUtf8(error.what())};
    } catch (const jobs::SubmittedOrNot &error) {
        acted.inDoubt = job;
        acted.failure = {ExitUnreachable, error.why};
    } catch (const zk::AccessDenied &error) {
        acted.failure = {ExitDenied, context.whyDenied(QString::fromUtf8(error.what()))};
    } catch (const std::exception &) { // report it, and act on the other jobs
        acted.failure = explain(std::current_exception());
    }
    co_return acted;
}

void JobTally::add(Acted acted)
{
    ++m_all;
    m_found = m_found || !acted.named;
    if (acted.row) {
        m_rows.append(*acted.row);
        return;
    }
    if (!acted.inDoubt.isEmpty()) {
        m_inDoubt.append(acted.inDoubt);
        m_trouble = m_trouble.isEmpty() ? acted.failure.message : m_trouble;
        m_code = m_code == ExitOk ? acted.failure.code : m_code;
        return;
    }
    const bool expected = acted.failure.code == ExitWrongState || acted.failure.code == ExitNotFound;
    if (!acted.named && expected) {
        m_leftOut = m_leftOut.isEmpty() ? acted.failure.message : m_leftOut;
        return;
    }
    if (!m_told.contains(acted.failure.message))
        Output::message(acted.failure.message);
    m_told.insert(acted.failure.message);
    m_code = m_code == ExitOk ? acted.failure.code : m_code;
}

int JobTally::finish(const Output &out, const char *participle, Print what) const
{
    if (what == Print::NewIds) {
        for (const QJsonObject &row : m_rows)
            out.line(row.value(QStringLiteral("new_id")).toString());
    } else if (!m_rows.isEmpty() || !out.isTable()) {
        out.list("jobs", usedIn(m_rows), m_rows);
    }
    if (!m_inDoubt.isEmpty())
        Output::message(QStringLiteral("%1 may have been %2 or not: %3; look before you repeat it: drover ls --all")
                            .arg(listed(m_inDoubt), QLatin1String(participle), m_trouble));
    if (m_found)
        Output::message(QStringLiteral("%1 of %2 matching jobs %3%4")
                            .arg(QString::number(m_rows.size()), QString::number(m_all), QLatin1String(participle),
                                 m_leftOut.isEmpty() ? QString() : QStringLiteral("; ") + m_leftOut));
    return m_rows.isEmpty() && m_code == ExitOk ? ExitWrongState : m_code;
}

namespace {

QJsonObject refuseEnded(const jobs::JobView &past)
{
    throw jobs::WrongState(
        QStringLiteral("job %1 has already ended (%2)").arg(past.id.toString(), jobs::stateName(past.state)));
}

// Acts on one job. A named job that was archived gives the error that it would have given in done/.
async::Task<QJsonObject> act(Context &context, jobs::Cluster cluster, BulkJobCommand verb, JobSelection::Chosen chosen)
{
    const std::function<QJsonObject(const jobs::JobView &)> refuse = refuseEnded;
    async::Task<QJsonObject> acting = verb.act(cluster, chosen.id);
    QJsonObject row;
    if (chosen.named)
        row = co_await orArchived(context, chosen.id, std::move(acting), refuse);
    else
        row = co_await acting;
    co_return row;
}

// Acts on tasks that their array has not created yet. Returns true if the range is a single such task.
async::Task<bool> actBeforehand(jobs::Cluster cluster, BulkJobCommand verb, jobs::JobRange tasks, JobTally &tally)
{
    try {
        const qint32 count = co_await verb.actBeforehand(cluster, tasks);
        if (count > 0)
            tally.add({.row = QJsonObject{{QStringLiteral("id"), tasks.toString()},
                                          {QStringLiteral("result"), QLatin1String(verb.participle)},
                                          {QStringLiteral("tasks"), count}}});
        co_return count > 0 && tasks.last == tasks.first.task;
    } catch (const jobs::NotFound &) { // told when the others are looked for
    } catch (const jobs::WrongState &) {
        tally.add({.failure = explain(std::current_exception())});
    }
    co_return false;
}

// The tasks have no nodes yet. Returns true if the range is a single such task.
async::Task<bool> refuseUnmade(jobs::Cluster cluster, BulkJobCommand verb, jobs::JobRange tasks, JobTally &tally)
{
    const jobs::UnmadeTasks unmade = co_await jobs::findUnmade(cluster, tasks);
    if (unmade.toCome.empty())
        co_return false;
    const QString count = text::formatCount(qint64(unmade.toCome.size()), "task", "tasks");
    tally.add({.failure = {
                   ExitWrongState,
                   QStringLiteral("%1 of %2 still to be made by array %3 cannot be %4 alone; the array can")
                       .arg(count, tasks.toString(), tasks.first.array().toString(), QLatin1String(verb.participle))}});
    co_return tasks.last == tasks.first.task;
}

// Returns the tasks without nodes that were named alone and are refused.
async::Task<QSet<jobs::JobId>> refuseUnmade(jobs::Cluster cluster, BulkJobCommand verb, JobSelection selection,
                                            JobTally &tally)
{
    QSet<jobs::JobId> refused;
    for (const jobs::JobRange &tasks : verb.refusesUnmade ? selection.namedTasks() : std::vector<jobs::JobRange>()) {
        const bool isSettled = co_await refuseUnmade(cluster, verb, tasks, tally);
        if (isSettled)
            refused.insert(tasks.first);
    }
    co_return refused;
}

CommandError noneChosen(const JobSelection &selection)
{
    return CommandError(ExitNotFound,
                        selection.narrowsNamed()
                            ? QStringLiteral("no unfinished job matches: named jobs must also match all filters; "
                                             "drover ls lists the jobs")
                            : QStringLiteral("no unfinished job matches; drover ls lists them"));
}

async::Task<QJsonObject> look(Context &context, jobs::Cluster cluster, jobs::JobId id, BulkJobCommand verb)
{
    const jobs::JobView job = co_await lookUpAnywhere(context, cluster, id);
    if (jobs::isFinal(job.state))
        refuseEnded(job);
    if (verb.check)
        verb.check(job);
    QJsonObject row{{QStringLiteral("id"), id.toString()}, {QStringLiteral("state"), jobs::stateName(job.state)}};
    if (job.spec)
        row.insert(QStringLiteral("name"), job.spec->title());
    co_return row;
}

// Prints the jobs that the command would act on.
async::Task<int> preview(Context &context, jobs::Cluster cluster, JobSelection selection, BulkJobCommand verb)
{
    JobTally tally;
    const QSet<jobs::JobId> refused = co_await refuseUnmade(cluster, verb, selection, tally);
    std::vector<JobSelection::Chosen> chosen = co_await selection.find(cluster, verb.arrays);
    std::erase_if(chosen, [&](const JobSelection::Chosen &one) { return refused.contains(one.id); });
    const bool namesTasks = verb.actBeforehand && !selection.namedTasks().empty();
    if (chosen.empty() && tally.empty() && !namesTasks)
        throw noneChosen(selection);
    ParallelInOrder<Acted> tasks(context.loop(), [&tally](Acted acted) { tally.add(std::move(acted)); });
    for (const JobSelection::Chosen &one : chosen)
        co_await tasks.add(outcomeOf(context, one.id.toString(), look(context, cluster, one.id, verb),
                                     one.named && !(namesTasks && one.id.isTask())));
    co_await tasks.finish();
    const int listed = tally.finish(context.out(), "listed; --dry-run changes none");
    const int code = namesTasks && tally.empty() ? ExitOk : listed;
    if (namesTasks)
        Output::message(QStringLiteral("tasks that their arrays have not made yet are not listed, and would be %1 too")
                            .arg(QLatin1String(verb.participle)));
    co_return code;
}

// Asks a person at a terminal before many jobs are changed. Throws CommandError if the answer is not yes.
async::Task<void> askIfMany(Context &context, jobs::Cluster cluster, JobSelection selection, BulkJobCommand verb)
{
    if (context.arguments().has("yes") || !::isatty(STDIN_FILENO) || !::isatty(STDERR_FILENO))
        co_return;
    const std::vector<JobSelection::Chosen> chosen = co_await selection.find(cluster, verb.arrays);
    const auto found = std::count_if(chosen.begin(), chosen.end(), [](const auto &one) { return !one.named; });
    if (found <= MostUnasked)
        co_return;
    std::fprintf(stderr, "drover: %d jobs match and are to be %s; go on? [y/N] ", int(found), verb.participle);
    InputLines input(100);
    const std::optional<InputLines::Line> answer = co_await input.next();
    const QByteArray word = answer ? answer->text.trimmed().toLower() : QByteArray();
    if (word != "y" && word != "yes")
        throw CommandError(ExitError,
                           QStringLiteral("no job was %1; --dry-run lists them, --yes does not ask")
                               .arg(QLatin1String(verb.participle)));
}

} // namespace

Command bulkCommand(Command own)
{
    own.options = JobSelection::options()
        + QList{option("dry-run", "list the jobs that would be acted on, and change none"),
                option("yes", "do not ask, however many jobs match; scripts are never asked")};
    own.argumentCount = {static_cast<int>(own.takes.size()) - 1, Command::Unlimited}; // all but the jobs are needed
    if (own.needs.isEmpty())
        own.needs = {{trust::Role::Viewer, QStringLiteral("--dry-run")}, {trust::Role::Operate}};
    own.check = "drover ls --all";
    own.exits = {{"3", "a named job does not exist, or no job matches"},
                 {"4", "a named job was in the wrong state, or none of the found ones was in the right one"}};
    return own;
}

async::Task<int> actOnJobs(Context &context, QStringList ids, BulkJobCommand verb)
{
    const JobSelection selection(context.arguments(), ids);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_return co_await actOnJobs(context, cluster, selection, verb);
}

async::Task<int> actOnJobs(Context &context, jobs::Cluster cluster, JobSelection selection, BulkJobCommand verb)
{
    if (context.arguments().has("dry-run"))
        co_return co_await preview(context, cluster, selection, verb);
    co_await askIfMany(context, cluster, selection, verb);
    JobTally tally;
    QSet<jobs::JobId> settled;
    for (const jobs::JobRange &tasks : verb.actBeforehand ? selection.namedTasks() : std::vector<jobs::JobRange>()) {
        const bool isSettled =
            co_await actBeforehand(cluster, verb, tasks, tally); // first, so that none is made meanwhile
        if (isSettled)
            settled.insert(tasks.first);
    }
    const QSet<jobs::JobId> refused = co_await refuseUnmade(cluster, verb, selection, tally);
    settled += refused;
    std::vector<JobSelection::Chosen> chosen = co_await selection.find(cluster, verb.arrays);
    std::erase_if(chosen, [&](const JobSelection::Chosen &one) { return settled.contains(one.id); });
    if (chosen.empty() && tally.empty())
        throw noneChosen(selection);
    ParallelInOrder<Acted> tasks(context.loop(), [&tally](Acted acted) { tally.add(std::move(acted)); });
    for (const JobSelection::Chosen &one : chosen)
        co_await tasks.add(outcomeOf(context, one.id.toString(), act(context, cluster, verb, one), one.named));
    co_await tasks.finish();
    co_return tally.finish(context.out(), verb.participle);
}

QJsonObject changeRow(const jobs::JobId &id, const jobs::JobChange &change, const QString &result)
{
    QJsonObject row{{QStringLiteral("id"), id.toString()},
                    {QStringLiteral("from"), jobs::stateName(change.from)},
                    {QStringLiteral("result"), result.isEmpty() ? jobs::stateName(change.to) : result}};
    if (change.id != id)
        row.insert(QStringLiteral("new_id"), change.id.toString());
    return row;
}

} // namespace drover::app
