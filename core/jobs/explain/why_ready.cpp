#include "jobs/cluster/backpressure.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/explain/reasons.h"
#include "text/quantity.h"

#include <QSet>

namespace drover::jobs {

using zk::Answer;

namespace {

constexpr qsizetype MostRead = 1000; // of the jobs ahead: more are counted, and not looked at

struct Ahead {
    qint64 count = 0;
    bool isAtMost = false; // not all of them were looked at
};

bool canRun(const WorkerPool &pool, const JobId &id, const QueueEntry &entry, const Answer<zk::Node> &node)
{
    if (!node.ok() || node->stat.numChildren > 0)
        return false; // it has gone meanwhile, or no worker begins it: whyBlocked()
    try {
        return !whyNoWorker(pool, JobSpec::decode(node->data, id.queue, entry.priority));
    } catch (const NewerFormat &) {
        return false;
    } catch (const Malformed &) {
        return true; // a worker takes it, and ends it
    }
}

// The jobs without a claim, except for jobs that no worker takes, because those block no other.
async::Task<Ahead> countAhead(Cluster cluster, JobView job, WorkerPool pool, QSet<JobId> claimed)
{
    const Answer<zk::Children> names = co_await cluster.zk.children(cluster.layout.queue(job.id.queue));
    std::vector<QueueEntry> entries;
    for (const QueueEntry &entry : readyInOrder(names->names)) {
        if (entry < *job.entry && !claimed.contains(entry.idIn(job.id.queue)))
            entries.push_back(entry);
    }
    std::vector<zk::Path> paths;
    for (const QueueEntry &entry : entries) {
        if (paths.size() < MostRead)
            paths.push_back(cluster.layout.job(job.id.queue, entry));
    }
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    Ahead ahead;
    ahead.isAtMost = entries.size() > nodes.size();
    ahead.count = static_cast<qint64>(entries.size() - nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        ahead.count += canRun(pool, entries[i].idIn(job.id.queue), entries[i], nodes[i]);
    co_return ahead;
}

Reason aboutAhead(const Ahead &ahead, const QString &queue)
{
    return {QStringLiteral("%1%2 ahead of it in queue %3")
                .arg(ahead.isAtMost ? QStringLiteral("at most ") : QString(),
                     text::formatCount(ahead.count, "job is", "jobs are"), queue)};
}

Reason whyHeldBack(const Backpressure &pressure)
{
    return {QStringLiteral("no worker claims jobs since %1: %2").arg(timeOfDay(pressure.since), pressure.reason),
            QStringLiteral("mend the history (drover doctor): claims then go on by themselves")};
}

} // namespace

Reason whyPaused(const QByteArray &name, const QueueSettings &settings)
{
    const QString queue = QString::fromUtf8(name);
    return {QStringLiteral("queue %1 was paused by %2 at %3%4")
                .arg(queue, settings.pausedBy, timeOfDay(settings.pausedAt),
                     settings.why.isEmpty() ? QString() : QStringLiteral(": ") + settings.why),
            QStringLiteral("drover queue resume %1").arg(queue)};
}

Reason whyNotCancelledYet()
{
    return {
        QStringLiteral("its cancellation was asked for, and is carried out as soon as there is a master or a worker "
                       "for its queue"),
        QStringLiteral("start one: drover worker")};
}

std::optional<Reason> whyTooNew(const JobView &job)
{
    if (job.spec || job.claimed || !job.entry || job.stored.isEmpty())
        return std::nullopt;
    try {
        JobSpec::decode(job.stored, job.id.queue, job.entry->priority);
    } catch (const NewerFormat &error) {
        return Reason{QStringLiteral("a newer drover has submitted it, and no worker as old as this one runs it: %1")
                          .arg(QString::fromUtf8(error.what())),
                      QStringLiteral("update drover on the workers' machines, and start them again")};
    } catch (const Malformed &) { // a worker ends it
    }
    return std::nullopt;
}

async::Task<std::vector<Reason>> whyReady(Cluster cluster, JobView job)
{
    std::vector<Reason> reasons;
    if (job.spec && job.spec->notes.cancelled)
        reasons.push_back(whyNotCancelledYet());
    const std::optional<Backpressure> pressure = co_await backpressureOn(cluster);
    if (pressure)
        reasons.push_back(whyHeldBack(*pressure));
    const QueueSettings settings = co_await queueSettings(cluster, job.id.queue);
    if (settings.paused)
        reasons.push_back(whyPaused(job.id.queue, settings));
    const WorkerPool pool = co_await readWorkerPool(cluster);
    const std::vector<StoredClaim> claims = co_await readClaims(cluster);
    if (settings.limit > 0) {
        const std::optional<Reason> full = co_await whyQueueIsFull(cluster, job.id.queue);
        if (full)
            reasons.push_back(*full);
    }
    JobSpec spec = job.spec.value_or(JobSpec());
    spec.queue = job.id.queue;
    const WorkerPool::Chosen fit = pool.fitFor(spec);
    if (const std::optional<Reason> noWorker = whyNoWorker(pool, spec)) {
        reasons.push_back(*noWorker);
    } else {
        TakenMemory taken;
        if (spec.needs.memory > 0)
            taken = co_await readTakenMemory(cluster, claims);
        const std::vector<Reason> noRoom = whyNoRoom(job.id, spec.needs, fit, claims, taken);
        reasons.insert(reasons.end(), noRoom.begin(), noRoom.end());
    }
    QSet<JobId> claimed;
    for (const StoredClaim &claim : claims)
        claimed.insert(claim.id);
    const Ahead ahead = co_await countAhead(cluster, job, pool, claimed);
    if (ahead.count > 0)
        reasons.push_back(aboutAhead(ahead, QString::fromUtf8(job.id.queue)));
    if (reasons.empty())
        reasons.push_back({QStringLiteral("nothing keeps it: a worker is about to take it")});
    if (job.attempts > 0)
        reasons.push_back(
            {QStringLiteral("it has begun %1 before, of which %2 failed and the others were lost with their "
                            "workers")
                 .arg(text::formatCount(job.attempts, "time", "times"))
                 .arg(spec.notes.failed)});
    co_return reasons;
}

} // namespace drover::jobs
