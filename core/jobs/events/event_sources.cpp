#include "jobs/events/event_sources.h"

#include "jobs/cluster/cordon.h"
#include "jobs/model/claim.h"
#include "recipes/blocks/line.h"

namespace drover::jobs {

using namespace std::chrono_literals;

namespace {

std::chrono::milliseconds timeOf(const zk::Stat &stat)
{
    return std::chrono::milliseconds(stat.ctime);
}

Event about(Event::Kind kind, const QByteArray &worker, std::chrono::milliseconds at, zk::Zxid zxid)
{
    Event event;
    event.kind = kind;
    event.at = at;
    event.zxid = zxid;
    event.worker = QString::fromUtf8(worker);
    return event;
}

class QueueSource final : public EventSource
{
public:
    QueueSource(zk::Path node, PossibleWaiters &possibleWaiters, Tell onEvent)
        : EventSource(std::move(node), std::move(onEvent)), m_possibleWaiters(possibleWaiters)
    {
    }

    void appeared(const QByteArray &name, const zk::Node &node, bool first) override
    {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry)
            return;
        Event event;
        event.job = entry->idIn(path.name());
        KnownJob &job = m_jobs[event.job->inQueue()];
        event.kind = job.entry.isEmpty() ? Event::Kind::Submitted : Event::Kind::Moved;
        job.entry = name;
        event.at = timeOf(node.stat);
        event.zxid = node.stat.czxid;
        event.state = unclaimedState(entry->jobClass);
        event.priority = entry->priority;
        if (const auto spec = tryDecode<JobSpec>(node.data, path.name(), entry->priority)) // otherwise it has no name
            describe(event, job, *spec, node.stat.version);
        if (!first)
            tell(event);
    }

    void disappeared(const QByteArray &name, const std::vector<bool> &, zk::Zxid) override
    {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry)
            return;
        const JobId id = entry->idIn(path.name());
        if (m_jobs.value(id.inQueue()).entry != name) // it has been moved
            return;
        m_jobs.remove(id.inQueue());
        m_possibleWaiters.jobs.remove(id);
    }

private:
    struct KnownJob {
        QByteArray entry;
        int failed = 0;
    };

    void describe(Event &event, KnownJob &job, const JobSpec &spec, qint32 version)
    {
        event.name = spec.title();
        if (mayWait(spec))
            m_possibleWaiters.jobs.insert(*event.job);
        if (std::exchange(job.failed, spec.notes.failed) < spec.notes.failed && event.kind == Event::Kind::Moved) {
            event.kind = Event::Kind::Failed;
            event.exitCode = spec.notes.failedCode;
            event.attempt = spec.attempts(version).number();
        }
    }

    static bool mayWait(const JobSpec &spec)
    {
        return spec.needs.slots > 1 || spec.needs.memory > 0 || spec.gang > 0 || !spec.locks.isEmpty()
            || !spec.sharedLocks.isEmpty() || !spec.limits.isEmpty();
    }

    PossibleWaiters &m_possibleWaiters;
    QHash<qint64, KnownJob> m_jobs;
};

class ClaimSource final : public EventSource
{
public:
    ClaimSource(const Layout &layout, const PossibleWaiters &possibleWaiters, Tell onEvent, Tell onWaiting,
                Tell onPresent)
        : EventSource(layout.claims(), std::move(onEvent)), m_layout(layout), m_possibleWaiters(possibleWaiters),
          m_onWaiting(std::move(onWaiting)), m_onPresent(std::move(onPresent))
    {
    }

    void appeared(const QByteArray &name, const zk::Node &node, bool first) override
    {
        KnownClaim claimed;
        Event &event = claimed.event;
        event.kind = Event::Kind::Started;
        event.at = timeOf(node.stat);
        event.zxid = node.stat.czxid;
        event.job = JobId::parse(QString::fromUtf8(name));
        event.state = JobState::Running;
        bool prefetched = false;
        if (const std::optional<Claim> claim = tryDecode<Claim>(node.data)) { // otherwise another program's node
            event.worker = claim->worker;
            event.attempt = claim->attempts.number();
            event.waits = claim->waits;
            prefetched = claim->prefetched;
            claimed.entry = claim->entry;
        }
        const bool mayWait = event.job && (prefetched || !event.waits.isEmpty() || m_possibleWaiters.has(*event.job));
        if (mayWait) {
            event.kind = Event::Kind::Claimed;
            event.state = JobState::Waiting;
        }
        m_claims[name] = claimed;
        if (!event.job)
            return;
        if (first)
            return m_onPresent(event);
        tell(event);
        if (mayWait)
            m_onWaiting(event);
    }

    // The record reports a claim that ends with its job; the job's new entry reports one that ends with a failure.
    std::vector<zk::Path> evidencePaths(const QByteArray &name) const override
    {
        const KnownClaim claimed = m_claims.value(name);
        std::vector<zk::Path> evidence{m_layout.done() / name};
        if (claimed.event.job && QueueEntry::parse(claimed.entry))
            evidence.push_back(m_layout.queue(claimed.event.job->queue) / claimed.entry);
        return evidence;
    }
    void disappeared(const QByteArray &name, const std::vector<bool> &evidence, zk::Zxid upTo) override
    {
        Event event = m_claims.take(name).event;
        event.kind = Event::Kind::Stopped;
        event.at = {};
        event.zxid = upTo;
        event.state = JobState::Ready;
        event.waits.clear();
        const bool hasEnded = evidence[0];
        const bool isThere = evidence.size() < 2 || evidence[1];
        if (event.job && !hasEnded && isThere)
            tell(event);
    }
    bool tellsReturns() const override { return true; }

private:
    struct KnownClaim {
        Event event;
        QByteArray entry; // the job's, when it was claimed
    };

