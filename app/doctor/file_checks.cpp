#include "app/doctor/checks.h"
#include "async/offload.h"
#include "files/file_store.h"
#include "files/ledgers.h"

#include <QFileInfo>

namespace drover::app {

using Level = Finding::Level;
using files::StoredLedger;

namespace {

constexpr qsizetype MostFiles = 100;
constexpr int Looks = 3; // at a file that is being written

// Why appends to it are refused; empty if they are not.
QString refusalOf(const files::Ledger &ledger)
{
    const files::FileStore store(ledger.path);
    if (!QFileInfo::exists(store.path()) && !QFileInfo::exists(store.sidecar()))
        return {}; // it is on other machines
    try {
        store.check(ledger);
    } catch (const std::runtime_error &error) { // FileRefused, FileError
        return QString::fromUtf8(error.what());
    }
    return {};
}

// What does not match may have been written since the ledger was read: then the ledger is another by now.
async::Task<QString> lastingRefusal(jobs::Cluster cluster, StoredLedger stored)
{
    for (int look = 0; look < Looks; ++look) {
        const std::function<QString()> compare = [ledger = stored.ledger] { return refusalOf(ledger); };
        QString refusal = co_await async::offload<QString>(cluster.zk.loop(), compare);
        if (refusal.isEmpty())
            co_return refusal;
        const std::optional<StoredLedger> now =
            co_await files::readLedger(cluster.zk, cluster.layout, stored.ledger.path);
        if (!now || !now->malformed.isEmpty())
            co_return QString();
        if (now->stat.version == stored.stat.version)
            co_return refusal;
        stored = *now;
    }
    co_return QString();
}

} // namespace

async::Task<void> checkFiles(jobs::Cluster cluster, Findings &findings)
{
    const std::vector<StoredLedger> ledgers = co_await files::readLedgers(cluster.zk, cluster.layout, MostFiles);
    for (const StoredLedger &stored : ledgers) {
        if (!stored.malformed.isEmpty()) {
            findings.append({Level::Problem, QStringLiteral("ledger ") + stored.node.toString(),
                             QStringLiteral("is malformed: %1").arg(stored.malformed),
                             QStringLiteral("drover files ls shows whose it is; drover files forget FILE ends it")});
            continue;
        }
        const QString refusal = co_await lastingRefusal(cluster, stored);
        if (!refusal.isEmpty())
            findings.append({Level::Problem, QStringLiteral("file ") + stored.ledger.path,
                             QStringLiteral("refuses appends: ") + refusal,
                             QStringLiteral("drover files verify %1 compares all of it").arg(stored.ledger.path)});
    }
}

} // namespace drover::app
