#include "gui/feeds/cluster_changes.h"

#include "gui/rows/job_rows.h"
#include "gui/subtree/noted_change.h"
#include "jobs/audit/actor_name.h"
#include "jobs/client/job_control.h"
#include "jobs/client/list_unfinished.h"
#include "jobs/client/own_clock.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "recipes/blocks/participants.h"
#include "recipes/blocks/persistent.h"
#include "recipes/locks/revocation.h"

#include <QSet>

namespace drover::gui {

using jobs::JobId;

// The jobs that a request acts on, one after the other in each of several lanes.
struct ClusterChanges::Bulk {
    int request;
    JobVerb verb;
    jobs::ClusterConfig config;
    QList<JobId> jobs;
    qsizetype next = 0;
    QList<ActedOn> outcomes{};
    std::exception_ptr lost{}; // the session
};

namespace {

constexpr int Lanes = 64;
constexpr qsizetype BetweenReports = 100; // jobs

void requireShown(zk::Zxid czxid, const LockNode &holder)
{
    if (czxid != holder.czxid)
        throw jobs::NotFound(ClusterChanges::tr("that holder has let go meanwhile: nothing was changed"));
}

} // namespace

void ClusterChanges::match(int request, const JobVerb &verb, const JobSearch &search)
{
    start(request, matchTask(request, verb, search));
}

void ClusterChanges::act(int request, const JobVerb &verb, const QList<JobId> &jobs)
{
    start(request, actTask(request, verb, jobs));
}

void ClusterChanges::pause(int request, const QByteArrayList &queues, const QString &why)
{
    const Step step = [this, why](const QByteArray &queue) { return jobs::pauseQueue(cluster(), queue, why); };
    start(request, eachTask(request, queues, step));
}

void ClusterChanges::resume(int request, const QByteArrayList &queues)
{
    const Step step = [this](const QByteArray &queue) { return jobs::resumeQueue(cluster(), queue); };
    start(request, eachTask(request, queues, step));
}

void ClusterChanges::limit(int request, const QByteArray &queue, int seen, int limit)
{
    start(request, limitTask(request, queue, seen, limit));
}

void ClusterChanges::setPermits(int request, const QByteArray &limit, int seen, int permits)
{
    start(request, permitsTask(request, limit, seen, permits));
}

void ClusterChanges::cordon(int request, const QByteArrayList &workers, const QString &why, bool drain)
{
    const Step step = [this, why, drain, isOfSeveral = workers.size() > 1](const QByteArray &worker) {
        return cordonOne(worker, why, drain, isOfSeveral);
    };
    start(request, eachTask(request, workers, step));
}

void ClusterChanges::uncordon(int request, const QByteArrayList &workers)
{
    const Step step = [this](const QByteArray &worker) { return jobs::uncordon(cluster(), worker); };
    start(request, eachTask(request, workers, step));
}

void ClusterChanges::stepDown(int request, zk::Zxid master)
{
    start(request, stepDownTask(request, master));
}

void ClusterChanges::ask(int request, const LockNode &holder)
{
    start(request, askTask(request, holder));
}

void ClusterChanges::breakLock(int request, const LockNode &holder)
{
    start(request, breakTask(request, holder));
}

async::Task<void> ClusterChanges::matchTask(int request, JobVerb verb, JobSearch search)
{
    const QByteArrayList queues = co_await jobs::queueNames(cluster());
    std::vector<jobs::ListedJob> listed = co_await jobs::listUnfinished(cluster(), queues);
    co_await jobs::readClaimsOf(cluster(), listed);
    QList<JobId> fitting;
    const auto consider = [&](const jobs::ListedJob &job, const zk::Answer<zk::Node> &node) {
        if (!node.ok())
            return; // it has ended meanwhile
        JobRow row;
        row.id = job.id;
        row.state = jobs::unclaimedState(job.entry.jobClass);
        row = unfinishedRow(row, *node, job.entry.priority);
        if (job.claimed)
            row.state = job.state;
        if (job.claim)
            row.worker = job.claim->worker;
        if (search.fits(row) && verb.suits(row))
            fitting.append(job.id);
    };
    co_await jobs::readListed(cluster(), std::move(listed), consider);
    Q_EMIT matched(request, fitting);
}

async::Task<void> ClusterChanges::actTask(int request, JobVerb verb, QList<JobId> jobs)
{
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster());
    if (verb.kind == JobVerb::Kind::Move) {
        co_await jobs::requireClockToSign(cluster());
        co_await jobs::requireQueue(cluster(), verb.queue);
    }
    const QList<JobId> all = co_await withTasks(verb, jobs);
    Bulk bulk{request, verb, config, all};
    async::TaskGroup lanes([&bulk](const std::exception_ptr &error) { bulk.lost = error; });
    for (int i = 0; i < Lanes; ++i)
        lanes.spawn(lane(&bulk));
    co_await lanes.drained();
    if (bulk.lost)
        std::rethrow_exception(bulk.lost);
    Q_EMIT acted(request, bulk.outcomes);
}

