#include "app/bench/jobs_bench.h"

#include "app/bench/bench_job.h"
#include "app/bench/scratch_cluster.h"
#include "jobs/submitter.h"

#include <QSet>

namespace drover::app {

namespace {

constexpr int Lanes = 128; // submits under way

struct Submission {
    qint64 left = 0;
    QSet<jobs::JobId> ids;
    std::exception_ptr failure;
};

async::Task<void> submitLane(jobs::Submitter &submitter, QStringList command, Submission &submission)
{
    while (submission.left > 0) {
        --submission.left;
        const jobs::JobId id = co_await submitter.submit(benchJob(command));
        submission.ids.insert(id);
    }
}

async::Task<QSet<jobs::JobId>> submitAll(zk::Coordinator &zk, jobs::Layout layout, JobsBenchOptions options)
{
    const jobs::ClusterConfig config = co_await jobs::openCluster(zk, layout);
    jobs::Submitter submitter(zk, layout, config);
    Submission submission;
    submission.left = options.jobs;
    async::TaskGroup lanes([&submission](const std::exception_ptr &error) {
        submission.failure = error;
        submission.left = 0;
    });
    for (int lane = 0; lane < Lanes; ++lane)
        lanes.spawn(submitLane(submitter, options.command, submission));
    co_await lanes.drained();
    if (submission.failure)
        std::rethrow_exception(submission.failure);
    co_return submission.ids;
}

// Throws std::runtime_error unless the final records are those of `ids`, each with code 0.
void check(const std::vector<jobs::FinalRecord> &records, QSet<jobs::JobId> ids)
{
    for (const jobs::FinalRecord &record : records) {
        const QString id = record.id.toString();
        if (!ids.remove(record.id))
            throw std::runtime_error(
                QStringLiteral("nobody has submitted the job %1 that ended").arg(id).toStdString());
        if (record.state() != jobs::JobState::Succeeded)
            throw std::runtime_error(QStringLiteral("job %1 ended with code %2 %3")
                                         .arg(id)
                                         .arg(record.exitCode())
                                         .arg(record.reason)
                                         .toStdString());
    }
    if (!ids.isEmpty())
        throw std::runtime_error("jobs without a final record: " + std::to_string(ids.size()));
}

double mebibytes(qint64 bytes)
{
    return static_cast<double>(bytes) / (1024 * 1024);
}

} // namespace

async::Task<Figures> measureJobs(zk::Coordinator &zk, jobs::Layout layout, const WorkerProcess &worker,
                                 JobsBenchOptions options)
{
    const qint64 idle = worker.residentBytes();
    const async::TimePoint begin = zk.loop().now();
    const QSet<jobs::JobId> ids = co_await submitAll(zk, layout, options);
    const std::chrono::duration<double> submitted = zk.loop().now() - begin;
    const std::function<void()> alive = [&worker] { worker.requireRunning(); };
    co_await awaitEnded(zk, layout, options.jobs, alive);
    const std::chrono::duration<double> finished = zk.loop().now() - begin;
    const qint64 after = worker.residentBytes();
    const std::vector<jobs::FinalRecord> records = co_await readRecords(zk, layout);
    check(records, ids);

    const auto count = static_cast<double>(options.jobs);
    Figures figures(QStringLiteral("jobs"));
    figures.add("jobs", options.jobs, options.command.join(u' '));
    figures.add("slots", options.slotCount, QStringLiteral("of one worker"));
    figures.add("seconds", finished.count(), QStringLiteral("first submit to last end"));
    figures.add("per_s", count / finished.count(), QStringLiteral("jobs a second, submitted and run"));
    figures.add("submit_per_s", count / submitted.count(), QStringLiteral("jobs a second, submitted"));
    figures.add("rss_mb", mebibytes(idle), QStringLiteral("MiB resident, the idle worker"));
    figures.add("rss_after_mb", mebibytes(after), QStringLiteral("MiB resident, the worker afterwards"));
    co_return figures;
}

} // namespace drover::app
