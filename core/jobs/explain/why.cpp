#include "jobs/explain/why.h"

#include "jobs/client/job_control.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/explain/dependencies.h"
#include "jobs/explain/gang_view.h"
#include "jobs/explain/reasons.h"
#include "jobs/explain/why_blocked.h"
#include "recipes/elections/leader_latch.h"
#include "text/quantity.h"

#include <algorithm>

namespace drover::jobs {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using zk::Answer;

namespace {

// Without a master waiting jobs do not become ready, arrays do not expand and gangs do not assemble.
async::Task<std::optional<Reason>> whyNoMaster(Cluster cluster, QString work)
{
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::optional<recipes::Participant> master = co_await latch.leader();
    if (master)
        co_return std::nullopt;
    co_return Reason{QStringLiteral("no worker is master, and only a master %1").arg(work),
                     QStringLiteral("start a worker: drover worker")};
}

constexpr std::size_t MostDependencies = 5; // that are named

// Nothing if it is fulfilled.
async::Task<std::optional<Reason>> aboutDependency(Cluster cluster, Dependency dependency)
{
    const char *const wanted = dependency.kind == Dependency::Kind::Ok ? "to succeed"
        : dependency.kind == Dependency::Kind::Failed                  ? "to fail"
        : dependency.kind == Dependency::Kind::Begun                   ? "to begin"
                                                                       : "to end";
    const QString text = QStringLiteral("it waits for %1 %2").arg(dependency.on.toString(), QLatin1String(wanted));
    try {
        const JobView other = co_await lookUpWhereItIs(cluster, dependency.on);
        if (isFulfilled(dependency.kind, other.state))
            co_return std::nullopt;
        co_return Reason{QStringLiteral("%1, which is %2").arg(text, stateName(other.state)),
                         QStringLiteral("drover why %1").arg(dependency.on.toString())};
    } catch (const NotFound &) {
    }
    co_return Reason{
        text
            + QStringLiteral(", which is no longer there: it waits until the master finds in the history how "
                             "that has ended"),
        QStringLiteral("drover doctor says whether the history knows it; if not, cancel this job and submit "
                       "it without that dependency")};
}

// What has not come yet of all that a job waits for, the first few by name.
async::Task<std::vector<Reason>> aboutDependencies(Cluster cluster, std::vector<Dependency> all)
{
    std::vector<Reason> reasons;
    std::size_t open = 0;
    for (const Dependency &dependency : all) {
        std::optional<Reason> reason = co_await aboutDependency(cluster, dependency);
        if (reason && ++open <= MostDependencies)
            reasons.push_back(std::move(*reason));
    }
    if (open > MostDependencies)
        reasons.push_back(
            {QStringLiteral("it waits for %1")
                 .arg(text::formatCount(static_cast<qint64>(open - MostDependencies), "more job", "more jobs"))});
    co_return reasons;
}

Reason aboutReserved(const zk::Path &path)
{
    return {QStringLiteral("it is a singleton, and %1 reserves a number before its own for a job that another client "
                           "moves here")
                .arg(path.toString()),
            QStringLiteral("it goes on once that job has come, or that client's session has ended")};
}

// A singleton's: the number before its own that is reserved for a job from another queue. Looking at it needs no right.
async::Task<std::optional<Reason>> aboutReservation(Cluster cluster, JobId id, QByteArrayList names)
{
    names.removeIf([&id](const QByteArray &name) { return !reservesNumber(name, id.number - 1); });
    for (qsizetype begin = 0; begin < names.size(); begin += Flight) {
        const qsizetype end = std::min<qsizetype>(begin + Flight, names.size());
        std::vector<zk::Reply<zk::Stat>> looking;
        for (qsizetype i = begin; i < end; ++i)
            looking.push_back(cluster.zk.exists(cluster.layout.queue(id.queue) / names[i]));
        for (qsizetype i = begin; i < end; ++i) {
            const Answer<zk::Stat> there = co_await looking[static_cast<std::size_t>(i - begin)];
            if (there.ok() && there->ephemeralOwner != 0)
                co_return aboutReserved(cluster.layout.queue(id.queue) / names[i]);
        }
    }
    co_return std::nullopt;
}

Reason aboutEarlier(const JobView &job, const std::vector<JobId> &earlier)
{
    const QString latest = std::max_element(earlier.begin(), earlier.end())->toString();
    return {QStringLiteral("it is a singleton, and %1 called \"%2\" came before it and %3 not ended: %4")
                .arg(text::formatCount(static_cast<qint64>(earlier.size()), "job", "jobs"), job.spec->title(),
                     earlier.size() == 1 ? QStringLiteral("has") : QStringLiteral("have"), latest),
            QStringLiteral("drover why %1").arg(latest)};
}

Reason aboutHidden(const std::vector<JobId> &hidden)
{
    return {QStringLiteral("it is a singleton, and you may not read %1 before it, which may have its name: %2")
                .arg(text::formatCount(static_cast<qint64>(hidden.size()), "job", "jobs"),
                     std::min_element(hidden.begin(), hidden.end())->toString()),
            QStringLiteral("drover doctor says whether the master may read that")};
}

// A singleton's: the earlier jobs of its name, and what may become or be one. Reads its queue as far as the job's own
// number.
async::Task<std::vector<Reason>> aboutSameNameJobs(Cluster cluster, JobView job)
{
    const Answer<zk::Children> names = co_await cluster.zk.children(cluster.layout.queue(job.id.queue));
    const std::vector<QueueEntry> entries = jobsUpTo(names->names, job.id.number - 1);
    std::vector<zk::Path> paths;
    for (const QueueEntry &entry : entries)
        paths.push_back(cluster.layout.job(job.id.queue, entry));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    std::vector<JobId> earlier;
    std::vector<JobId> hidden;
    std::vector<JobId> newer;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const JobId id = entries[i].idIn(job.id.queue);
        if (nodes[i].is(zk::Code::NoAuth))
            hidden.push_back(id);
        if (!nodes[i].ok())
            continue;
        try {
            if (JobSpec::decode(nodes[i]->data, id.queue, 0).title() == job.spec->title())
                earlier.push_back(id);
        } catch (const NewerFormat &) {
            newer.push_back(id);
        } catch (const Malformed &) {
        }
    }
    std::vector<Reason> reasons;
    if (!earlier.empty())
        reasons.push_back(aboutEarlier(job, earlier));
    if (!hidden.empty())
        reasons.push_back(aboutHidden(hidden));
    if (!newer.empty())
        reasons.push_back({QStringLiteral("it is a singleton, and a newer drover has submitted %1 before it, which may "
                                          "have its name")
                               .arg(std::min_element(newer.begin(), newer.end())->toString()),
                           QStringLiteral("update drover where workers run")});
    std::optional<Reason> reserved = co_await aboutReservation(cluster, job.id, names->names);
    if (reserved)
        reasons.push_back(std::move(*reserved));
    co_return reasons;
}

async::Task<std::vector<Reason>> whyWaiting(Cluster cluster, JobView job)
{
    std::vector<Reason> reasons;
    const milliseconds now = cluster.zk.loop().wallClock();
    if (job.spec && job.spec->notes.notBefore > now)
        reasons.push_back(
            {QStringLiteral("%1 at %2, in %3")
                 .arg(
                     job.spec->notes.failed > 0
                         ? QStringLiteral("it has failed with %1 and is retried").arg(job.spec->notes.failedCode)
                         : QStringLiteral("it is to begin"),
                     timeOfDay(job.spec->notes.notBefore),
                     text::formatDuration(std::chrono::floor<std::chrono::seconds>(job.spec->notes.notBefore - now)))});
    if (job.spec) {
        const std::vector<Reason> open = co_await aboutDependencies(cluster, job.spec->after);
        reasons.insert(reasons.end(), open.begin(), open.end());
    }
    if (job.spec && job.spec->singleton) {
        const std::vector<Reason> others = co_await aboutSameNameJobs(cluster, job);
        reasons.insert(reasons.end(), others.begin(), others.end());
    }
    const std::optional<Reason> noMaster = co_await whyNoMaster(cluster, QStringLiteral("makes waiting jobs ready"));
    if (noMaster)
        reasons.insert(reasons.begin(), *noMaster);
    if (reasons.empty())
        reasons.push_back({QStringLiteral("its wait has ended; the master is about to make it ready")});
    co_return reasons;
}

// The tasks of an array, or the members of a gang, that are there now.
struct Tasks {
    int running = 0; // and members that have their place
    std::optional<JobView> stuck; // the first that does not run
};

async::Task<Tasks> readTasks(Cluster cluster, JobId array)
{
    const Answer<zk::Children> names = co_await cluster.zk.children(cluster.layout.queue(array.queue));
    std::vector<std::pair<JobId, QueueEntry>> entries;
    for (const QueueEntry &entry : readyInOrder(names->names)) {
        if (entry.number == array.number && entry.task != JobId::NoTask)
            entries.emplace_back(entry.idIn(array.queue), entry);
    }
    Tasks tasks;
    const std::vector<JobView> views = co_await readEntries(cluster, std::move(entries));
    for (const JobView &view : views) {
        const bool runs = view.claimed && (!view.claim || view.claim->takesSlots());
        tasks.running += runs;
        if (!runs && !tasks.stuck)
            tasks.stuck = view;
    }
    co_return tasks;
}

// Why one of several does not run, as reasons of the whole.
async::Task<std::vector<Reason>> whyTask(Cluster cluster, JobView task)
{
    std::vector<Reason> reasons;
    if (task.claim) {
        Reason reason = co_await whyWaitsAtWorker(cluster, task);
        reasons.push_back(std::move(reason));
    } else {
        reasons = co_await whyReady(cluster, task);
    }
    for (Reason &reason : reasons)
        reason.what = QStringLiteral("%1: %2").arg(task.id.toString(), reason.what);
    co_return reasons;
}

async::Task<std::vector<Reason>> whyGang(Cluster cluster, JobView job)
{
    std::vector<Reason> reasons;
    const QueueSettings settings = co_await queueSettings(cluster, job.id.queue);
    const WorkerPool pool = co_await readWorkerPool(cluster);
    const std::optional<Reason> noMaster = co_await whyNoMaster(cluster, QStringLiteral("lets gangs assemble"));
    if (noMaster)
        reasons.push_back(*noMaster);
    if (settings.paused)
        reasons.push_back(whyPaused(job.id.queue, settings));
    if (std::optional<Reason> reason = whyNoWorker(pool, *job.spec))
        reasons.push_back(std::move(*reason));
    const std::vector<WorkerInfo> workers = pool.available();
    const std::vector<Reason> own = co_await aboutGang(cluster, job, workers);
    reasons.insert(reasons.end(), own.begin(), own.end());
    const Tasks members = co_await readTasks(cluster, job.id);
    if (members.stuck && reasons.size() == own.size()) { // else it is reported already
        const std::vector<Reason> why = co_await whyTask(cluster, *members.stuck);
        reasons.insert(reasons.end(), why.begin(), why.end());
    }
    if (job.spec->notes.cancelled)
        reasons.push_back({QStringLiteral("its cancellation was asked for; the master ends it")});
    co_return reasons;
}

Reason aboutProgress(const JobView &job, int running)
{
    const int limit = job.spec->array->limit;
    const bool isFull = limit > 0 && running >= limit;
    return {QStringLiteral("its tasks are made a few at a time: %1, %2%3")
                .arg(job.progress->toString(job.spec->array->count()),
                     text::formatCount(running, "task runs", "tasks run"),
                     isFull ? QStringLiteral(", as many as its %%1 allows").arg(limit) : QString())};
}

// What matters first: that some of its tasks run, or why none does.
async::Task<std::vector<Reason>> whyArray(Cluster cluster, JobView job)
{
    std::vector<Reason> reasons;
    const Tasks tasks = co_await readTasks(cluster, job.id);
    const Reason progress = aboutProgress(job, tasks.running);
    if (tasks.running > 0)
        reasons.push_back(progress);
    if (tasks.stuck) {
        const std::vector<Reason> why = co_await whyTask(cluster, *tasks.stuck);
        reasons.insert(reasons.end(), why.begin(), why.end());
    } else {
        const QueueSettings settings = co_await queueSettings(cluster, job.id.queue);
        if (settings.paused) // tasks that are not created yet will wait
            reasons.push_back(whyPaused(job.id.queue, settings));
    }
    if (tasks.running == 0)
        reasons.push_back(progress);
    const std::optional<Reason> noMaster = co_await whyNoMaster(cluster, QStringLiteral("expands arrays"));
    if (noMaster)
        reasons.push_back(*noMaster);
    if (job.spec->notes.cancelled)
        reasons.push_back({QStringLiteral("its cancellation was asked for; the master ends its tasks")});
    co_return reasons;
}

async::Task<std::vector<Reason>> whyNotExpanded(Cluster cluster, JobView job)
{
    std::vector<Reason> reasons;
    const std::optional<Reason> noMaster = co_await whyNoMaster(cluster, QStringLiteral("expands arrays"));
    if (noMaster)
        reasons.push_back(*noMaster);
    const WorkerPool pool = co_await readWorkerPool(cluster);
    if (const std::optional<Reason> noWorker = job.spec ? whyNoWorker(pool, *job.spec) : std::nullopt)
        reasons.push_back(*noWorker);
    if (reasons.empty())
        reasons.push_back({QStringLiteral("the master is about to expand it")});
    co_return reasons;
}

async::Task<std::vector<Reason>> whyClaimed(Cluster cluster, JobView job)
{
    std::vector<Reason> reasons;
    const milliseconds since = cluster.zk.loop().wallClock() - job.since;
    if (!job.claim) {
        reasons.push_back({QStringLiteral("its claim is malformed: %1").arg(job.malformed)});
    } else if (!job.claim->waits.isEmpty()) {
        Reason reason = co_await whyWaitsAtWorker(cluster, job);
        reasons.push_back(std::move(reason));
    } else if (job.claim->prefetched) {
        reasons.push_back(
            {QStringLiteral("worker %1 has claimed it for the next slot that gets free, and gives it back "
                            "if that takes longer than a moment")
                 .arg(job.claim->worker)});
    } else {
        reasons.push_back(
            {QStringLiteral("it runs on %1 for %2, attempt %3")
                 .arg(job.claim->worker, text::formatDuration(std::chrono::floor<std::chrono::seconds>(since)),
                      QString::number(job.claim->attempts.number()))});
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
    return {QStringLiteral("it is held by %1").arg(job.spec ? job.spec->notes.heldBy : QString()),
            QStringLiteral("drover release %1").arg(job.id.toString())};
}

async::Task<std::vector<Reason>> reasonsFor(Cluster cluster, JobView job)
{
    if (const std::optional<Reason> newer = whyTooNew(job))
        co_return std::vector<Reason>(1, *newer);
    const bool isArray = job.entry && job.entry->jobClass == QueueEntry::Class::Array && job.state != JobState::Held;
    if (isArray && job.progress && job.spec->gang > 0)
        co_return co_await whyGang(cluster, job);
    if (isArray && job.progress && job.progress->begun())
        co_return co_await whyArray(cluster, job);
    if (isArray)
        co_return co_await whyNotExpanded(cluster, job);
    if (job.claimed)
        co_return co_await whyClaimed(cluster, job);
    switch (job.state) {
    case JobState::Held:
        co_return std::vector<Reason>(1, whyHeld(job));
    case JobState::Waiting:
        co_return co_await whyWaiting(cluster, job);
    case JobState::Ready:
        co_return co_await whyReady(cluster, job);
    case JobState::Running:
    case JobState::Succeeded:
    case JobState::Failed:
    case JobState::Cancelled:
        break;
    }
    co_return std::vector<Reason>(1, whyEnded(job));
}

// Why workers and the master leave its node alone.
async::Task<std::vector<Reason>> whyLeftAlone(Cluster cluster, JobView job)
{
    std::vector<Reason> reasons;
    if (!job.entry)
        co_return reasons;
    const std::vector<QueueEntry> entries(1, *job.entry);
    const std::vector<std::optional<Reason>> blocked = co_await whyBlocked(cluster, job.id.queue, entries);
    if (blocked.front())
        reasons.push_back(*blocked.front());
    if (job.claimed)
        co_return reasons;
    const std::vector<std::optional<Reason>> forbidden = co_await whyForbidden(cluster, job.id.queue, entries);
    if (forbidden.front())
        reasons.push_back(*forbidden.front());
    co_return reasons;
}

} // namespace

async::Task<Explanation> explain(Cluster cluster, JobId id)
{
    JobView job = co_await lookUp(cluster, id);
    std::vector<Reason> reasons = co_await whyLeftAlone(cluster, job);
    const bool isReady = job.state == JobState::Ready && !job.claimed && !job.progress;
    if (reasons.empty() || !isReady) { // else nothing more keeps it
        const std::vector<Reason> others = co_await reasonsFor(cluster, job);
        reasons.insert(reasons.end(), others.begin(), others.end());
    }
    co_return Explanation{std::move(job), std::move(reasons)};
}

Explanation explainEnded(JobView job)
{
    std::vector<Reason> reasons(1, whyEnded(job));
    return {std::move(job), std::move(reasons)};
}

} // namespace drover::jobs
