#pragma once

#include "history/database.h"
#include "history/query.h"

namespace drover::history {

// A statement that reads jobs in the order of a query. The database is open; its dialect and its indexes count.
struct Statement {
    // How many columns stand before those of the order: seq, cluster, queue, number, ended_ms, record, name, task.
    static constexpr int EntryColumns = 8;

    QString sql;
    QVariantList values;

    // One row more than query.limit, if there are so many.
    static Statement page(const Query &query, const Database &database);
    // The place of one job, that with so many before it: only the columns of the order.
    static Statement place(const Query &query, qint64 before, const Database &database);
};

} // namespace drover::history
