#include "app/bench/benches.h"
#include "app/bench/figures/distribution.h"
#include "app/bench/setup/bulk_submit.h"
#include "app/cli/exit_codes.h"
#include "app/environment/child_process.h"
#include "app/environment/programs.h"
#include "app/scratch/scratch_cluster.h"

#include <QFile>

namespace drover::app {

namespace {

constexpr qint64 WarmUp = 5; // processes: the program's pages have to be in memory

// From just before the fork to knowing that it has ended.
async::Task<async::Duration> submitOnce(BenchCluster &cluster)
{
    const QString log = cluster.directory() + QStringLiteral("/submit.log");
    ChildProcess process;
    process.setLogFile(log);
    const async::TimePoint begin = cluster.handle().zk.loop().now();
    const QString trouble = process.start(
        findProgram("drover"),
        {QStringLiteral("submit"), QStringLiteral("--connect"), cluster.connectString(), QStringLiteral("--cluster"),
         QString::fromLatin1(cluster.handle().layout.clusterName()), QStringLiteral("--credentials"),
         cluster.credentials(), QStringLiteral("--"), QStringLiteral("true")});
    if (!trouble.isEmpty())
        throw std::runtime_error(QStringLiteral("cannot start drover submit: %1").arg(trouble).toStdString());
    co_await process.ended();
    const async::Duration taken = cluster.handle().zk.loop().now() - begin;
    if (process.exitCode() != ExitOk) {
        QFile said(log);
        const QByteArray text = said.open(QIODevice::ReadOnly) ? said.readAll().trimmed().right(2000) : QByteArray();
        throw std::runtime_error("drover submit fails: " + text.toStdString());
    }
    co_return taken;
}

} // namespace

async::Task<Figures> measureSubmits(BenchCluster &cluster, SubmitBenchOptions options)
{
    async::Loop &loop = cluster.handle().zk.loop();
    const jobs::JobSpec spec = benchJob({QStringLiteral("/bin/true")});
    Distribution processes;
    for (qint64 i = -WarmUp; i < options.processes && options.processes > 0; ++i) {
        const async::Duration taken = co_await submitOnce(cluster);
        if (i >= 0)
            processes.add(taken);
    }
    const async::TimePoint begin = loop.now();
    const QSet<jobs::JobId> ids = co_await submitMany(cluster.handle(), spec, options.jobs);
    const std::chrono::duration<double> seconds = loop.now() - begin;

    Figures figures("submit");
    figures.add("job_count", ids.size(), "of one client, pipelined");
    figures.add("per_s", static_cast<double>(ids.size()) / seconds.count(), "submits a second");
    if (options.processes > 0) {
        figures.add("processes", options.processes, "runs of drover submit -- true, one after the other");
        figures.addTimes("process_", processes, "start to end of such a process");
    }
    co_return figures;
}

} // namespace drover::app
