#include "jobs/why.h"

#include "jobs/cordon.h"
#include "jobs/count_text.h"
#include "jobs/gang_view.h"
#include "jobs/members.h"
#include "jobs/queue_settings.h"
#include "jobs/read_nodes.h"
#include "jobs/titles.h"
#include "recipes/leader_latch.h"
#include "recipes/participants.h"

#include <QDateTime>

#include <algorithm>

namespace drover::jobs {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using zk::Answer;

namespace {

// "for 31 s", "for 2 h 5 min"
QString lasting(milliseconds time)
{
    const qint64 seconds = std::max<qint64>(0, time / 1s);
    if (seconds < 120)
        return QStringLiteral("%1 s").arg(seconds);
    if (seconds < 2 * 3600)
        return QStringLiteral("%1 min").arg(seconds / 60);
    if (seconds < 48 * 3600)
        return QStringLiteral("%1 h %2 min").arg(seconds / 3600).arg(seconds / 60 % 60);
    return QStringLiteral("%1 days").arg(seconds / 86400);
}

QString timeOfDay(milliseconds sinceEpoch)
{
    return QDateTime::fromMSecsSinceEpoch(sinceEpoch.count()).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

// The workers, and what keeps them from a job.
struct Crew {
    struct Member {
        WorkerInfo info;
        std::optional<Cordon> cordon;
    };
    std::vector<Member> members;

    template <typename Predicate>
    std::vector<const Member *> which(Predicate predicate) const
    {
        std::vector<const Member *> found;
        for (const Member &member : members) {
            if (predicate(member))
                found.push_back(&member);
        }
        return found;
    }
};

async::Task<Crew> readCrew(zk::Coordinator &zk, Layout layout)
{
    const std::vector<Member> members = co_await readMembers(zk, layout);
    Crew crew;
    for (const Member &member : members) {
        if (!member.info)
            continue;
        const std::optional<Cordon> cordon = co_await cordonOf(zk, layout, member.id);
        crew.members.push_back({*member.info, cordon});
    }
    co_return crew;
}

// What the labels, slots and memory of the workers that may take jobs of this queue leave to be wished.
std::optional<Reason> whyNoWorker(const Crew &crew, const JobView &job)
{
    if (crew.members.empty())
        return Reason{QStringLiteral("there is no worker"), QStringLiteral("start one: drover worker")};
    const QString queue = QString::fromUtf8(job.id.queue);
    const auto serving = crew.which([&](const Crew::Member &m) { return m.info.queues.contains(queue); });
    if (serving.empty())
        return Reason{QStringLiteral("no worker serves queue %1").arg(queue),
                      QStringLiteral("start one: drover worker --queue %1").arg(queue)};
    const Needs needs = job.spec ? job.spec->needs : Needs();
    for (const QString &label : needs.labels) {
        if (std::none_of(serving.begin(), serving.end(), [&](const auto *m) { return m->info.labels.contains(label); }))
            return Reason{QStringLiteral("no worker of queue %1 has the label %2").arg(queue, label),
                          QStringLiteral("start one: drover worker --queue %1 --label %2").arg(queue, label)};
    }
    const auto has = [&](const Crew::Member &m) {
        return std::all_of(needs.labels.begin(), needs.labels.end(),
                           [&](const QString &label) { return m.info.labels.contains(label); });
    };
    int mostSlots = 0;
    qint64 mostMemory = 0;
    bool fits = false;
    const Crew::Member *cordoned = nullptr;
    bool open = false;
    for (const Crew::Member *member : serving) {
        if (!has(*member))
            continue;
        mostSlots = std::max(mostSlots, member->info.slotCount);
        mostMemory = std::max(mostMemory, member->info.memory);
        if (needs.slots > member->info.slotCount || needs.memory > member->info.memory)
            continue;
        fits = true;
        (member->cordon ? cordoned = member : nullptr);
        open = open || !member->cordon;
    }
    if (mostSlots == 0)
        return Reason{QStringLiteral("no worker has all the labels %1").arg(needs.labels.join(QStringLiteral(", ")))};
    if (needs.slots > mostSlots)
        return Reason{QStringLiteral("it needs %1, the largest worker has %2")
                          .arg(formatCount(needs.slots, "slot", "slots"))
                          .arg(mostSlots)};
    if (!fits)
        return Reason{QStringLiteral("it needs %1 MiB of memory, the largest worker has %2 MiB")
                          .arg(needs.memory >> 20)
                          .arg(mostMemory >> 20)};
    if (!open)
        return Reason{
            QStringLiteral("every worker that could run it is cordoned; %1 by %2%3")
                .arg(cordoned->info.id, cordoned->cordon->by,
                     cordoned->cordon->why.isEmpty() ? QString() : QStringLiteral(": ") + cordoned->cordon->why),
            QStringLiteral("drover worker uncordon %1").arg(cordoned->info.id)};
    return std::nullopt;
}

async::Task<Reason> aboutDependency(zk::Coordinator &zk, Layout layout, Dependency dependency)
{
    const char *const wanted = dependency.kind == Dependency::Kind::Ok ? "to succeed"
        : dependency.kind == Dependency::Kind::Failed                  ? "to fail"
        : dependency.kind == Dependency::Kind::Begun                   ? "to begin"
                                                                       : "to end";
    const QString text = QStringLiteral("it waits for %1 %2").arg(dependency.on.toString(), QLatin1String(wanted));
    try {
        const JobView other = co_await lookUp(zk, layout, dependency.on);
        co_return Reason{QStringLiteral("%1, which is %2").arg(text, stateName(other.state)),
                         QStringLiteral("drover why %1").arg(dependency.on.toString())};
    } catch (const NotFound &) {
    }
    co_return Reason{text + QStringLiteral(", which is no longer there; the master looks for it in the history")};
}

// A singleton's: the earlier jobs of its name. Reads its queue as far as the job's own number.
async::Task<std::optional<Reason>> aboutNamesakes(zk::Coordinator &zk, Layout layout, JobView job)
{
    const Answer<zk::Children> names = co_await zk.children(layout.queue(job.id.queue));
    const std::vector<QueueEntry> entries = jobsUpTo(names->names, job.id.number - 1);
    std::vector<zk::Path> paths;
    for (const QueueEntry &entry : entries)
        paths.push_back(layout.job(job.id.queue, entry));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(zk, std::move(paths));
    std::vector<JobId> earlier;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].ok() && titleIn(nodes[i]->data, job.id.queue) == job.spec->title())
            earlier.push_back(entries[i].idIn(job.id.queue));
    }
    if (earlier.empty())
        co_return std::nullopt;
    const QString latest = std::max_element(earlier.begin(), earlier.end())->toString();
    co_return Reason{QStringLiteral("it is a singleton, and %1 called \"%2\" came before it and %3 not ended: %4")
                         .arg(formatCount(static_cast<qint64>(earlier.size()), "job", "jobs"), job.spec->title(),
                              earlier.size() == 1 ? QStringLiteral("has") : QStringLiteral("have"), latest),
                     QStringLiteral("drover why %1").arg(latest)};
}

