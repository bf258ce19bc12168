#include "app/cluster/shared_files.h"

#include "app/cli/units.h"
#include "async/offload.h"
#include "files/file_store.h"

#include <QFileInfo>

namespace drover::app {

async::Task<QString> sharedFilePath(Context &context)
{
    const std::function<QString()> resolve = [path = context.arguments().at(0)] {
        try {
            return files::FileStore::canonicalPath(path);
        } catch (const files::FileError &) {
            return QFileInfo(path).absoluteFilePath();
        }
    };
    co_return co_await async::offload<QString>(context.loop(), resolve);
}

async::Task<files::StoredLedger> requireLedger(Context &context, jobs::Cluster cluster, QString path)
{
    std::optional<files::StoredLedger> stored = co_await files::readLedger(cluster.zk, cluster.layout, path);
    if (!stored)
        throw jobs::NotFound(
            QStringLiteral("%1 has no ledger in cluster %2; drover files ls shows which files have one")
                .arg(path, QString::fromLatin1(context.settings().cluster)));
    if (!stored->malformed.isEmpty())
        throw jobs::WrongState(
            QStringLiteral("the ledger of %1, %2/meta, is malformed: %3; drover files forget ends it")
                .arg(path, stored->node.toString(), stored->malformed));
    co_return std::move(*stored);
}

QJsonObject ledgerJson(const files::StoredLedger &stored)
{
    const files::Ledger &ledger = stored.ledger;
    QJsonObject object{{QStringLiteral("file"), ledger.path},
                       {QStringLiteral("znode"), stored.node.toString()},
                       {QStringLiteral("records"), ledger.records},
                       {QStringLiteral("committed_bytes"), ledger.committed},
                       {QStringLiteral("bytes_before"), ledger.base},
                       {QStringLiteral("pending_records"), static_cast<qint64>(ledger.pending.size())},
                       {QStringLiteral("pending_bytes"), ledger.next() - ledger.committed},
                       {QStringLiteral("writers"), stored.writers},
                       {QStringLiteral("created_at"), formatTime(std::chrono::milliseconds(stored.stat.ctime))},
                       {QStringLiteral("changed_at"), formatTime(std::chrono::milliseconds(stored.stat.mtime))}};
    if (!stored.malformed.isEmpty())
        object.insert(QStringLiteral("malformed"), stored.malformed);
    if (ledger.records > 0)
        object.insert(QStringLiteral("last_key"), QString::fromUtf8(ledger.last.key));
    return object;
}

} // namespace drover::app
