#include "app/bench/jobs_bench.h"

#include "app/bench/bench_job.h"
#include "app/bench/distribution.h"
#include "jobs/submitter.h"
#include "recipes/persist.h"

#include <QSet>

namespace drover::app {

using namespace std::chrono_literals;
using recipes::persist;
using zk::Answer;

namespace {

constexpr int Lanes = 128; // submits under way
constexpr qsizetype Flight = 500; // reads under way
constexpr auto PollInterval = 10ms;
constexpr auto StallLimit = 60s;

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

// Returns when done/ holds `count` records. Only its child count is read, a hundred times a second.
async::Task<void> awaitDone(zk::Coordinator &zk, jobs::Layout layout, qint64 count, const WorkerProcess &worker)
{
    const zk::Path done = layout.done();
    const auto look = [&] { return zk.exists(done); };
    qint64 seen = -1;
    async::TimePoint moved = zk.loop().now();
    for (;;) {
        const Answer<zk::Stat> stat = co_await persist(zk, look);
        if (stat->numChildren >= count)
            co_return;
        if (stat->numChildren != seen)
            moved = zk.loop().now();
        seen = stat->numChildren;
        worker.requireRunning();
        if (zk.loop().now() - moved > StallLimit)
            throw std::runtime_error("no job has ended for a minute, and not all have");
        co_await async::sleepFor(zk.loop(), PollInterval);
    }
}

// Throws std::runtime_error unless the final records are those of `ids`, each with code 0.
async::Task<void> checkRecords(zk::Coordinator &zk, jobs::Layout layout, QSet<jobs::JobId> ids)
{
    const zk::Path done = layout.done();
    const auto list = [&] { return zk.children(done); };
    const Answer<zk::Children> children = co_await persist(zk, list);
    const QByteArrayList names = children->names;
    for (qsizetype from = 0; from < names.size(); from += Flight) {
        const QByteArrayList flight = names.mid(from, Flight);
        std::vector<zk::Reply<zk::Node>> reads;
        for (const QByteArray &name : flight)
            reads.push_back(zk.get(done / name));
        for (qsizetype i = 0; i < flight.size(); ++i) {
            const Answer<zk::Node> node = co_await reads[static_cast<std::size_t>(i)];
            const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(flight[i]));
            if (!id || !ids.remove(*id))
                throw std::runtime_error("there is a final record of a job that was not submitted: "
                                         + flight[i].toStdString());
            const jobs::FinalRecord record = jobs::FinalRecord::decode(node.value().data, *id);
            if (record.state() != jobs::JobState::Succeeded)
                throw std::runtime_error(QStringLiteral("job %1 ended with code %2 %3")
                                             .arg(id->toString())
                                             .arg(record.exitCode())
                                             .arg(record.reason)
                                             .toStdString());
        }
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
    co_await awaitDone(zk, layout, options.jobs, worker);
    const std::chrono::duration<double> finished = zk.loop().now() - begin;
    const qint64 after = worker.residentBytes();
    co_await checkRecords(zk, layout, ids);

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
