#include "workers/invariants/cluster_invariants.h"

#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/cluster/queue_settings.h"
#include "recipes/blocks/line.h"

namespace drover::test {

using zk::Path;
using zk::Transaction;

ClusterInvariants::ClusterInvariants(FakeZooKeeper &server, jobs::Layout layout, Path lock, Path guarded)
    : m_server(server), m_layout(std::move(layout)), m_lock(std::move(lock)), m_guarded(std::move(guarded))
{
    m_server.onCommit([this](const FakeZooKeeper::Commit &commit) { onCommit(commit); });
}

void ClusterInvariants::onCommit(const FakeZooKeeper::Commit &commit)
{
    if (commit.kind != FakeZooKeeper::Commit::Kind::Write)
        return;
    if (const auto *multi = std::get_if<zk::MultiRequest>(&commit.call->request)) {
        for (const Transaction::Operation &operation : multi->transaction.operations())
            onOperation(commit, operation);
        expectNone(m_dedupe.onCommit(commit));
    } else if (const auto *create = std::get_if<zk::CreateRequest>(&commit.call->request)) {
        if (create->path.parent() == m_layout.done())
            violation(QStringLiteral("a final record outside of a transaction"));
    } else if (const auto *set = std::get_if<zk::SetRequest>(&commit.call->request)) {
        if (set->path.parent() == m_layout.claims()) {
            m_lockWaits += jobs::Claim::decode(set->data).waits.startsWith(u"lock ");
            onClaimSet(commit, *jobs::JobId::parse(QString::fromLatin1(set->path.name())), set->data);
        }
        onStored(set->path, set->data);
    } else if (const auto *remove = std::get_if<zk::RemoveRequest>(&commit.call->request)) {
        if (commit.session == m_manualDeleter)
            onDeletedByHand(remove->path);
    }
    if (const zk::Path path = zk::pathOf(commit.call->request); path.name() == "permits")
        m_permits.onPermits(path, commit.zxid);
}

void ClusterInvariants::onOperation(const FakeZooKeeper::Commit &commit, const Transaction::Operation &operation)
{
    if (const auto *create = std::get_if<Transaction::Create>(&operation)) {
        if (create->path.parent() == m_layout.done())
            onDone(create->path, create->data);
        if (create->path.parent() == m_layout.claims() && !create->data.isEmpty()) // or only to see that there is none
            onClaim(commit, *jobs::JobId::parse(QString::fromLatin1(create->path.name())), create->data);
        if (create->path.name() == jobs::GangStart::Name && create->path.parent().parent() == m_layout.gangs()) {
            m_begun.insert(create->path.parent().name().split(':').front());
            expectNone(m_gangs.onReady(create->path, create->data));
        }
        if (create->path == m_layout.stats())
            expectOwner(commit, m_layout.master(), "the stats");
        if (create->path.parent().parent() == m_layout.queues())
            onTaskMade(commit, *create);
        const bool isNumbered = create->mode == zk::CreateMode::PersistentSequential; // a submit's
        const auto &all = std::get<zk::MultiRequest>(commit.call->request).transaction.operations();
        const auto index = static_cast<std::size_t>(&operation - all.data());
        const zk::Path path = isNumbered ? commit.call->response.results[index].path : create->path;
        onStored(path, create->data);
        onWaiting(create->data, path);
        if (create->path.parent().parent() == m_layout.queues())
            onMoved(commit, *create);
        m_singletons.onMade(path);
    } else if (const auto *remove = std::get_if<Transaction::Remove>(&operation)) {
        const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(remove->path.name());
        const auto &multi = std::get<zk::MultiRequest>(commit.call->request).transaction.operations();
        const auto *next = multi.size() > 2 ? std::get_if<Transaction::Create>(&multi[2]) : nullptr;
        const bool promotes = entry && entry->jobClass == jobs::QueueEntry::Class::Waiting && next
            && next->path.parent() == remove->path.parent();
        if (promotes)
            expectOwner(commit, m_layout.master(), "a job that waited");
    } else if (const auto *set = std::get_if<Transaction::Set>(&operation)) {
        if (set->path == m_layout.stats())
            expectOwner(commit, m_layout.master(), "the stats");
        if (set->path.parent() == m_layout.claims())
            onClaimSet(commit, *jobs::JobId::parse(QString::fromLatin1(set->path.name())), set->data);
        if (set->path.parent() == m_layout.queues())
            m_permits.onSettings(set->path.name());
        onStored(set->path, set->data);
        onWaiting(set->data, set->path);
        if (set->path == m_guarded) {
            const qint64 token = set->data.toLongLong();
            const FakeTree::Znode *holder = lowestOf(m_lock);
            if (!holder || holder->stat.czxid != token)
                violation(QStringLiteral("token %1 wrote without holding the lock").arg(token));
            if (token < m_highestToken)
                violation(QStringLiteral("token %1 was accepted after %2").arg(token).arg(m_highestToken));
            m_highestToken = std::max(m_highestToken, token);
        }
    }
}

// A job that goes to another queue is a new one with a key of its own. One transaction makes it and ends the old one.
void ClusterInvariants::onMoved(const FakeZooKeeper::Commit &commit, const Transaction::Create &job)
{
    const auto &multi = std::get<zk::MultiRequest>(commit.call->request).transaction.operations();
    const auto *end = multi.size() > 2 ? std::get_if<Transaction::Create>(&multi[2]) : nullptr;
    const bool first = std::get_if<Transaction::Create>(&multi.front()) == &job;
    if (!first || !end || end->path.parent() != m_layout.done())
        return;
    const jobs::JobSpec spec = jobs::JobSpec::decode(job.data, job.path.parent().name(), 0);
    m_submitted.insert(spec.key);
    m_singletons.onMoved(spec);
}

void ClusterInvariants::onClaim(const FakeZooKeeper::Commit &commit, const jobs::JobId &id, const QByteArray &data)
{
    const jobs::Claim claim = jobs::Claim::decode(data);
    m_claims[id.bytes()] = claim;
    if (jobs::QueueSettings::of(m_server.tree().find(m_layout.queue(id.queue))->data).paused)
        violation(QStringLiteral("%1 was claimed while its queue was paused").arg(id.toString()));
    const FakeTree::Znode *job = m_server.tree().find(m_layout.queue(id.queue) / claim.entry);
    if (!job)
        return violation(QStringLiteral("%1 was claimed and is not there").arg(id.toString()));
    const jobs::JobSpec spec = jobs::JobSpec::decode(job->data, id.queue, 0);
    if (spec.notes.cancelled)
        violation(QStringLiteral("%1 was claimed after it had been cancelled").arg(id.toString()));
    m_allowed[id.bytes()] = spec.maxAttempts;
    expectConditionsMet(id);
    if (spec.notes.wasSingleton) // whether the master made it ready here, or in the queue that it has come from
        expectNone(m_singletons.onClaim(id.array(), spec.title()));
    m_permits.onClaim(id, claim.attempts.claimVersion, spec);
    if (spec.gang > 0) // its members begin together
        m_begins[id.bytes()] += !claim.pending;
    else if (!claim.pending)
        onBegun(commit, id);
}

void ClusterInvariants::onClaimSet(const FakeZooKeeper::Commit &commit, const jobs::JobId &id, const QByteArray &data)
{
    const jobs::Claim now = jobs::Claim::decode(data);
    jobs::Claim &claim = m_claims[id.bytes()];
    if (std::exchange(claim.pending, now.pending) && !now.pending)
        onBegun(commit, id);
    if (std::exchange(claim.prefetched, now.prefetched) && !now.prefetched) {
        m_begun.insert(id.bytes());
        m_saidToRun.emplace_back(id.bytes(), m_server.world().now());
    }
}

void ClusterInvariants::onBegun(const FakeZooKeeper::Commit &commit, const jobs::JobId &id)
{
    if (!m_claims[id.bytes()].prefetched)
        m_begun.insert(id.bytes());
    ++m_begins[id.bytes()];
    expectNone(m_permits.onBegun(id, commit.session));
}

// Of a job's node, what it waits for.
void ClusterInvariants::onWaiting(const QByteArray &spec, const Path &path)
{
    if (path.parent().parent() != m_layout.queues() || path.name().front() != 'w' || spec.isEmpty())
        return;
    const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(path.name());
    if (!entry)
        return violation(QStringLiteral("%1 is not the node of a job").arg(path.toString()));
    const jobs::JobId id = entry->idIn(path.parent().name());
    const jobs::JobSpec &job = m_waiting[id] = jobs::JobSpec::decode(spec, id.queue, 0);
    if (job.notes.failed == 0)
        return;
    ++m_retriesNoted;
    if (!isSoon(job.notes.notBefore, job.retry.longestDelay, m_server.world()))
        violation(QStringLiteral("the time of %1's retry is not the servers'").arg(id.toString()));
}

// A task has waited as its array has.
void ClusterInvariants::expectConditionsMet(const jobs::JobId &id)
{
    const auto waiting = m_waiting.find(m_waiting.contains(id) ? id : id.array());
    if (waiting == m_waiting.end())
        return;
    ++m_waited;
    if (waiting->notes.notBefore > m_server.world().wallClock())
        violation(QStringLiteral("%1 was claimed before its time").arg(id.toString()));
    for (const jobs::Dependency &dependency : waiting->after) {
        jobs::JobId on = dependency.on;
        for (auto moved = m_movedTo.find(on); moved != m_movedTo.end(); moved = m_movedTo.find(on))
            on = moved->second;
        const auto end = m_ends.find(on.bytes());
        const bool known = end != m_ends.end();
        const bool ended = known || m_deleted.contains(on.bytes());
        const bool succeeded = known && *end == jobs::JobState::Succeeded;
        const bool met = dependency.kind == jobs::Dependency::Kind::Ok ? succeeded
            : dependency.kind == jobs::Dependency::Kind::Failed        ? known && !succeeded
            : dependency.kind == jobs::Dependency::Kind::Any           ? ended
                                                                       : ended || m_begun.contains(on.bytes());
        if (!met)
            violation(QStringLiteral("%1 was claimed, which waits for %2").arg(id.toString(), dependency.toString()));
    }
    if (waiting->singleton && id.isTask())
        expectNone(m_singletons.onClaim(id.array(), waiting->title()));
}

void ClusterInvariants::onDone(const Path &path, const QByteArray &data)
{
    const QByteArray id = path.name();
    if (m_done.contains(id))
        violation(QStringLiteral("%1 was completed twice").arg(QString::fromLatin1(id)));
    if (m_deleted.contains(id))
        violation(QStringLiteral("%1 was completed after it had been deleted").arg(QString::fromLatin1(id)));
    m_done.insert(id);
    const auto record = jobs::FinalRecord::decode(data, *jobs::JobId::parse(QString::fromLatin1(id)));
    m_ends[id] = record.state();
    if (record.movedTo)
        m_movedTo.emplace(record.id, *record.movedTo);
    if (record.outcome == jobs::FinalRecord::Outcome::NotStarted)
        violation(QStringLiteral("%1 ended because of a machine that could not start it").arg(QString::fromLatin1(id)));
    const jobs::Claim last = m_claims.value(id);
    if (!record.worker.isEmpty()
        && (last.worker != record.worker || last.attempts.claimVersion != record.attempts.claimVersion))
        violation(QStringLiteral("the result of %1 is of attempt %2 at %3, its last claim was attempt %4 at %5")
                      .arg(QString::fromLatin1(id))
                      .arg(record.attempts.claimVersion)
                      .arg(record.worker)
                      .arg(last.attempts.claimVersion)
                      .arg(last.worker));
    if (record.outcome == jobs::FinalRecord::Outcome::GaveUp) {
        ++m_gaveUp;
        if (m_begins.value(id) < m_allowed.value(id))
            violation(QStringLiteral("%1 was given up when it had begun %2 times of %3")
                          .arg(QString::fromLatin1(id))
                          .arg(m_begins.value(id))
                          .arg(m_allowed.value(id)));
    }
    if (record.id.isTask()) {
        m_gangs.onTaskDone(record);
        expectNone(m_arrays.onTaskDone(record));
        return;
    }
    if (m_gangs.isGang(record.id))
        expectNone(m_gangs.onDone(record));
    expectNone(m_arrays.onDone(record));
    if (!m_submitted.contains(record.key))
        violation(QStringLiteral("%1 was never submitted").arg(QString::fromLatin1(id)));
    if (m_doneKeys.contains(record.key))
        violation(QStringLiteral("one submit became two jobs, %1 is the second").arg(QString::fromLatin1(id)));
    m_doneKeys.insert(record.key);
}

void ClusterInvariants::onTaskMade(const FakeZooKeeper::Commit &commit, const Transaction::Create &task)
{
    const QByteArray queue = task.path.parent().name();
    const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(task.path.name());
    if (!entry || entry->task == jobs::JobId::NoTask)
        return;
    const auto &multi = std::get<zk::MultiRequest>(commit.call->request).transaction.operations();
    const auto takesItAway = [&](const Transaction::Operation &operation) {
        const auto *remove = std::get_if<Transaction::Remove>(&operation);
        const auto from = remove ? jobs::QueueEntry::parse(remove->path.name()) : std::nullopt;
        return from && from->idIn(remove->path.parent().name()) == entry->idIn(queue);
    };
    if (std::any_of(multi.begin(), multi.end(), takesItAway))
        return; // it was moved
    const jobs::JobId id = entry->idIn(queue);
    const jobs::JobSpec spec = jobs::JobSpec::decode(task.data, id.queue, 0);
    if (spec.gang > 0)
        expectNone(m_gangs.onTaskMade(id, spec));
    else
        m_begun.insert(id.array().bytes());
    expectNone(m_arrays.onTaskMade(id, spec));
}

void ClusterInvariants::acknowledged(const jobs::JobId &id)
{
    if (!m_deleted.contains(id.bytes())) // before its submitter heard of it
        m_acknowledged.insert(id.bytes());
}

void ClusterInvariants::onDeletedByHand(const Path &path)
{
    if (path.parent().parent().parent() == m_layout.limits())
        m_permits.onDeletedByHand(path.parent().parent());
    const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(path.name());
    if (path.parent().parent() != m_layout.queues() || !entry)
        return;
    const jobs::JobId id = entry->idIn(path.parent().name());
    m_deleted.insert(id.bytes());
    m_acknowledged.remove(id.bytes());
    m_dedupe.onDeletedByHand(id);
    if (id.isTask()) {
        m_arrays.onTaskDeleted(id);
        m_gangs.onTaskDeleted(id);
    }
}

void ClusterInvariants::onStored(const Path &path, const QByteArray &data)
{
    const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(path.name());
    if (path.parent().parent() != m_layout.queues() || !entry || entry->task != jobs::JobId::NoTask || data.isEmpty())
        return;
    const bool begun = entry->jobClass == jobs::QueueEntry::Class::Array;
    expectNone(m_arrays.onStored(entry->idIn(path.parent().name()), data, begun));
    expectNone(m_gangs.onStored(entry->idIn(path.parent().name()), data));
}

// The writer's session owned the lowest node of the line when the write was accepted.
void ClusterInvariants::expectOwner(const FakeZooKeeper::Commit &commit, const Path &line, const char *what)
{
    const FakeTree::Znode *lowest = lowestOf(line);
    if (!lowest || lowest->stat.ephemeralOwner != commit.session)
        violation(QStringLiteral("a session that does not hold %1 wrote %2").arg(line.toString(), QLatin1String(what)));
}

const FakeTree::Znode *ClusterInvariants::lowestOf(const Path &line) const
{
    const QByteArrayList order = recipes::sortedBySequence(childrenOf(line));
    return order.isEmpty() ? nullptr : m_server.tree().find(line / order.front());
}

QByteArrayList ClusterInvariants::childrenOf(const Path &path) const
{
    const FakeTree::Znode *node = m_server.tree().find(path);
    return node ? QByteArrayList(node->children.begin(), node->children.end()) : QByteArrayList();
}

bool ClusterInvariants::allAcknowledgedAreDone() const
{
    return m_done.contains(m_acknowledged);
}

void ClusterInvariants::checkFinalState(const QByteArrayList &queues, int liveWorkers)
{
    for (const QByteArray &id : m_acknowledged) {
        if (!m_server.tree().find(m_layout.done() / id))
            violation(QStringLiteral("%1 was acknowledged and has no final record").arg(QString::fromLatin1(id)));
    }
    const auto expectCount = [this](const Path &path, qsizetype least, qsizetype most) {
        QByteArrayList names = childrenOf(path);
        // A client that might not delete its reservation for a moment keeps it as long as its session.
        names.removeIf([](const QByteArray &name) { return jobs::reservesNumber(name, zk::LastSequence); });
        if (names.size() < least || names.size() > most)
            violation(QStringLiteral("%1 is left with %2 children: %3")
                          .arg(path.toString())
                          .arg(names.size())
                          .arg(QString::fromUtf8(names.join(' '))));
    };
    for (const QByteArray &queue : queues) {
        expectCount(m_layout.queue(queue), 0, 0);
        // The first worker in line goes on watching even if its place was deleted by hand.
        expectCount(m_layout.idle(queue), m_manualDeleter ? 0 : 1, liveWorkers);
    }
    expectCount(m_layout.claims(), 0, 0);
    expectCount(m_layout.gangs(), 0, 0);
    expectCount(jobs::cancelNotes(m_layout), 0, 0);
    expectCount(m_lock, 0, 0);
    for (const char *const lock : {"a", "b", "other"})
        expectCount(m_layout.lock(lock), 0, 0);
    expectCount(m_layout.limit("api") / "leases", 0, 0);
    expectCount(m_layout.members(), liveWorkers, liveWorkers);
    expectCount(m_layout.master(), liveWorkers, liveWorkers);
}

void ClusterInvariants::checkExecutions(std::vector<Execution> witness, int slotsPerWorker)
{
    for (Execution &execution : witness)
        execution.until = std::min(execution.until, execution.evicted.value_or(execution.until));
    std::erase_if(witness, [](const Execution &execution) { return execution.evicted == execution.from; });
    m_violations += m_permits.checkExecutions(witness);
    for (const Execution &one : witness) {
        int slots = 0;
        for (const Execution &other : witness) {
            if (other.from > one.from || other.until <= one.from)
                continue;
            if (other.worker == one.worker)
                slots += other.slots;
            if (&other != &one && !one.lock.isEmpty() && other.lock == one.lock)
                violation(QStringLiteral("%1 and %2 ran at the same time, both with lock %3")
                              .arg(QString::fromLatin1(one.job), QString::fromLatin1(other.job),
                                   QString::fromLatin1(one.lock)));
        }
        if (slots > slotsPerWorker)
            violation(QStringLiteral("%1 ran jobs of %2 slots").arg(QString::fromLatin1(one.worker)).arg(slots));
        if (one.environment.contains("LABEL=rare") && one.worker != "w0")
            violation(QStringLiteral("%1 ran %2, without its label")
                          .arg(QString::fromLatin1(one.worker), QString::fromLatin1(one.job)));
    }
    for (const auto &[id, at] : m_saidToRun) {
        const bool runs = std::any_of(witness.begin(), witness.end(), [id = id, at = at](const Execution &execution) {
            return execution.job == id && execution.from <= at;
        });
        if (!runs)
            violation(QStringLiteral("%1 was said to run before it ran").arg(QString::fromLatin1(id)));
    }
    std::map<QByteArray, const Execution *> last;
    for (const Execution &execution : witness) { // in the order in which they began
        const Execution *before = std::exchange(last[execution.job], &execution);
        if (before && before->until > execution.from)
            violation(QStringLiteral("%1: attempt %2 on %3 began while attempt %4 on %5 was running")
                          .arg(QString::fromLatin1(execution.job))
                          .arg(execution.attempt)
                          .arg(QString::fromLatin1(execution.worker))
                          .arg(before->attempt)
                          .arg(QString::fromLatin1(before->worker)));
    }
}

} // namespace drover::test
