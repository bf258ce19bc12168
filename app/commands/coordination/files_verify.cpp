#include "app/cli/failure.h"
#include "app/cluster/shared_files.h"
#include "app/commands/commands.h"
#include "async/offload.h"
#include "files/file_log.h"

namespace drover::app {

namespace {

using files::Comparison;

const QList<Column> Columns{
    {"file", "file"},       {"ok", "as its ledger says"}, {"bytes", "size", Column::Kind::Size},
    {"records", "records"}, {"faults", "faults"},
};

async::Task<int> execute(Context &context)
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
    context.out().object(Columns,
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

} // namespace

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
            .run = execute};
}

} // namespace drover::app
