#include "jobs/explain/waits_for.h"

#include "jobs/cluster/members.h"
#include "jobs/cluster/worker_pool.h"
#include "jobs/explain/dependencies.h"
#include "jobs/explain/gang_view.h"
#include "jobs/explain/reasons.h"
#include "jobs/explain/why_blocked.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace drover::jobs {

namespace {

constexpr int MostAsked = 50;
constexpr std::size_t MostLookedUp = 20;

const char *endText(Dependency::Kind kind)
{
    switch (kind) {
    case Dependency::Kind::Begun:
        return "has begun";
    case Dependency::Kind::Ok:
        return "succeeds";
    case Dependency::Kind::Failed:
        return "fails";
    case Dependency::Kind::Any:
        return "ends";
    }
    return "";
}

// What a waiting job waits for, but for what is known to have come. A single dependency is not looked up: the master is
// about to see its end.
async::Task<QStringList> openOf(JobSpec spec, std::chrono::milliseconds now, Dependencies &known)
{
    QStringList reasons;
    if (!spec.notes.ready) { // else it has waited for these already
        const bool isOnly = spec.after.size() == 1 && !spec.singleton && spec.notes.notBefore <= now;
        for (const Dependency &other : spec.after) {
            bool hasCome = false;
            if (!isOnly)
                hasCome = co_await known.isFulfilled(other);
            if (!hasCome)
                reasons.append(QStringLiteral("%1 %2").arg(other.on.toString(), QLatin1String(endText(other.kind))));
        }
        if (spec.singleton)
            reasons.append(QStringLiteral("earlier jobs called %1").arg(spec.title()));
    }
    if (spec.notes.notBefore > now)
        reasons.append(timeOfDay(spec.notes.notBefore));
    co_return reasons;
}

async::Task<QString> waitsByItself(const JobView &job, std::chrono::milliseconds now, Dependencies &known)
{
    if (job.state == JobState::Held)
        co_return QStringLiteral("drover release");
    if (job.state != JobState::Waiting || job.claim || !job.spec)
        co_return QString();
    const QStringList reasons = co_await openOf(*job.spec, now, known);
    const qsizetype others = reasons.size() - 1;
    co_return others < 1 ? reasons.value(0) : QStringLiteral("%1 and %2 more").arg(reasons[0]).arg(others);
}

// An array that has begun is running, also while none of its tasks does.
bool needsWorkers(const JobView &job)
{
    if (!job.spec || job.claim)
        return false;
    return job.state == JobState::Ready || (job.progress && job.state == JobState::Running);
}

// The cluster as the jobs of one list see it.
class Surroundings
{
public:
    explicit Surroundings(Cluster cluster) : m_cluster(std::move(cluster)) { }

    async::Task<void> read()
    {
        WorkerPool pool = co_await readWorkerPool(m_cluster);
        m_pool = std::move(pool);
        std::vector<StoredClaim> claims = co_await readClaims(m_cluster);
        m_claims = std::move(claims);
        m_running = runningJobs(m_claims);
    }

    async::Task<QString> reasonOf(const JobView &job)
    {
        if (job.progress && m_running.contains(job.id))
            co_return QString();
        if (job.spec->notes.cancelled)
            co_return whyNotCancelledYet().what;
        const QString byQueue = co_await reasonOfQueue(job.id.queue);
        if (!byQueue.isEmpty())
            co_return byQueue;
        JobSpec spec = *job.spec;
        spec.queue = job.id.queue;
        if (const std::optional<Reason> unfit = whyNoWorker(m_pool, spec))
            co_return unfit->what;
        const Kind kind{spec.queue, spec.gang, spec.needs.slots, spec.needs.memory, spec.needs.labels, spec.limits};
        const auto known = m_reasons.find(kind);
        if (known != m_reasons.end())
            co_return known->second;
        if (m_reasons.size() >= MostAsked)
            co_return QString();
        const QString reason = co_await askForRoom(job.id, spec);
        m_reasons.emplace(kind, reason);
        co_return reason;
    }

private:
    using Kind = std::tuple<QByteArray, int, int, qint64, QStringList, QStringList>; // queue, gang, needs and limits

    async::Task<QString> reasonOfQueue(QByteArray name)
    {
        const auto known = m_queues.find(name);
        if (known != m_queues.end())
            co_return known->second;
        QString text;
        try {
            const QueueSettings settings = co_await queueSettings(m_cluster, name);
            if (settings.paused)
                text = whyPaused(name, settings).what;
            if (!settings.paused && settings.limit > 0) {
                const std::optional<Reason> full = co_await whyQueueIsFull(m_cluster, name);
                text = full ? full->what : QString();
            }
        } catch (const NotFound &) { // it was removed meanwhile
        } catch (const zk::AccessDenied &) { // no reason to refuse the list
        }
        m_queues.emplace(name, text);
        co_return text;
    }

    async::Task<QString> askForRoom(JobId id, JobSpec spec)
    {
        try {
            QString reason = co_await whatLacks(std::move(id), std::move(spec));
            co_return reason;
        } catch (const zk::AccessDenied &) {
        }
        co_return QString();
    }

    async::Task<QString> whatLacks(JobId id, JobSpec spec)
    {
        if (spec.gang > 0) {
            const std::optional<Reason> never = co_await whyGangNeverBegins(m_cluster, spec, m_pool.available());
            co_return never ? never->what
                            : QStringLiteral("its turn, and places for its %1 members at the same time").arg(spec.gang);
        }
        if (spec.needs.memory > 0 && !m_takenMemory)
            m_takenMemory = co_await readTakenMemory(m_cluster, m_claims);
        const TakenMemory taken = m_takenMemory.value_or(TakenMemory());
        const std::vector<Reason> reasons = whyNoRoom(id, spec.needs, m_pool.fitFor(spec), m_claims, taken);
        co_return reasons.empty() ? QString() : reasons.front().what;
    }

    Cluster m_cluster;
    WorkerPool m_pool;
    std::vector<StoredClaim> m_claims;
    std::optional<TakenMemory> m_takenMemory; // read once a job needs memory
    std::set<JobId> m_running;
    std::map<QByteArray, QString> m_queues; // what keeps all their jobs
    std::map<Kind, QString> m_reasons;
};

} // namespace

async::Task<QStringList> waitsFor(Cluster cluster, const std::vector<JobView> &jobs)
{
    Surroundings seen(cluster);
    const bool asks = std::any_of(jobs.begin(), jobs.end(), needsWorkers);
    if (asks)
        co_await seen.read();
    Dependencies known(cluster, MostLookedUp);
    const std::chrono::milliseconds now = cluster.zk.loop().wallClock();
    QStringList texts;
    for (const JobView &job : jobs) {
        QString text;
        if (job.nodesBelow > 0 && !job.claimed) { // nothing else keeps it
            text = blockedText(job.nodesBelow);
        } else if (needsWorkers(job)) {
            QString reason = co_await seen.reasonOf(job);
            text = std::move(reason);
        } else {
            QString reason = co_await waitsByItself(job, now, known);
            text = std::move(reason);
        }
        texts.append(text);
    }
    co_return texts;
}

} // namespace drover::jobs
