#include "app/bench/setup/bulk_submit.h"

#include "jobs/client/submitter.h"

namespace drover::app {

namespace {

constexpr int Lanes = 128; // submits under way

struct Submission {
    qint64 left = 0;
    QSet<jobs::JobId> ids;
    std::exception_ptr failure;
};

async::Task<void> submitLane(jobs::Submitter &submitter, const jobs::JobSpec &spec, Submission &submission)
{
    while (submission.left > 0) {
        --submission.left;
        const jobs::JobId id = co_await submitter.submit(spec);
        submission.ids.insert(id);
    }
}

} // namespace

async::Task<QSet<jobs::JobId>> submitMany(jobs::Cluster cluster, jobs::JobSpec spec, qint64 count)
{
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster);
    jobs::Submitter submitter(cluster, config);
    Submission submission;
    submission.left = count;
    async::TaskGroup lanes([&submission](const std::exception_ptr &error) {
        submission.failure = error;
        submission.left = 0;
    });
    for (int lane = 0; lane < Lanes; ++lane)
        lanes.spawn(submitLane(submitter, spec, submission));
    co_await lanes.drained();
    if (submission.failure)
        std::rethrow_exception(submission.failure);
    co_return submission.ids;
}

} // namespace drover::app
