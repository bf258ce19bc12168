#include "app/job_tally.h"

#include "jobs/batch_creator.h"

#include <algorithm>

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"id", "ID"},         {"from", "FROM", Column::Kind::State},    {"result", "RESULT", Column::Kind::State},
    {"new_id", "NEW ID"}, {"tasks", "TASKS", Column::Kind::Number},
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

async::Task<Acted> outcomeOf(QString job, async::Task<QJsonObject> acting, bool named)
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
    } catch (
        const std::exception &) { // the others are still to be acted on; what has been done is told, whatever comes
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
    if (!acted.named && expected)
        return;
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
        Output::message(
            QStringLiteral("%1 of %2 matching jobs %3").arg(m_rows.size()).arg(m_all).arg(QLatin1String(participle)));
    return m_rows.isEmpty() && m_code == ExitOk ? ExitWrongState : m_code;
}

} // namespace drover::app
