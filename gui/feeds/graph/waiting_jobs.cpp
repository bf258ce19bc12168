#include "gui/feeds/graph/waiting_jobs.h"

#include "jobs/cluster/cluster_config.h"
#include "jobs/model/job_spec.h"
#include "recipes/blocks/persistent.h"

namespace drover::gui {

using jobs::JobId;
using jobs::JobState;
using jobs::QueueEntry;

namespace {

bool mayDepend(const jobs::ListedJob &job)
{
    return !job.claimed && (job.state == JobState::Waiting || job.state == JobState::Held);
}

// A job that cannot be read depends on nothing that is known.
WaitingJobs::Waiting waitingOf(const jobs::ListedJob &job, const zk::Node &node)
{
    WaitingJobs::Waiting waiting{job.entry, {}, {}};
    try {
        const jobs::JobSpec spec = jobs::JobSpec::decode(node.data, job.id.queue, job.entry.priority);
        waiting.name = spec.title();
        waiting.after = spec.after;
    } catch (const jobs::Malformed &) {
    }
    return waiting;
}

} // namespace

const WaitingJobs::Waiting *WaitingJobs::find(const JobId &id) const
{
    const auto found = jobs.find(id);
    return found == jobs.end() ? nullptr : &found->second;
}

async::Task<std::shared_ptr<const WaitingJobs>> readWaitingJobs(jobs::Cluster cluster,
                                                                std::shared_ptr<const WaitingJobs> before)
{
    const zk::Answer<zk::Node> config = co_await recipes::Persistent(cluster.zk).get(cluster.layout.config());
    const auto now = std::make_shared<WaitingJobs>();
    now->cluster = config.ok() ? config->stat.czxid : zk::Zxid{};
    const bool isSame = before && before->cluster == now->cluster;
    const QByteArrayList queues = co_await jobs::queueNames(cluster);
    const std::vector<jobs::ListedJob> listed = co_await jobs::listUnfinished(cluster, queues);
    std::vector<jobs::ListedJob> anew;
    qsizetype kept = 0;
    for (const jobs::ListedJob &job : listed) {
        if (!mayDepend(job))
            continue;
        if (kept == WaitingJobs::MostKept) {
            ++now->unread;
            continue;
        }
        ++kept;
        const WaitingJobs::Waiting *const known = isSame ? before->find(job.id) : nullptr;
        if (known)
            now->jobs.emplace(job.id, WaitingJobs::Waiting{job.entry, known->name, known->after});
        else
            anew.push_back(job);
    }
    const auto got = [&now](const jobs::ListedJob &job, const zk::Answer<zk::Node> &node) {
        if (node.ok())
            now->jobs.emplace(job.id, waitingOf(job, *node));
    };
    co_await jobs::readListed(cluster, std::move(anew), got);
    for (const auto &[id, waiting] : now->jobs) {
        for (const jobs::Dependency &one : waiting.after)
            now->waiters[one.on].push_back(id);
    }
    co_return now;
}

} // namespace drover::gui
