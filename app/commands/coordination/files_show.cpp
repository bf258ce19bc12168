#include "app/cluster/shared_files.h"
#include "app/commands/commands.h"
#include "files/file_store.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"file", "file"},
    {"znode", "znode"},
    {"log", "log of its records"},
    {"records", "records", Column::Kind::Number},
    {"committed_bytes", "committed", Column::Kind::Size},
    {"bytes_before", "of them from before", Column::Kind::Size},
    {"last_key", "last record"},
    {"pending_records", "records being written", Column::Kind::Number},
    {"pending_keys", "their keys"},
    {"writers", "writers in line", Column::Kind::Number},
    {"created_at", "created", Column::Kind::Time},
    {"changed_at", "changed", Column::Kind::Time},
};

async::Task<int> execute(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const QString path = co_await sharedFilePath(context);
    const files::StoredLedger stored = co_await requireLedger(context, cluster, path);
    QJsonObject object = ledgerJson(stored);
    object.insert(QStringLiteral("log"), files::FileStore(path).logOf(stored.ledger));
    QJsonArray keys;
    for (const files::PendingRecord &pending : stored.ledger.pending)
        keys.append(QString::fromUtf8(pending.record.key));
    if (!keys.isEmpty())
        object.insert(QStringLiteral("pending_keys"), keys);
    context.out().object(Columns, object);
    co_return ExitOk;
}

} // namespace

Command filesShow()
{
    return {.name = "files show",
            .synopsis = "[OPTIONS] FILE",
            .summary = "Show what the cluster knows of a shared file",
            .details = "A reader may rely on the committed bytes; what is behind them is being written. The log beside "
                       "the file has a line for each record: offset, length, SHA-256, key.",
            .takes = {{CompletionKind::SharedFile}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover files show /srv/shared/report.txt"},
            .exits = {{"3", "no record was appended to it"}},
            .run = execute};
}

} // namespace drover::app
