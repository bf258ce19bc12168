#include "jobs/client/job_control.h"

#include "async/or_timeout.h"
#include "jobs/audit/audit_note.h"
#include "jobs/client/job_requirements.h"
#include "jobs/client/prover.h"
#include "jobs/client/reposition.h"
#include "jobs/client/submitter.h"
#include "recipes/blocks/persistent.h"

#include <functional>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;
using zk::Code;

namespace {

constexpr int MostRounds = 100; // each lost to a faster client
constexpr async::Duration PrefetchPatience = std::chrono::seconds(1); // its worker decides within a fifth of that

struct Plan {
    JobState to;
    zk::Transaction transaction; // empty: nothing is left to do
};

// What a verb is: what it is called in the audit, and its plan for the job as it was found (throws WrongState).
struct Verb {
    AuditAction action;
    QString detail{};
    std::function<Plan(const JobView &job)> plan{};
    bool asksWorker = false; // the worker handles the request whether the job has begun or not
};

JobState stateWithoutPending(const JobView &job)
{
    return isPending(job) ? unclaimedState(job.entry->jobClass) : job.state;
}

bool isPrefetched(const zk::Node &claim)
{
    const std::optional<Claim> read = tryDecode<Claim>(claim.data);
    return read && read->prefetched;
}

async::Task<void> untilNotPrefetched(zk::Client &zk, zk::Path claim)
{
    for (;;) {
        zk::Watch watch;
        const Answer<zk::Node> node = co_await Persistent(zk).get(claim, watch);
        if (!node.ok() || !isPrefetched(*node))
            co_return;
        co_await watch.fired();
    }
}

// A prefetched job begins without a transaction that could be refused, or is given back with all that its claim says.
// Until one of the two has happened, no change to the job is safe.
async::Task<void> untilDecided(Cluster cluster, JobView job)
{
    try {
        co_await async::orTimeout(cluster.zk.loop(), untilNotPrefetched(cluster.zk, cluster.layout.claim(job.id)),
                                  PrefetchPatience);
    } catch (const async::Timeout &) {
        throw WrongState(QStringLiteral("job %1 waits at worker %2, which has neither begun it nor given it back; try "
                                        "again, or drover requeue it")
                             .arg(job.id.toString(), job.claim->worker));
    }
}

async::Task<JobChange> carryOut(Cluster cluster, JobId id, Verb verb)
{
    const AuditNote note(cluster, verb.action, id.toString(), verb.detail);
    for (int round = 0; round < MostRounds; ++round) {
        try {
            const JobView job = co_await lookUp(cluster, id);
            if (!verb.asksWorker && job.claim && job.claim->prefetched) {
                co_await untilDecided(cluster, job);
                continue;
            }
            const Plan plan = verb.plan(job);
            const JobChange change{id, stateWithoutPending(job), plan.to};
            if (plan.transaction.empty())
                co_return change;
            const Answer<zk::Committed> committed = co_await commitNoted(cluster, plan.transaction, note);
            if (committed.ok())
                co_return change;
            if (committed.is(Code::NotEmpty)) // looking again would not help
                throw HasChildren(cluster.layout, job, "changed");
            if (committed.is(Code::NoNode)) // perhaps the node that notifies the master
                co_await cluster.zk.ensurePath(cluster.layout.waiting(id.queue));
            continue;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
    throw WrongState(QStringLiteral("job %1 changes faster than it can be changed; try again").arg(id.toString()));
}

// For a job that must not stay at the worker where it waits.
void takeClaimAway(zk::Transaction &transaction, const Layout &layout, const JobView &job)
{
    if (isPending(job))
        transaction.remove(layout.claim(job.id), job.claimVersion);
}

// An array is never claimed: its version counts nothing.
Plan relocate(const Layout &layout, const JobView &job, const QueueEntry &to, const QByteArray &data)
{
    Plan plan{unclaimedState(to.jobClass), {}};
    if (to == *job.entry)
        return plan;
    if (!job.spec->array)
        reposition(plan.transaction, layout, job.id.queue, *job.entry, to, job.version, data);
    else
        plan.transaction.remove(layout.job(job.id.queue, *job.entry), job.version)
            .create(layout.job(job.id.queue, to), data);
    if (job.spec->array && isMasters(to.jobClass))
        tellMaster(plan.transaction, layout, job.id.queue);
    takeClaimAway(plan.transaction, layout, job);
    return plan;
}

QueueEntry withClass(QueueEntry entry, QueueEntry::Class jobClass)
{
    entry.jobClass = jobClass;
    return entry;
}

// An array that has begun stays where it is: the mark stops the master from expanding it further.
Plan planForArray(const Layout &layout, const JobView &array, JobState to, const QByteArray &data)
{
    Plan plan{to, {}};
    plan.transaction.set(layout.job(array.id.queue, *array.entry), data, array.version);
    tellMaster(plan.transaction, layout, array.id.queue);
    return plan;
}

} // namespace

async::Task<JobChange> hold(Cluster cluster, JobId id, QString by)
{
    Verb verb{AuditAction::JobHeld};
    verb.plan = [=](const JobView &job) {
        requireHoldable(job);
        const QByteArray held = noted(job.stored, [&](JobNotes &notes) { notes.heldBy = by; });
        if (isBegunArray(job))
            return planForArray(cluster.layout, job, JobState::Held, held);
        return relocate(cluster.layout, job, withClass(*job.entry, QueueEntry::Class::Held), held);
    };
    co_return co_await carryOut(cluster, id, std::move(verb));
}

async::Task<JobChange> release(Cluster cluster, JobId id)
{
    Verb verb{AuditAction::JobReleased};
    verb.plan = [=](const JobView &job) {
        requireReleasable(job);
        const QByteArray stored = noted(job.stored, [](JobNotes &notes) { notes.heldBy.clear(); });
        if (isBegunArray(job))
            return planForArray(cluster.layout, job, JobState::Running, stored);
        JobSpec released = *job.spec;
        released.notes.heldBy.clear();
        return relocate(cluster.layout, job, withClass(*job.entry, released.entryClass()), stored);
    };
    co_return co_await carryOut(cluster, id, std::move(verb));
}

async::Task<JobChange> setPriority(Cluster cluster, JobId id, int priority)
{
    Verb verb{AuditAction::JobPriority, QString::number(priority)};
    verb.plan = [=](const JobView &job) {
        requireUnclaimedOrArray(job);
        QueueEntry to = *job.entry;
        to.priority = priority;
        return relocate(cluster.layout, job, to, job.stored);
    };
    co_return co_await carryOut(cluster, id, std::move(verb));
}

async::Task<JobChange> requeue(Cluster cluster, JobId id)
{
    Verb verb{AuditAction::JobRequeued};
    verb.asksWorker = true;
    verb.plan = [=](const JobView &job) {
        requireClaimed(job);
        Plan plan{JobState::Ready, {}};
        Claim claim = *job.claim;
        if (!std::exchange(claim.requeue, true))
            plan.transaction.check(cluster.layout.job(job.id.queue, *job.entry), job.version)
                .set(cluster.layout.claim(job.id), claim.encode(), job.claimVersion);
        return plan;
    };
    co_return co_await carryOut(cluster, id, std::move(verb));
}

async::Task<JobChange> sendSignal(Cluster cluster, JobId id, int number)
{
    const QString key = cluster.zk.loop().makeUuid().toString(QUuid::Id128).left(8);
    Verb verb{AuditAction::JobSignalled, QString::number(number)};
    verb.plan = [=](const JobView &job) {
        requireClaimed(job);
        Plan plan{JobState::Running, {}};
        Claim claim = *job.claim;
        claim.addSignal(number, key);
        plan.transaction.check(cluster.layout.job(job.id.queue, *job.entry), job.version)
            .set(cluster.layout.claim(job.id), claim.encode(), job.claimVersion);
        return plan;
    };
    co_return co_await carryOut(cluster, id, std::move(verb));
}

bool wasMoved(const FinalRecord &record)
{
    return record.movedTo.has_value();
}

namespace {

async::Task<void> requireRoom(Cluster cluster, QByteArray queue, ClusterConfig config)
{
    co_await requireQueue(cluster, queue);
    const Answer<zk::Stat> stat = co_await Persistent(cluster.zk).exists(cluster.layout.queue(queue));
    if (stat.ok() && stat->numChildren >= config.queueLimit)
        throw QueueFull(queue, config.queueLimit);
    co_await cluster.zk.ensurePath(cluster.layout.waiting(queue));
}

constexpr const char *ReservedPrefix = "m_";

// Reserves a number that no other job of the queue gets, with a node that is not a job.
struct Reserved {
    zk::Path path;
    JobId id;
};

async::Task<Reserved> reserveNumber(Cluster cluster, QByteArray queue)
{
    const zk::Path directory = cluster.layout.queue(queue);
    for (;;) {
        const QByteArray prefix = ReservedPrefix + cluster.zk.loop().makeUuid().toByteArray(QUuid::Id128) + '-';
        try {
            const Answer<zk::Created> created =
                co_await cluster.zk.create(directory / prefix, QByteArray(), zk::CreateMode::EphemeralSequential);
            const qint32 number = created.ok() ? zk::sequenceOf(created->path.name()).value_or(zk::LastSequence) : 0;
            if (number < 0 || number == zk::LastSequence || created.is(Code::NodeExists))
                throw numbersUsedUp(queue);
            if (created.is(Code::NoNode))
                co_await requireQueue(cluster, queue); // throws: another client has removed it
            created.require();
            co_return Reserved{created->path, {queue, number}};
        } catch (const zk::ConnectionLoss &) {
        }
        cluster.zk.discardMatching(directory, prefix);
        co_await cluster.zk.connected();
    }
}

// The serial of the certificate of who has signed the job; empty: it is not signed.
async::Task<QByteArray> signerOfJob(Cluster cluster, JobId id)
{
    for (;;) {
        try {
            const JobView job = co_await lookUp(cluster, id);
            const std::optional<JobRecord> record = tryParse(job.stored);
            co_return record ? record->certificate : QByteArray();
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
}

Plan planMove(const Layout &layout, const JobView &job, const Reserved &reserved, const QString &key,
              const Signer *signer, Prover &prover, std::chrono::milliseconds now)
{
    const JobId &to = reserved.id;
    const QByteArray &queue = to.queue;
    requireMovable(job, queue);
    prover.requireWaiting(job.id, job.stored);
    const JobRecord moved = asAnother(job.stored, queue, key, signer, now);
    const QueueEntry::Class jobClass = JobSpec::decode(moved, queue, job.entry->priority).entryClass();
    Plan plan{unclaimedState(jobClass), {}};
    const QString reason = QStringLiteral("moved to queue %1 as %2").arg(QString::fromLatin1(queue), to.toString());
    FinalRecord record =
        FinalRecord::withoutRun(job.id, *job.spec, FinalRecord::Outcome::Cancelled, reason, job.version, now);
    record.repeat = {}; // it is the other's
    record.movedTo = to;
    plan.transaction.create(layout.job(queue, {jobClass, job.entry->priority, to.number}), moved.bytes())
        .remove(layout.job(job.id.queue, *job.entry), job.version)
        .create(layout.done(job.id), record.encode())
        .remove(reserved.path);
    if (isMasters(jobClass))
        tellMaster(plan.transaction, layout, queue);
    takeClaimAway(plan.transaction, layout, job);
    return plan;
}

} // namespace

bool reservesNumber(const QByteArray &name, qint32 last)
{
    if (!name.startsWith(ReservedPrefix))
        return false;
    const std::optional<qint32> number = zk::sequenceOf(name);
    return number && *number <= last;
}

async::Task<JobChange> moveToQueue(Cluster cluster, JobId id, QByteArray queue, ClusterConfig config)
{
    co_await requireRoom(cluster, queue, config);
    const QString key = cluster.zk.loop().makeUuid().toString(QUuid::Id128);
    const std::shared_ptr<const Signer> signer = signerOf(cluster);
    const auto prover = std::make_shared<Prover>(cluster);
    if (signer) {
        co_await ensureCertificate(cluster);
        const QByteArray serial = co_await signerOfJob(cluster, id);
        co_await prover->learn(serial);
    }
    const Reserved reserved = co_await reserveNumber(cluster, queue);
    Verb verb{AuditAction::JobMoved, QStringLiteral("to %1").arg(reserved.id.toString())};
    async::Loop &loop = cluster.zk.loop();
    verb.plan = [=, &loop](const JobView &job) {
        return planMove(cluster.layout, job, reserved, key, signer.get(), *prover, loop.wallClock());
    };
    std::exception_ptr refused;
    try {
        JobChange change = co_await carryOut(cluster, id, std::move(verb));
        change.id = reserved.id;
        co_return change;
    } catch (...) {
        refused = std::current_exception();
    }
    cluster.zk.discard(reserved.path);
    std::rethrow_exception(refused);
}

} // namespace drover::jobs
