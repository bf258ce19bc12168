#include "app/bench/benches.h"
#include "app/scratch/scratch_cluster.h"
#include "async/task_group.h"
#include "jobs/client/submitter.h"

#include <QHash>

#include <random>

namespace drover::app {

namespace {

constexpr unsigned Seed = 1; // equal arrivals in each measurement

using Due = QHash<jobs::JobId, std::chrono::milliseconds>; // Unix epoch

async::Task<void> submitOne(jobs::Submitter &submitter, jobs::JobSpec spec, std::chrono::milliseconds due, Due &dues)
{
    const jobs::JobId id = co_await submitter.submit(spec);
    dues.insert(id, due);
}

// Submits until `length` has passed; returns how many.
async::Task<qint64> submitAtRandom(zk::Client &zk, jobs::Submitter &submitter, jobs::JobSpec spec, double jobsPerSecond,
                                   std::chrono::seconds length, Due &dues)
{
    std::exception_ptr failure;
    async::TaskGroup submits([&failure](const std::exception_ptr &error) { failure = error; });
    std::mt19937 random(Seed);
    std::exponential_distribution<double> pause(jobsPerSecond);
    const async::TimePoint begin = zk.loop().now();
    const std::chrono::milliseconds beginsAt = zk.loop().wallClock();
    qint64 count = 0;
    for (async::Duration due{}; due < length; ++count) {
        const async::Duration left = begin + due - zk.loop().now();
        if (left > async::Duration::zero())
            co_await async::sleepFor(zk.loop(), left);
        const auto sinceBegin = std::chrono::duration_cast<std::chrono::milliseconds>(due);
        submits.spawn(submitOne(submitter, spec, beginsAt + sinceBegin, dues));
        due += std::chrono::duration_cast<async::Duration>(std::chrono::duration<double>(pause(random)));
    }
    co_await submits.drained();
    if (failure)
        std::rethrow_exception(failure);
    co_return count;
}

} // namespace

async::Task<Distribution> measureUnderLoad(BenchCluster &cluster, LoadBenchOptions options,
                                           LoadBenchOptions::Workers workers)
{
    const jobs::Cluster handle = cluster.handle();
    for (int i = 1; i < workers.count; ++i)
        co_await cluster.join(QStringLiteral("worker-%1").arg(i), workers.slotCount);
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(handle);
    jobs::Submitter submitter(handle, config);
    const std::chrono::duration<double> takes = options.jobDuration;
    const jobs::JobSpec spec = benchJob({QStringLiteral("/bin/sleep"), QString::number(takes.count())});
    const double jobsPerSecond = options.percent / 100.0 * workers.count * workers.slotCount / takes.count();
    Due dues;
    const qint64 count = co_await submitAtRandom(handle.zk, submitter, spec, jobsPerSecond, options.length, dues);
    const std::function<void()> alive = [&cluster] { cluster.worker().requireRunning(); };
    co_await awaitEnded(handle, count, alive);
    const std::vector<jobs::FinalRecord> records = co_await readRecords(handle);
    const QList<jobs::JobId> ids = dues.keys();
    requireOneGoodEnd(records, QSet<jobs::JobId>(ids.begin(), ids.end()));
    const std::chrono::milliseconds first = *std::min_element(dues.begin(), dues.end()) + options.length / 10;
    Distribution starts;
    for (const jobs::FinalRecord &record : records) {
        if (dues.value(record.id) >= first)
            starts.add(record.startedAt - dues.value(record.id));
    }
    co_return starts;
}

Figures underLoad(const LoadBenchOptions &options, const std::vector<Distribution> &starts)
{
    Figures figures("latency");
    figures.add("load_percent", options.percent, "of the slots in use, on average");
    figures.add("job_ms", qint64(options.jobDuration.count()), "duration of a job");
    figures.addMilliseconds("elapsed_ms", options.length, "of arrivals, the first tenth not counted");
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const QString name = options.workers[i].name();
        const QString what = QStringLiteral("submit to process start, %1 of %2 slots")
                                 .arg(options.workers[i].count)
                                 .arg(options.workers[i].slotCount);
        figures.add((name + QStringLiteral("_jobs")).toUtf8(), qint64(starts[i].size()), "counted");
        figures.addMilliseconds((name + QStringLiteral("_median_ms")).toUtf8(), starts[i].median(), what);
        figures.addMilliseconds((name + QStringLiteral("_p90_ms")).toUtf8(), starts[i].quantile(0.9), what);
        figures.addMilliseconds((name + QStringLiteral("_p99_ms")).toUtf8(), starts[i].quantile(0.99), what);
    }
    const std::chrono::duration<double> last = starts.back().median();
    if (starts.size() > 1 && last.count() > 0)
        figures.add("median_ratio", std::chrono::duration<double>(starts.front().median()) / last,
                    QStringLiteral("%1 to %2").arg(options.workers.front().name(), options.workers.back().name()));
    return figures;
}

} // namespace drover::app