async::Task<std::vector<Reason>> whyWaiting(zk::Coordinator &zk, Layout layout, JobView job)
{
    std::vector<Reason> reasons;
    const milliseconds now = zk.loop().wallClock();
    if (job.spec && job.spec->notBefore > now)
        reasons.push_back({QStringLiteral("%1 at %2, in %3")
                               .arg(job.spec->failed > 0 ? QStringLiteral("it has failed and is tried again")
                                                         : QStringLiteral("it is to begin"),
                                    timeOfDay(job.spec->notBefore), lasting(job.spec->notBefore - now))});
    if (job.spec) {
        for (const Dependency &dependency : job.spec->after) {
            Reason reason = co_await aboutDependency(zk, layout, dependency);
            reasons.push_back(std::move(reason));
        }
    }
    if (job.spec && job.spec->singleton) {
        std::optional<Reason> reason = co_await aboutNamesakes(zk, layout, job);
        if (reason)
            reasons.push_back(std::move(*reason));
    }
    recipes::LeaderLatch latch(zk, layout.master());
    const std::optional<recipes::Participant> master = co_await latch.leader();
    if (!master)
        reasons.insert(reasons.begin(),
                       {QStringLiteral("no worker is master, and only a master makes ready what waits"),
                        QStringLiteral("start a worker: drover worker")});
    if (reasons.empty())
        reasons.push_back({QStringLiteral("what it waited for has come; the master is about to make it ready")});
    co_return reasons;
}

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
    const QString queue = QString::fromUtf8(job.id.queue);
    const QueueSettings settings = co_await queueSettings(zk, layout, job.id.queue);
    if (settings.paused)
        reasons.push_back(whyPaused(job.id.queue, settings));
    const Crew crew = co_await readCrew(zk, layout);
    if (std::optional<Reason> reason = whyNoWorker(crew, job))
        reasons.push_back(std::move(*reason));

    const auto listingQueue = zk.children(layout.queue(job.id.queue));
    const auto listingClaims = zk.children(layout.claims());
    const Answer<zk::Children> names = co_await listingQueue;
    const Answer<zk::Children> claims = co_await listingClaims;
    const QSet<QByteArray> claimed(claims->names.begin(), claims->names.end());
    qint64 ahead = 0;
    qint64 running = 0;
    for (const QueueEntry &entry : readyInOrder(names->names)) {
        const bool isClaimed = claimed.contains(entry.idIn(job.id.queue).bytes());
        running += isClaimed;
        ahead += !isClaimed && entry < *job.entry;
    }
    if (settings.limit > 0 && running >= settings.limit)
        reasons.push_back(
            {QStringLiteral("%1 of queue %2 run, as many as it allows").arg(formatCount(running, "job", "jobs"), queue),
             QStringLiteral("drover queue limit %1 N").arg(queue)});
    if (ahead > 0)
        reasons.push_back(
            {QStringLiteral("%1 ahead of it in queue %2").arg(formatCount(ahead, "job is", "jobs are"), queue)});
    if (reasons.empty() && !claims->names.isEmpty())
        reasons.push_back({QStringLiteral("it is next in queue %1 and waits for a free slot; %2 in the cluster")
                               .arg(queue, formatCount(claims->names.size(), "job runs", "jobs run"))});
    if (reasons.empty())
        reasons.push_back({QStringLiteral("nothing keeps it: a worker is about to take it")});
    if (job.attempts > 0)
        reasons.push_back(
            {QStringLiteral("it has begun %1 before, of which %2 failed and the others were lost with their "
                            "workers")
                 .arg(formatCount(job.attempts, "time", "times"))
                 .arg(job.spec ? job.spec->failed : 0)});
    co_return reasons;
}

