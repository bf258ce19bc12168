#include "app/top/cluster_sample.h"

#include "app/cli/units.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/model/job_spec.h"
#include "recipes/elections/leader_latch.h"

#include <QJsonArray>

#include <algorithm>
#include <map>

namespace drover::app {

using zk::Answer;

namespace {

async::Task<void> addQueues(jobs::Cluster cluster, ClusterSample &sample)
{
    const QByteArrayList names = co_await jobs::queueNames(cluster);
    for (const QByteArray &name : names) {
        const auto lookingAtQueue = cluster.zk.exists(cluster.layout.queue(name));
        const auto lookingAtIdle = cluster.zk.exists(cluster.layout.idle(name));
        const Answer<zk::Stat> queue = co_await lookingAtQueue;
        const Answer<zk::Stat> idle = co_await lookingAtIdle;
        sample.queues.push_back({name, queue->numChildren, jobs::submittedTo(*queue), idle->numChildren});
    }
}

async::Task<void> addRunning(jobs::Cluster cluster, ClusterSample &sample)
{
    const std::vector<jobs::StoredClaim> claims = co_await jobs::readClaims(cluster);
    for (const jobs::StoredClaim &stored : claims) {
        if (stored.runs())
            sample.jobs.push_back({stored});
    }
    sample.running = static_cast<qint64>(sample.jobs.size());
}

async::Task<void> addWorkers(jobs::Cluster cluster, ClusterSample &sample)
{
    std::map<QString, int> used;
    for (const ClusterSample::Job &job : sample.jobs)
        used[job.claim.worker] += job.claim.slotCount;
    const std::vector<jobs::StoredMember> members = co_await jobs::readMembers(cluster);
    for (const jobs::StoredMember &member : members) {
        jobs::WorkerInfo info = member.info.value_or(jobs::WorkerInfo());
        info.id = QString::fromUtf8(member.id);
        sample.workers.push_back({info, used[info.id], member.malformed});
    }
}

async::Task<void> addNames(jobs::Cluster cluster, ClusterSample &sample)
{
    std::vector<zk::Path> paths;
    std::vector<ClusterSample::Job *> named; // a claim may name no node
    for (ClusterSample::Job &job : sample.jobs) {
        if (job.claim.entry.isEmpty())
            continue;
        paths.push_back(cluster.layout.queue(job.id.queue) / job.claim.entry);
        named.push_back(&job);
    }
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(cluster.zk, std::move(paths));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        ClusterSample::Job &job = *named[i];
        const auto spec =
            nodes[i].ok() ? jobs::tryDecode<jobs::JobSpec>(nodes[i]->data, job.id.queue, 0) : std::nullopt;
        job.name = spec ? spec->title() : QString();
    }
}

QJsonArray queuesOf(const ClusterSample &sample)
{
    QJsonArray rows;
    for (const ClusterSample::Queue &queue : sample.queues)
        rows.append(QJsonObject{{QStringLiteral("queue"), QString::fromLatin1(queue.name)},
                                {QStringLiteral("unfinished"), queue.unfinished},
                                {QStringLiteral("submitted"), queue.submitted},
                                {QStringLiteral("finished"), queue.finished()},
                                {QStringLiteral("idle_workers"), queue.idleWorkers}});
    return rows;
}

QJsonArray workersOf(const ClusterSample &sample)
{
    QJsonArray rows;
    for (const ClusterSample::Worker &worker : sample.workers) {
        QJsonObject row{{QStringLiteral("worker"), worker.info.id}, {QStringLiteral("slots_used"), worker.slotsUsed}};
        if (worker.malformed.isEmpty()) {
            row.insert(QStringLiteral("host"), worker.info.host);
            row.insert(QStringLiteral("slots"), worker.info.slotCount);
        } else { // as worker ls has it
            row.insert(QStringLiteral("host"), QStringLiteral("(malformed)"));
            row.insert(QStringLiteral("malformed"), worker.malformed);
        }
        rows.append(row);
    }
    return rows;
}

QJsonArray jobsOf(const ClusterSample &sample)
{
    QJsonArray rows;
    for (const ClusterSample::Job &job : sample.jobs)
        rows.append(QJsonObject{{QStringLiteral("id"), job.id.toString()},
                                {QStringLiteral("name"), job.name},
                                {QStringLiteral("worker"), job.claim.worker},
                                {QStringLiteral("attempt"), job.claim.attempts.claimVersion},
                                {QStringLiteral("since"), formatTime(job.since())}});
    return rows;
}

} // namespace

async::Task<ClusterSample> takeSample(jobs::Cluster cluster, std::size_t jobs)
{
    ClusterSample sample;
    sample.at = cluster.zk.loop().now();
    sample.wallClock = cluster.zk.loop().wallClock();
    const std::optional<jobs::Backpressure> pressure = co_await jobs::backpressureOn(cluster);
    sample.backpressure = pressure;
    co_await addQueues(cluster, sample);
    co_await addRunning(cluster, sample);
    co_await addWorkers(cluster, sample);
    std::sort(sample.jobs.begin(), sample.jobs.end(),
              [](const auto &a, const auto &b) { return std::tie(a.stat.ctime, a.id) < std::tie(b.stat.ctime, b.id); });
    sample.jobs.resize(std::min(sample.jobs.size(), jobs));
    co_await addNames(cluster, sample);
    const Answer<zk::Stat> done = co_await cluster.zk.exists(cluster.layout.done());
    sample.done = done->numChildren;
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    if (leader)
        sample.master = QString::fromUtf8(leader->data);
    co_return sample;
}

QJsonObject sampleJson(const QByteArray &cluster, const ClusterSample &sample)
{
    QJsonObject object{{QStringLiteral("cluster"), QString::fromUtf8(cluster)},
                       {QStringLiteral("at"), formatTime(sample.wallClock)},
                       {QStringLiteral("running"), sample.running},
                       {QStringLiteral("done"), sample.done},
                       {QStringLiteral("queues"), queuesOf(sample)},
                       {QStringLiteral("workers"), workersOf(sample)},
                       {QStringLiteral("jobs"), jobsOf(sample)}};
    if (!sample.master.isEmpty())
        object.insert(QStringLiteral("master"), sample.master);
    return object;
}

} // namespace drover::app