async::Task<void> ClusterChanges::lane(Bulk *bulk)
{
    while (bulk->next < bulk->jobs.size()) {
        ActedOn outcome{bulk->jobs[bulk->next++]};
        try {
            const QString news = co_await actOn(bulk->verb, outcome.id, bulk->config);
            outcome.news = news;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) { // the others are still to be done
            outcome.why = QString::fromUtf8(error.what());
        }
        bulk->outcomes.append(outcome);
        if (bulk->outcomes.size() % BetweenReports == 0)
            Q_EMIT progressed(bulk->request, bulk->outcomes.size(), bulk->jobs.size());
    }
}

// Returns the news of the outcome.
async::Task<QString> ClusterChanges::actOn(JobVerb verb, JobId job, jobs::ClusterConfig config)
{
    switch (verb.kind) {
    case JobVerb::Kind::Hold:
        co_await jobs::hold(cluster(), job, jobs::actorName(cluster()));
        break;
    case JobVerb::Kind::Release:
        co_await jobs::release(cluster(), job);
        break;
    case JobVerb::Kind::Requeue:
        co_await jobs::requeue(cluster(), job);
        break;
    case JobVerb::Kind::Move:
        co_await jobs::moveToQueue(cluster(), job, verb.queue, config);
        break;
    case JobVerb::Kind::Priority:
        co_await jobs::setPriority(cluster(), job, verb.number);
        break;
    case JobVerb::Kind::Signal:
        co_await jobs::sendSignal(cluster(), job, verb.number);
        break;
    case JobVerb::Kind::Cancel: {
        const jobs::CancelResult result = co_await jobs::cancel(cluster(), job);
        co_return cancelText(job, result);
    }
    }
    co_return QString();
}

// Each once. An array stands for itself, its unfinished tasks, or both.
async::Task<QList<JobId>> ClusterChanges::withTasks(JobVerb verb, QList<JobId> jobs)
{
    if (!verb.takesTasks())
        co_return jobs;
    std::set<QByteArray> queues;
    for (const JobId &id : jobs)
        queues.insert(id.queue);
    QSet<JobId> arrays;
    QHash<JobId, QList<JobId>> tasks;
    const std::vector<jobs::ListedJob> listed =
        co_await jobs::listUnfinished(cluster(), QByteArrayList(queues.begin(), queues.end()));
    for (const jobs::ListedJob &job : listed) {
        if (job.entry.jobClass == jobs::QueueEntry::Class::Array)
            arrays.insert(job.id);
        if (job.id.isTask())
            tasks[job.id.array()].append(job.id);
    }
    QList<JobId> all;
    QSet<JobId> seen;
    const auto add = [&](const JobId &id) {
        if (!seen.contains(id))
            all.append(id);
        seen.insert(id);
    };
    for (const JobId &id : jobs) {
        if (!arrays.contains(id) || verb.takesArray())
            add(id);
        for (const JobId &task : arrays.contains(id) ? tasks.value(id) : QList<JobId>())
            add(task);
    }
    co_return all;
}

async::Task<void> ClusterChanges::eachTask(int request, QByteArrayList names, Step step)
{
    std::exception_ptr first;
    QStringList failures;
    for (const QByteArray &name : std::as_const(names)) {
        try {
            co_await step(name);
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const std::exception &error) { // the others are still to be done
            failures.append(QString::fromUtf8(error.what()));
            first = first ? first : std::current_exception();
        }
    }
    if (first && failures.size() == names.size())
        std::rethrow_exception(first);
    Q_EMIT changed(request,
                   failures.isEmpty() ? QString()
                                      : tr("But %1 of %2 failed: %3.", "why the first of these did")
                                            .arg(failures.size())
                                            .arg(names.size())
                                            .arg(failures.front()));
}

// The dialog may have been open for long. Of two who write within one round trip the later one wins, as on the command
// line.
async::Task<void> ClusterChanges::limitTask(int request, QByteArray queue, int seen, int limit)
{
    const jobs::QueueSettings now = co_await jobs::queueSettings(cluster(), queue);
    if (now.limit != seen && now.limit != limit)
        throw jobs::WrongState(
            now.limit == 0 ? tr("another client has lifted the limit of the queue %1 meanwhile: nothing was changed")
                                 .arg(QString::fromUtf8(queue))
                           : tr("another client has set the limit of the queue %1 to %2 meanwhile: nothing was changed")
                                 .arg(QString::fromUtf8(queue))
                                 .arg(now.limit));
    co_await jobs::limitQueue(cluster(), queue, limit);
    Q_EMIT changed(request);
}

