#include "app/bench/benches.h"
#include "app/bench/setup/bulk_submit.h"
#include "app/scratch/scratch_cluster.h"

namespace drover::app {

async::Task<Figures> measureJobs(jobs::Cluster cluster, const WorkerProcess &worker, JobsBenchOptions options)
{
    const qint64 idle = worker.residentBytes();
    const std::function<void()> alive = [&worker] { worker.requireRunning(); };
    const jobs::JobSpec job = benchJob(options.command);
    QSet<jobs::JobId> ids = co_await submitMany(cluster, job, options.warmUp);
    co_await awaitEnded(cluster, options.warmUp, alive);
    const async::TimePoint begin = cluster.zk.loop().now();
    const QSet<jobs::JobId> counted = co_await submitMany(cluster, job, options.jobs);
    const std::chrono::duration<double> submitted = cluster.zk.loop().now() - begin;
    co_await awaitEnded(cluster, options.warmUp + options.jobs, alive);
    const std::chrono::duration<double> finished = cluster.zk.loop().now() - begin;
    const qint64 after = worker.residentBytes();
    const std::vector<jobs::FinalRecord> records = co_await readRecords(cluster);
    ids.unite(counted);
    requireOneGoodEnd(records, ids);

    const auto count = static_cast<double>(options.jobs);
    Figures figures("jobs");
    figures.add("job_count", options.jobs, options.command.join(u' '));
    figures.add("warm_up", options.warmUp, "jobs before these, not counted");
    figures.add("slots", options.slotCount, "of one worker");
    figures.addMilliseconds("elapsed_ms", std::chrono::duration_cast<async::Duration>(finished),
                            "first submit to last end");
    figures.add("per_s", count / finished.count(), "jobs a second, submitted and run");
    figures.add("submit_per_s", count / submitted.count(), "jobs a second, submitted");
    figures.addMebibytes("rss_mb", idle, "MiB resident, the idle worker");
    figures.addMebibytes("rss_after_mb", after, "MiB resident, the worker afterwards");
    co_return figures;
}

} // namespace drover::app
