#include "jobs/why_ready.h"

#include "jobs/backpressure.h"
#include "jobs/count_text.h"
#include "jobs/read_nodes.h"
#include "jobs/why_holding.h"
#include "jobs/why_room.h"

#include <QSet>

#include <algorithm>

namespace drover::jobs {

using zk::Answer;

namespace {

constexpr qsizetype MostRead = 1000; // of the jobs ahead: more are counted, and not looked at

struct Ahead {
    qint64 count = 0;
    bool isAtMost = false; // not all of them were looked at
};

bool canRun(const Crew &crew, const JobId &id, const QueueEntry &entry, const Answer<zk::Node> &node)
{
    if (!node.ok())
        return false; // it has gone meanwhile
    try {
        return !whyNoWorker(crew, JobSpec::decode(node->data, id.queue, entry.priority));
    } catch (const Malformed &) {
        return true; // a worker takes it, and ends it
    }
}

// Those that nobody has claimed, without those that no worker takes: they are in nobody's way.
async::Task<Ahead> countAhead(zk::Coordinator &zk, Layout layout, JobView job, Crew crew, QSet<JobId> claimed)
{
    const Answer<zk::Children> names = co_await zk.children(layout.queue(job.id.queue));
    std::vector<QueueEntry> entries;
    for (const QueueEntry &entry : readyInOrder(names->names)) {
        if (entry < *job.entry && !claimed.contains(entry.idIn(job.id.queue)))
            entries.push_back(entry);
    }
    std::vector<zk::Path> paths;
    for (const QueueEntry &entry : entries) {
        if (paths.size() < MostRead)
            paths.push_back(layout.job(job.id.queue, entry));
    }
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(zk, std::move(paths));
    Ahead ahead;
    ahead.isAtMost = entries.size() > nodes.size();
    ahead.count = static_cast<qint64>(entries.size() - nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        ahead.count += canRun(crew, entries[i].idIn(job.id.queue), entries[i], nodes[i]);
    co_return ahead;
}

Reason aboutAhead(const Ahead &ahead, const QString &queue)
{
    return {QStringLiteral("%1%2 ahead of it in queue %3")
                .arg(ahead.isAtMost ? QStringLiteral("at most ") : QString(),
                     formatCount(ahead.count, "job is", "jobs are"), queue)};
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

async::Task<std::vector<Reason>> whyReady(zk::Coordinator &zk, Layout layout, JobView job)
{
    std::vector<Reason> reasons;
    const std::optional<Backpressure> pressure = co_await backpressureOn(zk, layout);
    if (pressure)
        reasons.push_back(whyHeldBack(*pressure));
    const QueueSettings settings = co_await queueSettings(zk, layout, job.id.queue);
    if (settings.paused)
        reasons.push_back(whyPaused(job.id.queue, settings));
    const Crew crew = co_await readCrew(zk, layout);
    const std::vector<StoredClaim> claims = co_await readClaims(zk, layout);
    if (settings.limit > 0) {
        const std::optional<Reason> full = co_await whyQueueIsFull(zk, layout, job.id.queue);
        if (full)
            reasons.push_back(*full);
    }
    JobSpec spec = job.spec.value_or(JobSpec());
    spec.queue = job.id.queue;
    const std::vector<const Crew::Member *> fit = crew.fitFor(spec);
    if (const std::optional<Reason> noWorker = whyNoWorker(crew, spec)) {
        reasons.push_back(*noWorker);
    } else {
        const std::vector<Reason> noRoom = co_await whyNoRoom(zk, layout, job.id, spec.needs, fit, claims);
        reasons.insert(reasons.end(), noRoom.begin(), noRoom.end());
    }
    QSet<JobId> claimed;
    for (const StoredClaim &claim : claims)
        claimed.insert(claim.id);
    const Ahead ahead = co_await countAhead(zk, layout, job, crew, claimed);
    if (ahead.count > 0)
        reasons.push_back(aboutAhead(ahead, QString::fromUtf8(job.id.queue)));
    if (reasons.empty())
        reasons.push_back({QStringLiteral("nothing keeps it: a worker is about to take it")});
    if (job.attempts > 0)
        reasons.push_back(
            {QStringLiteral("it has begun %1 before, of which %2 failed and the others were lost with their "
                            "workers")
                 .arg(formatCount(job.attempts, "time", "times"))
                 .arg(spec.failed)});
    co_return reasons;
}

} // namespace drover::jobs
