#include "app/job_verb.h"

#include "app/failure.h"
#include "app/job_tally.h"
#include "app/ordered_tasks.h"
#include "app/past_jobs.h"

namespace drover::app {

namespace {

// One that has been archived is answered as it was before.
async::Task<QJsonObject> act(Context &context, zk::Coordinator &zk, JobVerb verb, JobSelection::Chosen chosen)
{
    const std::function<QJsonObject(const jobs::JobView &)> refuse = [](const jobs::JobView &past) -> QJsonObject {
        throw jobs::WrongState(
            QStringLiteral("job %1 has already ended (%2)").arg(past.id.toString(), jobs::stateName(past.state)));
    };
    async::Task<QJsonObject> acting = verb.act(zk, chosen.id);
    QJsonObject row;
    if (chosen.named)
        row = co_await orPast(context, chosen.id, std::move(acting), refuse);
    else
        row = co_await acting;
    co_return row;
}

// True if nothing else is to be done about these tasks: it is one that was still to be made.
async::Task<bool> actBeforehand(zk::Coordinator &zk, JobVerb verb, jobs::JobRange tasks, JobTally &tally)
{
    try {
        const qint32 count = co_await verb.actBeforehand(zk, tasks);
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

} // namespace

async::Task<int> actOnJobs(Context &context, QStringList ids, JobVerb verb)
{
    const JobSelection selection(context.arguments(), ids);
    zk::Coordinator *const zk = co_await context.openCluster();
    const int code = co_await actOnJobs(context, *zk, selection, verb);
    co_return code;
}

async::Task<int> actOnJobs(Context &context, zk::Coordinator &zk, JobSelection selection, JobVerb verb)
{
    JobTally tally;
    QSet<jobs::JobId> settled;
    for (const jobs::JobRange &tasks : verb.actBeforehand ? selection.namedTasks() : std::vector<jobs::JobRange>()) {
        const bool isSettled = co_await actBeforehand(zk, verb, tasks, tally); // first, so that none is made meanwhile
        if (isSettled)
            settled.insert(tasks.first);
    }
    std::vector<JobSelection::Chosen> chosen = co_await selection.find(zk, context.layout(), verb.arrays);
    std::erase_if(chosen, [&](const JobSelection::Chosen &one) { return settled.contains(one.id); });
    if (chosen.empty() && tally.empty())
        throw CommandError(ExitNotFound,
                           selection.narrowsNamed()
                               ? QStringLiteral("no unfinished job matches: of those named only the ones that fit all "
                                                "filters are meant; drover ls lists them")
                               : QStringLiteral("no unfinished job matches; drover ls lists them"));
    OrderedTasks<Acted> tasks(context.loop(), [&tally](Acted acted) { tally.add(std::move(acted)); });
    for (const JobSelection::Chosen &one : chosen)
        co_await tasks.add(outcomeOf(one.id.toString(), act(context, zk, verb, one), one.named));
    co_await tasks.finish();
    co_return tally.finish(context.out(), verb.participle);
}

QJsonObject changeRow(const jobs::JobId &id, const jobs::Change &change, const QString &result)
{
    QJsonObject row{{QStringLiteral("id"), id.toString()},
                    {QStringLiteral("from"), jobs::stateName(change.from)},
                    {QStringLiteral("result"), result.isEmpty() ? jobs::stateName(change.to) : result}};
    if (change.id != id)
        row.insert(QStringLiteral("new_id"), change.id.toString());
    return row;
}

} // namespace drover::app
