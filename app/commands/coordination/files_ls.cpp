#include "app/cluster/shared_files.h"
#include "app/commands/commands.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"file", "FILE", Column::Kind::Text, true},
    {"records", "RECORDS", Column::Kind::Number},
    {"committed_bytes", "SIZE", Column::Kind::Size},
    {"pending_records", "PENDING", Column::Kind::Number},
    {"writers", "WRITERS", Column::Kind::Number, false, 8, 1},
    {"changed_at", "CHANGED", Column::Kind::Time, false, 8, 2},
    {"malformed", "MALFORMED"},
};

async::Task<int> execute(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::vector<files::StoredLedger> ledgers = co_await files::readLedgers(cluster.zk, cluster.layout);
    QList<QJsonObject> rows;
    for (const files::StoredLedger &stored : ledgers)
        rows.append(ledgerJson(stored));
    context.out().list("files", Columns, rows);
    co_return ExitOk;
}

} // namespace

Command filesLs()
{
    return {.name = "files ls",
            .summary = "List the shared files that records were appended to",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover files ls"},
            .run = execute};
}

} // namespace drover::app