async::Task<std::vector<Reason>> whyGang(zk::Coordinator &zk, Layout layout, JobView job)
{
    std::vector<Reason> reasons;
    const QueueSettings settings = co_await queueSettings(zk, layout, job.id.queue);
    const Crew crew = co_await readCrew(zk, layout);
    std::vector<WorkerInfo> workers;
    for (const Crew::Member &member : crew.members)
        workers.push_back(member.info);
    if (settings.paused)
        reasons.push_back(whyPaused(job.id.queue, settings));
    if (std::optional<Reason> reason = whyNoWorker(crew, job))
        reasons.push_back(std::move(*reason));
    const std::vector<Reason> own = co_await aboutGang(zk, layout, job, workers);
    reasons.insert(reasons.end(), own.begin(), own.end());
    if (job.spec->cancelled)
        reasons.push_back({QStringLiteral("its cancellation was asked for; the master ends it")});
    co_return reasons;
}

// "lock db" or "limit licence", as a claim says what it waits for.
async::Task<Reason> aboutHolding(zk::Coordinator &zk, Layout layout, QString waits, QString worker)
{
    const QString kind = waits.section(u' ', 0, 0);
    const QByteArray name = waits.section(u' ', 1).toUtf8();
    const QString text = QStringLiteral("worker %1 has claimed it and waits for %2").arg(worker, waits);
    if (kind != u"lock")
        co_return Reason{text};
    const std::vector<recipes::Participant> line = co_await recipes::participants(zk, layout.lock(name));
    if (line.empty())
        co_return Reason{text};
    const Answer<zk::Stat> stat = co_await zk.exists(line.front().fence.path);
    const QString since = stat.ok()
        ? QStringLiteral(" for %1").arg(lasting(zk.loop().wallClock() - milliseconds(stat->ctime)))
        : QString();
    co_return Reason{QStringLiteral("%1, held by %2%3").arg(text, QString::fromUtf8(line.front().data), since)};
}

