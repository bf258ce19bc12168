#include "workers/master/waiting/promoter.h"

#include "jobs/client/reposition.h"
#include "jobs/cluster/read_nodes.h"
#include "workers/master/base/master_commit.h"
#include "workers/master/waiting/dependency_rules.h"
#include "zk/transaction_batch.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using jobs::Dependency;
using jobs::JobId;
using jobs::JobSpec;
using jobs::QueueEntry;
using State = DependencyWatcher::State;

Q_LOGGING_CATEGORY(lcPromoter, "drover.workers.promoter")

Promoter::Promoter(jobs::Cluster cluster, HistoryReader *history, const zk::ServerClock &clock, Troubles &troubles)
    : m_cluster(std::move(cluster)), m_troubles(troubles), m_unknownEnds(m_cluster.zk.loop(), m_troubles),
      m_startTimes(m_cluster.zk.loop(), clock),
      m_sameNameJobs(m_cluster, [this](const QByteArray &queue) { checkSingletons(queue); }),
      m_dependencies(m_cluster, history, [this](const JobId &ended) {
          const auto dependents = m_dependents.find(ended);
          if (dependents == m_dependents.end())
              return; // forgotten meanwhile
          m_toCheck.insert(dependents->second.begin(), dependents->second.end());
          noteMoved(ended);
          m_wake.set();
      })
{
}

void Promoter::setListed(const QByteArray &queue, const std::vector<QueueEntry> &entries)
{
    std::set<JobId> present;
    for (const QueueEntry &entry : entries) {
        if (entry.jobClass != QueueEntry::Class::Waiting)
            continue;
        const JobId id = entry.idIn(queue);
        present.insert(id);
        const auto known = m_jobs.find(id);
        if (known != m_jobs.end() && known->second.entry == entry)
            continue;
        readLater(id, entry);
    }
    std::vector<JobId> gone;
    for (auto job = m_jobs.lower_bound(JobId{queue, 0}); job != m_jobs.end() && job->first.queue == queue; ++job) {
        if (!present.contains(job->first))
            gone.push_back(job->first);
    }
    for (const JobId &id : gone)
        forget(id);
    m_wake.set();
}

void Promoter::readLater(const JobId &id, const QueueEntry &entry)
{
    if (m_listed.insert_or_assign(id, entry).second)
        m_unread.push_back(id);
}

async::Task<void> Promoter::run(recipes::Fence fence)
{
    for (;;) {
        m_wake.reset();
        readThoseThatWaitForUnknown();
        co_await readSome();
        m_toCheck.merge(m_startTimes.takeDue());
        co_await settleSome(fence);
        if (m_unread.empty() && m_toCheck.empty())
            co_await untilDue();
    }
}

async::Task<void> Promoter::readSome()
{
    std::vector<std::pair<JobId, QueueEntry>> batch;
    std::vector<zk::Path> paths;
    while (!m_unread.empty() && batch.size() < jobs::Flight) {
        const JobId id = m_unread.front();
        m_unread.pop_front();
        const QueueEntry entry = m_listed.extract(id).mapped();
        batch.emplace_back(id, entry);
        paths.push_back(m_cluster.layout.job(id.queue, entry));
    }
    m_reading = true;
    const std::vector<zk::Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    m_reading = false;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto &[id, entry] = batch[i];
        const auto known = m_jobs.find(id);
        const bool refused = known != m_jobs.end() && known->second.refused && known->second.entry == entry;
        if (!nodes[i].ok()) {
            if (known != m_jobs.end() && known->second.entry == entry)
                forget(id);
            continue;
        }
        Job job{entry, nodes[i]->stat.version, nodes[i]->data, {}};
        job.refused = refused && job.version == known->second.version;
        try {
            job.spec = JobSpec::decode(job.stored, id.queue, entry.priority);
        } catch (const jobs::NewerFormat &error) { // what it waits for, only newer masters know
            leave(id, error.what());
            continue;
        } catch (const jobs::Malformed &) { // it waits for nothing: the worker that claims it ends it
        }
        add(id, std::move(job));
    }
}

void Promoter::add(const JobId &id, Job job)
{
    forget(id);
    if (!m_startTimes.hasCome(job.spec.notes.notBefore))
        m_startTimes.add(job.spec.notes.notBefore, id);
    for (const Dependency &dependency : job.spec.after)
        m_dependents[dependency.on].insert(id);
    if (job.spec.singleton)
        m_singletons[id.queue].insert(id);
    const JobSpec &spec = m_jobs.emplace(id, std::move(job)).first->second.spec;
    m_toCheck.insert(id);
    for (const Dependency &dependency : spec.after)
        noteMoved(dependency.on);
}