    Layout m_layout;
    const PossibleWaiters &m_possibleWaiters;
    Tell m_onWaiting;
    Tell m_onPresent;
    QHash<QByteArray, KnownClaim> m_claims;
};

class DoneSource final : public EventSource
{
public:
    using EventSource::EventSource;

    void appeared(const QByteArray &name, const zk::Node &node, bool first) override
    {
        Event event;
        event.kind = Event::Kind::Ended;
        event.at = timeOf(node.stat);
        event.zxid = node.stat.czxid;
        event.job = JobId::parse(QString::fromUtf8(name));
        if (first || !event.job)
            return;
        event.record = tryDecode<FinalRecord>(node.data, *event.job);
        event.state = event.record ? event.record->state() : JobState::Failed; // as it is shown
        if (event.record) {
            event.attempt = event.record->attempts.number();
            event.worker = event.record->worker;
            event.name = event.record->name.isEmpty() ? event.record->command.value(0) : event.record->name;
        }
        tell(event);
    }
};

class MemberSource final : public EventSource
{
public:
    using EventSource::EventSource;

    void appeared(const QByteArray &name, const zk::Node &node, bool first) override
    {
        if (!first)
            tell(about(Event::Kind::WorkerJoined, name, timeOf(node.stat), node.stat.czxid));
    }
    void disappeared(const QByteArray &name, const std::vector<bool> &, zk::Zxid upTo) override
    {
        tell(about(Event::Kind::WorkerLeft, name, 0ms, upTo));
    }
    bool tellsReturns() const override { return true; }
};

class CordonSource final : public EventSource
{
public:
    using EventSource::EventSource;

    void appeared(const QByteArray &name, const zk::Node &node, bool first) override
    {
        Event event = about(Event::Kind::WorkerCordoned, name, timeOf(node.stat), node.stat.czxid);
        const Cordon cordon = tryDecode<Cordon>(node.data).value_or(Cordon()); // malformed: it is one all the same
        event.by = cordon.by;
        event.why = cordon.why;
        if (!first)
            tell(event);
    }
    void disappeared(const QByteArray &name, const std::vector<bool> &, zk::Zxid upTo) override
    {
        tell(about(Event::Kind::WorkerUncordoned, name, 0ms, upTo));
    }
};

class MasterSource final : public EventSource
{
public:
    using EventSource::EventSource;

    void appeared(const QByteArray &name, const zk::Node &node, bool) override
    {
        m_candidates[name] = QString::fromUtf8(node.data);
    }
    void disappeared(const QByteArray &name, const std::vector<bool> &, zk::Zxid) override
    {
        m_candidates.remove(name);
    }
    void readDone(bool first, zk::Zxid upTo) override
    {
        const QByteArrayList line = recipes::sortedBySequence(m_candidates.keys());
        const QByteArray leader = line.value(0);
        if (std::exchange(m_leader, leader) == leader || first || leader.isEmpty())
            return;
        Event event;
        event.kind = Event::Kind::MasterElected;
        event.zxid = upTo;
        event.worker = m_candidates.value(leader);
        tell(event);
    }

private:
    QHash<QByteArray, QString> m_candidates;
    QByteArray m_leader;
};

} // namespace

std::unique_ptr<EventSource> queueSource(const Layout &layout, const QByteArray &queue,
                                         PossibleWaiters &possibleWaiters, EventSource::Tell tell)
{
    return std::make_unique<QueueSource>(layout.queue(queue), possibleWaiters, std::move(tell));
}

std::unique_ptr<EventSource> claimSource(const Layout &layout, const PossibleWaiters &possibleWaiters,
                                         EventSource::Tell tell, EventSource::Tell onWaiting,
                                         EventSource::Tell onPresent)
{
    return std::make_unique<ClaimSource>(layout, possibleWaiters, std::move(tell), std::move(onWaiting),
                                         std::move(onPresent));
}

std::unique_ptr<EventSource> doneSource(const Layout &layout, EventSource::Tell tell)
{
    return std::make_unique<DoneSource>(layout.done(), std::move(tell));
}

std::unique_ptr<EventSource> memberSource(const Layout &layout, EventSource::Tell tell)
{
    return std::make_unique<MemberSource>(layout.members(), std::move(tell));
}

std::unique_ptr<EventSource> cordonSource(const Layout &layout, EventSource::Tell tell)
{
    return std::make_unique<CordonSource>(layout.cordons(), std::move(tell));
}

std::unique_ptr<EventSource> masterSource(const Layout &layout, EventSource::Tell tell)
{
    return std::make_unique<MasterSource>(layout.master(), std::move(tell));
}

} // namespace drover::jobs
