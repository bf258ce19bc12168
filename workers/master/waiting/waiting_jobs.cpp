#include "workers/master/waiting/waiting_jobs.h"

#include "workers/master/waiting/dependency_rules.h"

#include <algorithm>

namespace drover::workers {

using jobs::Dependency;
using jobs::JobId;
using jobs::QueueEntry;
using State = DependencyWatcher::State;
using namespace std::chrono_literals;

WaitingJobs::WaitingJobs(jobs::Cluster cluster, MasterHistory *history, const zk::ServerClock &clock,
                         DutyTroubles &troubles, std::function<void()> onChange)
    : m_onChange(std::move(onChange)),
      m_unknownEnds(cluster.zk.loop(), troubles, 1min, QStringLiteral("what waits for job %1")),
      m_setAside(cluster.zk.loop(), troubles), m_startTimes(clock),
      m_sameNameJobs(cluster, troubles, [this](const QByteArray &queue) { checkSingletons(queue); }),
      m_dependencies(cluster, history, [this](const JobId &ended) { onEnd(ended); })
{
}

void WaitingJobs::onEnd(const JobId &ended)
{
    const auto dependents = m_dependents.find(ended);
    if (dependents == m_dependents.end())
        return; // forgotten meanwhile
    m_toJudge.insert(dependents->second.begin(), dependents->second.end());
    noteMoved(ended);
    m_onChange();
}

void WaitingJobs::setListed(const QByteArray &queue, const std::vector<QueueEntry> &entries)
{
    std::set<JobId> present;
    std::set<SetAside::Named> named;
    for (const QueueEntry &entry : entries) {
        if (entry.jobClass != QueueEntry::Class::Waiting)
            continue;
        const JobId id = entry.idIn(queue);
        present.insert(id);
        named.emplace(id, entry);
        const Job *known = find(id);
        if ((!known || known->entry != entry) && !m_setAside.holds(id, entry))
            readLater(id, entry);
    }
    m_setAside.keepOnly(queue, named);
    std::vector<JobId> gone;
    for (auto job = m_jobs.lower_bound(JobId{queue, 0}); job != m_jobs.end() && job->first.queue == queue; ++job) {
        if (!present.contains(job->first))
            gone.push_back(job->first);
    }
    for (const JobId &id : gone)
        forget(id);
    m_onChange();
}

void WaitingJobs::readLater(const JobId &id, const QueueEntry &entry)
{
    if (m_listed.insert_or_assign(id, entry).second)
        m_unread.push_back(id);
}

std::vector<WaitingJobs::Named> WaitingJobs::takeUnread(std::size_t most)
{
    std::vector<Named> batch;
    while (!m_unread.empty() && batch.size() < most) {
        const JobId id = m_unread.front();
        m_unread.pop_front();
        batch.emplace_back(id, m_listed.extract(id).mapped());
    }
    return batch;
}

void WaitingJobs::add(const JobId &id, Job job)
{
    forget(id);
    m_setAside.remove(id);
    if (!m_startTimes.hasCome(job.spec.notes.notBefore))
        m_startTimes.add(job.spec.notes.notBefore, id);
    for (const Dependency &dependency : job.spec.after)
        m_dependents[dependency.on].insert(id);
    if (job.spec.singleton)
        m_singletons[id.queue].insert(id);
    const jobs::JobSpec &spec = m_jobs.emplace(id, std::move(job)).first->second.spec;
    m_toJudge.insert(id);
    for (const Dependency &dependency : spec.after)
        noteMoved(dependency.on);
}

void WaitingJobs::forget(const JobId &id)
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
    m_toJudge.erase(id);
    m_jobs.erase(job);
    m_dependencies.noLongerWaits(id);
}

void WaitingJobs::setAside(const JobId &id, const QueueEntry &entry, const QString &why)
{
    m_setAside.add(id, entry, why); // first: `entry` may be of the job that is forgotten
    forget(id);
}

WaitingJobs::Job *WaitingJobs::find(const JobId &id)
{
    const auto job = m_jobs.find(id);
    return job == m_jobs.end() ? nullptr : &job->second;
}

void WaitingJobs::noteTime()
{
    for (const auto &[on, none] : m_unknownEnds.takeDue()) {
        for (const JobId &id : m_dependents.at(on))
            readLater(id, m_jobs.at(id).entry);
    }
    for (const auto &[id, entry] : m_setAside.takeDue())
        readLater(id, entry);
    m_toJudge.merge(m_startTimes.takeDue());
}

std::optional<async::Duration> WaitingJobs::untilNextTime() const
{
    std::optional<async::Duration> next;
    for (const auto &wait : {m_unknownEnds.untilNext(), m_setAside.untilNext(), m_startTimes.untilNext()}) {
        if (wait)
            next = std::min(next.value_or(*wait), *wait);
    }
    return next;
}

std::optional<JobId> WaitingJobs::takeToJudge()
{
    if (m_toJudge.empty())
        return std::nullopt;
    return m_toJudge.extract(m_toJudge.begin()).value();
}

WaitingJobs::Verdict WaitingJobs::judge(const JobId &id, Job &job)
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
            m_unknownEnds.add(
                dependency.on, {},
                QStringLiteral("neither ZooKeeper nor the history of this master knows how that has ended"));
        if (satisfied == false)
            return {Verdict::Kind::Never, whyNever(dependency, state)};
        open = open || !satisfied;
    }
    if (job.spec.singleton)
        open = isBehind(id, job) || open;
    return {open ? Verdict::Kind::Waits : Verdict::Kind::Ready};
}

State WaitingJobs::stateOf(const JobId &id, Dependency::Kind kind)
{
    const auto until =
        kind == Dependency::Kind::Begun ? DependencyWatcher::Milestone::Begun : DependencyWatcher::Milestone::Ended;
    return m_dependencies.stateOf(id, until, m_jobs.contains(id) || m_listed.contains(id));
}

void WaitingJobs::forgetDependency(const JobId &id, const JobId &on)
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

void WaitingJobs::checkSingletons(const QByteArray &queue)
{
    const auto singletons = m_singletons.find(queue);
    if (singletons == m_singletons.end())
        return;
    for (const JobId &id : singletons->second) {
        if (!m_jobs.at(id).behind)
            m_toJudge.insert(id);
    }
    m_onChange();
}

// Whether an earlier job of its name in its queue has not ended, as far as is known: one that was moved to another
// queue is the last there. What it waits for next wakes it.
bool WaitingJobs::isBehind(const JobId &id, Job &job)
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

void WaitingJobs::noteMoved(const JobId &on)
{
    const JobId now = m_dependencies.whereIs(on);
    if (now == on)
        return;
    m_movedHere.insert(now); // it may be listed later, or again
    for (const JobId &moved : m_movedHere) { // what waits for `on` may wait for one of these through it
        if (m_jobs.contains(moved))
            m_toJudge.insert(moved);
    }
}

bool WaitingJobs::waitsFor(const JobId &id, const JobId &on) const
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

void WaitingJobs::stepBehind(const JobId &id, Job &job, const std::optional<JobId> &other)
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
            m_toJudge.insert(moved);
    }
}

} // namespace drover::workers