void Promoter::forget(const JobId &id)
{
    const auto job = m_jobs.find(id);
    if (job == m_jobs.end())
        return;
    m_startTimes.remove(job->second.spec.notes.notBefore, id);
    stepBehind(id, job->second, std::nullopt);
    for (const Dependency &dependency : job->second.spec.after)
        forgetDependency(id, dependency.on);
    if (const auto others = m_singletons.find(id.queue); others != m_singletons.end()) {
        others->second.erase(id);
        if (others->second.empty()) {
            m_singletons.erase(others);
            m_sameNameJobs.drop(id.queue);
        }
    }
    m_toCheck.erase(id);
    m_jobs.erase(job);
    m_dependencies.noLongerWaits(id);
}

State Promoter::stateOf(const JobId &id, Dependency::Kind kind)
{
    const auto until =
        kind == Dependency::Kind::Begun ? DependencyWatcher::Milestone::Begun : DependencyWatcher::Milestone::Ended;
    return m_dependencies.stateOf(id, until, m_jobs.contains(id) || m_listed.contains(id));
}

void Promoter::forgetDependency(const JobId &id, const JobId &on)
{
    const auto dependents = m_dependents.find(on);
    if (dependents == m_dependents.end())
        return;
    dependents->second.erase(id);
    if (dependents->second.empty()) {
        m_dependents.erase(dependents);
        m_movedHere.erase(m_dependencies.whereIs(on));
        m_dependencies.forget(on);
        m_unknownEnds.remove(on);
    }
}

void Promoter::checkSingletons(const QByteArray &queue)
{
    const auto singletons = m_singletons.find(queue);
    if (singletons == m_singletons.end())
        return;
    for (const JobId &id : singletons->second) {
        if (!m_jobs.at(id).behind)
            m_toCheck.insert(id);
    }
    m_wake.set();
}

// Whether an earlier job of its name in its queue has not ended, as far as is known: one that was moved to another
// queue is the last there. What it waits for next wakes it.
bool Promoter::isBehind(const JobId &id, Job &job)
{
    JobId next = id;
    for (;;) {
        const SameNameJobs::Earlier earlier = m_sameNameJobs.before(next, job.spec.title());
        if (earlier.latest && m_movedHere.contains(id) && waitsFor(*earlier.latest, id)) {
            next = *earlier.latest;
            continue;
        }
        stepBehind(id, job, earlier.latest);
        if (!earlier.known)
            return true;
        if (!earlier.latest)
            return false;
        const State state = stateOf(*earlier.latest, Dependency::Kind::Any);
        if (!isSatisfied(Dependency::Kind::Any, state) && !m_dependencies.hasMoved(*earlier.latest))
            return true;
        m_sameNameJobs.forget(*earlier.latest);
    }
}

void Promoter::noteMoved(const JobId &on)
{
    const JobId now = m_dependencies.whereIs(on);
    if (now == on)
        return;
    m_movedHere.insert(now); // it may be listed later, or again
    if (m_jobs.contains(now))
        m_toCheck.insert(now);
}

bool Promoter::waitsFor(const JobId &id, const JobId &on) const
{
    return leadsTo(id, on, [this](const JobId &waiting) {
        const auto job = m_jobs.find(waiting);
        if (job == m_jobs.end())
            return std::vector<JobId>();
        std::vector<JobId> others(job->second.behind ? 1 : 0, job->second.behind.value_or(JobId()));
        for (const Dependency &dependency : job->second.spec.after)
            others.push_back(m_dependencies.whereIs(dependency.on));
        return others;
    });
}

void Promoter::stepBehind(const JobId &id, Job &job, const std::optional<JobId> &other)
{
    if (job.behind == other)
        return;
    const std::optional<JobId> before = std::exchange(job.behind, other);
    const bool named = before
        && std::any_of(job.spec.after.begin(), job.spec.after.end(),
                       [&](const Dependency &dependency) { return dependency.on == *before; });
    if (before && !named)
        forgetDependency(id, *before);
    if (!other)
        return;
    m_dependents[*other].insert(id);
    for (const JobId &moved : m_movedHere) { // this job may wait for one of these now
        if (moved != id && m_jobs.contains(moved))
            m_toCheck.insert(moved);
    }
}

Promoter::Verdict Promoter::judge(const JobId &id, Job &job)
{
    bool open = !m_startTimes.hasCome(job.spec.notes.notBefore);
    if (open)
        m_startTimes.add(job.spec.notes.notBefore, id); // again, if the clock has been set back
    for (const Dependency &dependency : job.spec.after) {
        const State state = stateOf(dependency.on, dependency.kind);
        const std::optional<bool> satisfied = isSatisfied(dependency.kind, state);
        if (state != State::Unknown)
            m_unknownEnds.remove(dependency.on);
        else if (!satisfied) // otherwise another job may wait for this end
            m_unknownEnds.add(dependency.on);
        if (satisfied == false)
            return {Verdict::Kind::Never, whyNever(dependency, state)};
        open = open || !satisfied;
    }
    if (job.spec.singleton)
        open = isBehind(id, job) || open;
    return {open ? Verdict::Kind::Waits : Verdict::Kind::Ready};
}

