#include "app/doctor/checks.h"
#include "async/offload.h"
#include "text/quantity.h"

#include <QSet>
#include <QStorageInfo>
#include <QSysInfo>

namespace drover::app {

using Level = Finding::Level;

namespace {

constexpr qint64 Full = qint64(1) << 20; // bytes
constexpr qint64 NearlyFullSpool = qint64(100) << 20;

} // namespace

std::optional<Finding> aboutSpool(const QString &spool, qint64 bytesLeft)
{
    const QString subject = QStringLiteral("spool ") + spool;
    const QString advice =
        QStringLiteral("make room there, or start its workers with a smaller --spool-size or another --spool");
    if (bytesLeft < Full)
        return Finding{Level::Problem, subject, QStringLiteral("its disk is full: the output of jobs is not kept"),
                       advice};
    if (bytesLeft < NearlyFullSpool)
        return Finding{Level::Warning, subject,
                       QStringLiteral("its disk has %1 left for the output of jobs").arg(text::formatSize(bytesLeft)),
                       advice};
    return std::nullopt;
}

async::Task<Findings> checkSpools(async::Loop &loop, std::vector<jobs::WorkerInfo> workers)
{
    QSet<QString> spools;
    for (const jobs::WorkerInfo &worker : workers) {
        if (worker.host == QSysInfo::machineHostName())
            spools.insert(worker.spool);
    }
    const std::function<Findings()> look = [spools] {
        Findings findings;
        for (const QString &spool : spools) {
            const QStorageInfo storage(spool);
            const std::optional<Finding> finding =
                storage.isValid() ? aboutSpool(spool, storage.bytesAvailable()) : std::nullopt;
            if (finding)
                findings.append(*finding);
        }
        return findings;
    };
    co_return co_await async::offload<Findings>(loop, look);
}

} // namespace drover::app
