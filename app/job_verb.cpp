#include "app/job_verb.h"

#include "app/failure.h"
#include "app/ordered_tasks.h"
#include "app/past_jobs.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"id", "ID"},
    {"from", "FROM", Column::Kind::State},
    {"result", "RESULT", Column::Kind::State},
    {"new_id", "NEW ID"},
};

struct Acted {
    bool named = true;
    std::optional<QJsonObject> row; // or why there is none
    Failure failure;
};

// One that has been archived is answered as it was before.
async::Task<QJsonObject> act(Context &context, zk::Coordinator &zk, JobVerb verb, JobSelection::Chosen chosen)
{
    std::exception_ptr unknown;
    try {
        QJsonObject row = co_await verb.act(zk, chosen.id);
        co_return row;
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    std::optional<jobs::JobView> past;
    if (chosen.named)
        past = co_await findPast(context, chosen.id);
    if (!past)
        std::rethrow_exception(unknown);
    throw jobs::WrongState(
        QStringLiteral("job %1 has already ended (%2)").arg(chosen.id.toString(), jobs::stateName(past->state)));
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

async::Task<int> actOnJobs(Context &context, QStringList ids, JobVerb verb)
{
    const JobSelection selection(context.arguments(), ids);
    zk::Coordinator *const zk = co_await context.openCluster();
    const std::vector<JobSelection::Chosen> chosen = co_await selection.find(*zk, context.layout(), verb.arrays);
    if (chosen.empty())
        throw CommandError(ExitNotFound, QStringLiteral("no unfinished job matches; drover ls lists them"));
    Tally tally;
    OrderedTasks<Acted> tasks(context.loop(), [&tally](Acted acted) { tally.add(std::move(acted)); });
    for (const JobSelection::Chosen &one : chosen)
        co_await tasks.add(actOnOne(context, *zk, verb, one));
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