async::Task<void> Promoter::settleSome(recipes::Fence fence)
{
    zk::Transaction guard;
    fence.guard(guard);
    zk::TransactionBatch batch(std::move(guard));
    std::vector<JobId> settled; // the jobs of the batch
    while (!m_toCheck.empty() && settled.size() < m_together) {
        const JobId id = *m_toCheck.begin();
        m_toCheck.erase(m_toCheck.begin());
        Job &job = m_jobs.at(id);
        const Verdict verdict = judge(id, job);
        if (verdict.kind == Verdict::Kind::Waits)
            continue;
        const bool added = batch.add(operationsFor(id, job, verdict));
        if (!added) {
            m_toCheck.insert(id);
            break;
        }
        settled.push_back(id);
    }
    if (settled.empty())
        co_return;
    std::optional<JobId> refused; // to be forgotten
    std::string trouble; // of some of them; the server does not say of which
    try {
        const std::optional<std::size_t> operation = co_await commitAsMaster(m_cluster.zk, batch.transaction());
        m_together = std::min(2 * m_together, MaxSettled);
        if (!operation) {
            for (const JobId &id : settled)
                forget(id);
            co_return;
        }
        refused = settled[batch.at(*operation)];
    } catch (const zk::AccessDenied &error) {
        trouble = error.what();
    } catch (const zk::RequestTooLarge &error) {
        trouble = error.what();
    }
    if (!trouble.empty() && settled.size() == 1)
        leave(settled.front(), trouble.c_str());
    if (!trouble.empty())
        m_together = 1; // each by itself
    for (const JobId &id : settled) {
        if (m_jobs.contains(id)) // not forgotten while the transaction was under way
            m_toCheck.insert(id);
    }
    if (refused)
        co_await onRefused(*refused);
}

void Promoter::leave(const JobId &id, const char *why)
{
    m_troubles.note(QStringLiteral("job %1").arg(id.toString()),
                    QStringLiteral("it stays where it is: %1").arg(QString::fromUtf8(why)));
    forget(id);
}

void Promoter::readThoseThatWaitForUnknown()
{
    for (const JobId &on : m_unknownEnds.takeDue()) {
        for (const JobId &id : m_dependents.at(on))
            readLater(id, m_jobs.at(id).entry);
    }
}

async::Task<void> Promoter::onRefused(JobId id)
{
    qCInfo(lcPromoter, "%s no longer waits as it did", id.bytes().constData());
    if (m_jobs.contains(id) && m_jobs.at(id).spec.array) // its move writes this node, which may have been deleted
        co_await m_cluster.zk.ensurePath(m_cluster.layout.waiting(id.queue));
    const auto job = m_jobs.find(id);
    if (job == m_jobs.end())
        co_return;
    m_toCheck.erase(id);
    if (std::exchange(job->second.refused, true))
        forget(id);
    else
        readLater(id, job->second.entry);
}

zk::Transaction Promoter::operationsFor(const JobId &id, const Job &job, const Verdict &verdict) const
{
    zk::Transaction transaction;
    if (verdict.kind == Verdict::Kind::Never) {
        const jobs::FinalRecord record =
            jobs::FinalRecord::withoutRun(id, job.spec, jobs::FinalRecord::Outcome::Cancelled, verdict.reason,
                                          job.version, m_cluster.zk.loop().wallClock());
        transaction.remove(m_cluster.layout.job(id.queue, job.entry), job.version)
            .create(m_cluster.layout.done(id), record.encode());
        return transaction;
    }
    QueueEntry ready = job.entry;
    ready.jobClass = job.spec.array ? QueueEntry::Class::Array : QueueEntry::Class::Ready;
    const QByteArray data = job.spec.waits() ? JobSpec::markReady(job.stored) : job.stored;
    return jobs::reposition(transaction, m_cluster.layout, id.queue, job.entry, ready, job.version, data);
}

async::Task<void> Promoter::untilDue()
{
    std::vector<async::Timer> timers;
    for (const std::optional<async::Duration> wait : {m_unknownEnds.untilNext(), m_startTimes.untilNext()}) {
        if (wait)
            timers.push_back(m_cluster.zk.loop().after(*wait, [this] { m_wake.set(); }));
    }
    co_await m_wake.wait();
}

} // namespace drover::workers
