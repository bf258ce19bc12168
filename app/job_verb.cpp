#include "app/job_verb.h"

#include "app/failure.h"
#include "app/ordered_tasks.h"
#include "app/past_jobs.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"id", "ID"},         {"from", "FROM", Column::Kind::State},    {"result", "RESULT", Column::Kind::State},
    {"new_id", "NEW ID"}, {"tasks", "TASKS", Column::Kind::Number},
};

struct Acted {
    bool named = true;
    std::optional<QJsonObject> row; // or why there is none
    Failure failure;
};

// One that has been archived is answered as it was before.
async::Task<QJsonObject> act(Context &context, zk::Coordinator &zk, JobVerb verb, JobSelection::Chosen chosen)
{
    const std::function<QJsonObject(const jobs::JobView &)> refuse = [](const jobs::JobView &past) -> QJsonObject {
        throw jobs::WrongState(
            QStringLiteral("job %1 has already ended (%2)").arg(past.id.toString(), jobs::stateName(past.state)));
    };
    async::Task<QJsonObject> acting = verb.act(zk, chosen.id);
    QJsonObject row;
    if (chosen.named && !verb.toEnded)
        row = co_await orPast(context, chosen.id, std::move(acting), refuse);
    else
        row = co_await acting;
    co_return row;
}

async::Task<Acted> actOnOne(Context &context, zk::Coordinator &zk, JobVerb verb, JobSelection::Chosen chosen)
{
    Acted acted;
    acted.named = chosen.named;
    try {
        QJsonObject row = co_await act(context, zk, verb, chosen);
        acted.row = std::move(row);
    } catch (const zk::SessionLost &) {
        throw;
    } catch (const std::exception &) { // the others are still to be acted on
        acted.failure = explain(std::current_exception());
    }
    co_return acted;
}

class Tally
{
public:
    void add(Acted acted)
    {
        m_found += !acted.named;
        if (acted.row) {
            m_rows.append(*acted.row);
            m_changed += !acted.named;
            return;
        }
        const bool expected = acted.failure.code == ExitWrongState || acted.failure.code == ExitNotFound;
        if (!acted.named && expected)
            return;
        Output::message(acted.failure.message);
        m_code = m_code == ExitOk ? acted.failure.code : m_code;
    }

    bool empty() const { return m_rows.isEmpty() && m_code == ExitOk; }

    int finish(const Output &out, const char *participle) const
    {
        QList<Column> columns;
        for (const Column &column : Columns) {
            const bool used = std::any_of(m_rows.begin(), m_rows.end(), [&](const QJsonObject &row) {
                return row.contains(QLatin1String(column.key));
            });
            if (used)
                columns.append(column);
        }
        if (!m_rows.isEmpty() || !out.isTable())
            out.list("jobs", columns, m_rows);
        if (m_found > 0)
            Output::message(
                QStringLiteral("%1 of %2 matching jobs %3").arg(m_changed).arg(m_found).arg(QLatin1String(participle)));
        return m_rows.isEmpty() && m_code == ExitOk ? ExitWrongState : m_code;
    }

private:
    QList<QJsonObject> m_rows;
    int m_code = ExitOk;
    int m_found = 0; // by ranges and filters
    int m_changed = 0; // of those
};

} // namespace

namespace {

QString textOf(const jobs::JobRange &tasks)
{
    const QString first = tasks.first.toString();
    return tasks.last == tasks.first.task ? first : QStringLiteral("%1..%2").arg(first).arg(tasks.last);
}

// True if nothing else is to be done about these tasks: it is one that was still to be made.
async::Task<bool> actBeforehand(zk::Coordinator &zk, JobVerb verb, jobs::JobRange tasks, Tally &tally)
{
    try {
        const qint32 count = co_await verb.actBeforehand(zk, tasks);
        if (count > 0)
            tally.add({.named = true,
                       .row = QJsonObject{{QStringLiteral("id"), textOf(tasks)},
                                          {QStringLiteral("result"), QLatin1String(verb.participle)},
                                          {QStringLiteral("tasks"), count}},
                       .failure = {}});
        co_return count > 0 && tasks.last == tasks.first.task;
    } catch (const jobs::NotFound &) { // told when the others are looked for
    } catch (const jobs::WrongState &) {
        tally.add({.named = true, .row = {}, .failure = explain(std::current_exception())});
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
    Tally tally;
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
        co_await tasks.add(actOnOne(context, zk, verb, one));
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