async::Task<void> ClusterChanges::permitsTask(int request, QByteArray limit, int seen, int permits)
{
    const int now = co_await jobs::permitsOfLimit(cluster(), limit);
    if (now != seen && now != permits)
        throw jobs::WrongState(tr("another client has set the limit %1 to %2 meanwhile: nothing was changed")
                                   .arg(QString::fromUtf8(limit))
                                   .arg(now));
    co_await jobs::setLimit(cluster(), limit, permits);
    Q_EMIT changed(request);
}

async::Task<void> ClusterChanges::cordonOne(QByteArray worker, QString why, bool drain, bool isOfSeveral)
{
    const std::optional<jobs::Cordon> before = co_await jobs::cordonOf(cluster(), worker);
    const bool keeps = why.isEmpty() || (isOfSeveral && before);
    const std::optional<QString> reason = keeps ? std::nullopt : std::optional(why);
    const jobs::AuditAction action = drain ? jobs::AuditAction::WorkerDrained : jobs::AuditAction::WorkerCordoned;
    const bool stands = co_await jobs::placeCordon(cluster(), worker, reason, action);
    if (!stands)
        throw jobs::NotFound(tr("there is no worker %1 any more").arg(QString::fromUtf8(worker)));
}

// As `drover master stepdown`. A master checks its node with each write, so what the old one still sends does nothing.
async::Task<void> ClusterChanges::stepDownTask(int request, zk::Zxid master)
{
    const std::vector<recipes::Participant> candidates =
        co_await recipes::participants(cluster().zk, cluster().layout.master());
    if (candidates.empty() || candidates.front().fence.czxid != master)
        throw jobs::WrongState(tr("another worker has become master meanwhile: nothing was changed"));
    zk::Transaction change;
    change.remove(candidates.front().fence.path);
    const QString before = QString::fromUtf8(candidates.front().data);
    const Noted deposed = co_await commitChange(cluster(), change, jobs::AuditAction::MasterDeposed, before, QString());
    deposed.committed.requireUnless(zk::Code::NoNode);
    const QString alone =
        candidates.size() == 1 ? tr("There is no other candidate: it stands for election again.") : QString();
    Q_EMIT changed(request, QStringList{alone, remarkOn(deposed)}.join(u' ').trimmed());
}

async::Task<void> ClusterChanges::askTask(int request, LockNode holder)
{
    for (;;) {
        const zk::Answer<zk::Node> present = co_await recipes::Persistent(cluster().zk).get(holder.path);
        requireShown(present.ok() ? present->stat.czxid : 0, holder);
        zk::Transaction change;
        change.set(holder.path, recipes::requestIn(holder.path.name(), present->data), present->stat.version);
        const Noted asked = co_await commitChange(cluster(), change, jobs::AuditAction::LockAsked,
                                                  holder.path.toString(), holder.about);
        if (asked.ok())
            co_return Q_EMIT changed(request, remarkOn(asked));
        asked.committed.requireUnless(asked.is(zk::Code::NoNode) ? zk::Code::NoNode : zk::Code::BadVersion);
    }
}

// The name of a ticket has a number that no later one gets. So between the two requests no other node can be there.
// A member of a double barrier and a holder of kazoo's semaphore have no number: if one comes back under its name
// between the two requests, it loses its new place.
async::Task<void> ClusterChanges::breakTask(int request, LockNode holder)
{
    for (;;) {
        const zk::Answer<zk::Stat> present = co_await recipes::Persistent(cluster().zk).exists(holder.path);
        requireShown(present.ok() ? present->czxid : 0, holder);
        zk::Transaction change;
        change.remove(holder.path, present->version);
        const Noted broken = co_await commitChange(cluster(), change, jobs::AuditAction::LockBroken,
                                                   holder.path.toString(), holder.about);
        if (broken.ok())
            co_return Q_EMIT changed(request, remarkOn(broken));
        if (broken.is(zk::Code::NotEmpty))
            throw jobs::NotFound(tr("the znode has children, and a place in a line has none"));
        broken.committed.requireUnless(broken.is(zk::Code::NoNode) ? zk::Code::NoNode : zk::Code::BadVersion);
    }
}

QString cancelText(const JobId &id, jobs::CancelResult result)
{
    switch (result) {
    case jobs::CancelResult::Cancelled:
        return ClusterChanges::tr("Cancelled %1.").arg(id.toString());
    case jobs::CancelResult::Asked:
        return ClusterChanges::tr("The worker of %1 is ending it.").arg(id.toString());
    case jobs::CancelResult::Marked:
        return ClusterChanges::tr("%1 has begun: the master ends its tasks, and then it.").arg(id.toString());
    case jobs::CancelResult::MarkedWithoutMaster:
        return ClusterChanges::tr("%1 ends once there is a master: start a worker.").arg(id.toString());
    }
    return {};
}

} // namespace drover::gui
