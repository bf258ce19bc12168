#include "app/cluster/shared_files.h"
#include "app/commands/commands.h"
#include "async/offload.h"
#include "files/file_store.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
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
            .run = execute};
}

} // namespace drover::app
