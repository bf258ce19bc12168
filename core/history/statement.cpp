#include "history/statement.h"

namespace drover::history {

namespace {

// SQLite keeps no statistics here: it takes any index for a better one than that of the order.
QString tableFor(const Query &query, const Database &database)
{
    const QString index = query.order.index();
    return query.walk && database.hasIndex(index) ? QStringLiteral("job INDEXED BY ") + index : QStringLiteral("job");
}

Statement select(const QStringList &columns, const Query &query, const Database &database)
{
    const Dialect &dialect = database.dialect();
    const Condition where = Condition::of(query, dialect);
    return {
        QStringLiteral("SELECT %1 FROM %2 WHERE %3 ORDER BY %4")
            .arg(columns.join(QStringLiteral(", ")), tableFor(query, database), where.sql, query.order.sql(dialect)),
        where.values};
}

} // namespace

Statement Statement::page(const Query &query, const Database &database)
{
    static const QStringList ofEntry{QStringLiteral("seq"),    QStringLiteral("cluster"),  QStringLiteral("queue"),
                                     QStringLiteral("number"), QStringLiteral("ended_ms"), QStringLiteral("record"),
                                     QStringLiteral("name"),   QStringLiteral("task")};
    Q_ASSERT(ofEntry.size() == EntryColumns);
    Statement statement = select(ofEntry + query.order.columns(database.dialect()), query, database);
    statement.sql += QStringLiteral(" LIMIT ?");
    statement.values.append(qint64(query.limit) + 1);
    return statement;
}

Statement Statement::place(const Query &query, qint64 before, const Database &database)
{
    Statement statement = select(query.order.columns(database.dialect()), query, database);
    statement.sql += QStringLiteral(" LIMIT 1 OFFSET ?");
    statement.values.append(before);
    return statement;
}

} // namespace drover::history
