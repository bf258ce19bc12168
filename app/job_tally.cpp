#include "app/job_tally.h"

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

} // namespace

async::Task<Acted> outcomeOf(async::Task<QJsonObject> acting, bool named)
{
    Acted acted{.named = named};
    try {
        QJsonObject row = co_await acting;
        acted.row = std::move(row);
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
    if (m_found)
        Output::message(
            QStringLiteral("%1 of %2 matching jobs %3").arg(m_rows.size()).arg(m_all).arg(QLatin1String(participle)));
    return m_rows.isEmpty() && m_code == ExitOk ? ExitWrongState : m_code;
}

} // namespace drover::app
