#include "app/cli/failure.h"
#include "app/cluster/shared_files.h"
#include "app/commands/commands.h"
#include "async/offload.h"
#include "files/file_log.h"
#include "files/file_store.h"

namespace drover::app {

namespace {

const QList<Column> ListColumns{
    {"file", "FILE", Column::Kind::Text, true},
    {"records", "RECORDS", Column::Kind::Number},
    {"committed_bytes", "SIZE", Column::Kind::Size},
    {"pending_records", "PENDING", Column::Kind::Number},
    {"writers", "WRITERS", Column::Kind::Number, false, 8, 1},
    {"changed_at", "CHANGED", Column::Kind::Time, false, 8, 2},
    {"malformed", "MALFORMED"},
};

async::Task<int> listFiles(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::vector<files::StoredLedger> ledgers = co_await files::readLedgers(cluster.zk, cluster.layout);
    QList<QJsonObject> rows;
    for (const files::StoredLedger &stored : ledgers)
        rows.append(ledgerJson(stored));
    context.out().list("files", ListColumns, rows);
    co_return ExitOk;
}

const QList<Column> FileColumns{
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

async::Task<int> showFile(Context &context)
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
    context.out().object(FileColumns, object);
    co_return ExitOk;
}

using files::Comparison;

const QList<Column> ComparisonColumns{
    {"file", "file"},       {"ok", "as its ledger says"}, {"bytes", "size", Column::Kind::Size},
    {"records", "records"}, {"faults", "faults"},
};

async::Task<int> verifyFile(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const QString path = co_await sharedFilePath(context);
    const files::StoredLedger stored = co_await requireLedger(context, cluster, path);
    const std::function<Comparison()> compare = [path, ledger = stored.ledger] {
        return files::compare(files::FileStore(path), ledger);
    };
    Comparison comparison = co_await async::offload<Comparison>(context.loop(), compare);
    // It may have grown meanwhile, as far as has been reserved by now.
    const files::StoredLedger after = co_await requireLedger(context, cluster, path);
    if (comparison.size > after.ledger.next())
        comparison.faults.append(
            QStringLiteral("%1 bytes at its end belong to no record").arg(comparison.size - after.ledger.next()));

    const bool ok = comparison.faults.isEmpty();
    const QJsonValue faults = context.out().isTable() ? QJsonValue(comparison.faults.join(QStringLiteral("; ")))
                                                      : QJsonArray::fromStringList(comparison.faults);
    context.out().object(ComparisonColumns,
                         {{QStringLiteral("file"), path},
                          {QStringLiteral("ok"), ok},
                          {QStringLiteral("bytes"), comparison.size},
                          {QStringLiteral("records"), comparison.records},
                          {QStringLiteral("faults"), faults}});
    if (!ok)
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 does not match its ledger: %2").arg(path, comparison.faults.front()));
    co_return ExitOk;
}

async::Task<int> forgetFile(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const QString path = co_await sharedFilePath(context);
    const std::optional<files::StoredLedger> stored = co_await files::readLedger(cluster.zk, cluster.layout, path);
    const bool forgotten = co_await files::forgetLedger(cluster.zk, cluster.layout, path);
    if (!forgotten)
        throw jobs::NotFound(QStringLiteral("%1 has no ledger; drover files ls shows which files have one").arg(path));
    if (stored && stored->malformed.isEmpty()) {
        const std::function<bool()> remove = [path, ledger = stored->ledger] {
            files::FileStore(path).removeLog(ledger);
            return true;
        };
        const bool removed = co_await async::offload<bool>(context.loop(), remove);
        Q_UNUSED(removed)
    }
    co_return ExitOk;
}

} // namespace

Command filesLs()
{
    return {.name = "files ls",
            .summary = "List the shared files that records were appended to",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover files ls"},
            .run = listFiles};
}

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
            .run = showFile};
}

Command filesVerify()
{
    return {.name = "files verify",
            .synopsis = "[OPTIONS] FILE",
            .summary = "Compare every byte of a shared file with its ledger",
            .details = "Reads the whole file. Returns 0 if it is its committed records, each whole and once, and no "
                       "other byte; 4 if not, and says where. Appends may go on meanwhile.",
            .takes = {{CompletionKind::SharedFile}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover files verify /srv/shared/report.txt"},
            .exits = {{"3", "no record was appended to it"}, {"4", "it differs from its ledger"}},
            .run = verifyFile};
}

Command filesForget()
{
    return {.name = "files forget",
            .synopsis = "[OPTIONS] FILE",
            .summary = "End the ledger of a shared file, after it was rotated or mended",
            .details = "FILE itself stays as it is. The next append begins a new ledger with what FILE has then, and "
                       "knows no key of before: a record that is appended again is there twice. Stop its writers "
                       "first: what one of them had begun to write may come later, over other records.",
            .takes = {{CompletionKind::SharedFile}},
            .needs = {{trust::Role::Operate}},
            .check = "drover files ls",
            .examples = {"drover files forget /srv/shared/report.txt"},
            .exits = {{"3", "no record was appended to it"}},
            .run = forgetFile};
}

} // namespace drover::app