async::Task<std::vector<Reason>> whyRunning(zk::Coordinator &zk, Layout layout, JobView job)
{
    std::vector<Reason> reasons;
    const milliseconds since = zk.loop().wallClock() - job.since;
    if (job.progress) {
        reasons.push_back({QStringLiteral("it is unfolded: %1").arg(job.progress->toString(job.spec->array->count()))});
    } else if (!job.claim) {
        reasons.push_back({QStringLiteral("somebody has claimed it with something malformed: %1").arg(job.malformed)});
    } else if (!job.claim->waits.isEmpty()) {
        Reason reason = co_await aboutHolding(zk, layout, job.claim->waits, job.claim->worker);
        reasons.push_back(std::move(reason));
    } else {
        reasons.push_back({QStringLiteral("it runs on %1 for %2, attempt %3")
                               .arg(job.claim->worker, lasting(since))
                               .arg(job.claim->attempt)});
    }
    if (job.claim && job.claim->cancelled)
        reasons.push_back({QStringLiteral("its cancellation was asked for; its worker ends it")});
    co_return reasons;
}

Reason whyEnded(const JobView &job)
{
    const bool explained = job.record && !job.record->reason.isEmpty();
    return {QStringLiteral("it has ended: %1%2")
                .arg(stateName(job.state), explained ? QStringLiteral(", ") + job.record->reason : QString())};
}

Reason whyHeld(const JobView &job)
{
    return {QStringLiteral("it is held by %1").arg(job.spec ? job.spec->heldBy : QString()),
            QStringLiteral("drover release %1").arg(job.id.toString())};
}

async::Task<std::vector<Reason>> reasonsFor(zk::Coordinator &zk, Layout layout, JobView job)
{
    const bool assembles = job.progress && job.spec->gang > 0 && job.entry->jobClass == QueueEntry::Class::Array;
    if (assembles && job.state != JobState::Held)
        co_return co_await whyGang(zk, layout, job);
    switch (job.state) {
    case JobState::Held:
        co_return std::vector<Reason>(1, whyHeld(job));
    case JobState::Waiting:
        co_return co_await whyWaiting(zk, layout, job);
    case JobState::Ready:
        co_return co_await whyReady(zk, layout, job);
    case JobState::Running:
        co_return co_await whyRunning(zk, layout, job);
    case JobState::Succeeded:
    case JobState::Failed:
    case JobState::Cancelled:
        break;
    }
    co_return std::vector<Reason>(1, whyEnded(job));
}

} // namespace

async::Task<Explanation> explain(zk::Coordinator &zk, Layout layout, JobId id)
{
    JobView job = co_await lookUp(zk, layout, id);
    std::vector<Reason> reasons = co_await reasonsFor(zk, layout, job);
    co_return Explanation{std::move(job), std::move(reasons)};
}

} // namespace drover::jobs
