#include "workers/promoter.h"

#include "jobs/move.h"
#include "jobs/read_nodes.h"
#include "workers/batch.h"
#include "workers/mastership.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::Dependency;
using jobs::JobId;
using jobs::JobSpec;
using jobs::QueueEntry;
using Fate = JobEnds::Fate;

Q_LOGGING_CATEGORY(lcPromoter, "drover.workers.promoter")

namespace {

constexpr auto UnknownCheck = 1min; // between two looks whether somebody still waits for what nobody knows
constexpr auto ClockCheck = 1s; // the time of day may be set while we wait for one

// Whether `fate` satisfies it; nothing while that is open, or unknown and of importance.
std::optional<bool> isSatisfied(Dependency::Kind kind, Fate fate)
{
    if (fate == Fate::Open || (fate == Fate::Begun && kind != Dependency::Kind::Begun))
        return std::nullopt;
    const bool matters = kind == Dependency::Kind::Ok || kind == Dependency::Kind::Failed;
    if (fate == Fate::Unknown && matters)
        return std::nullopt;
    switch (kind) {
    case Dependency::Kind::Ok:
        return fate == Fate::Succeeded;
    case Dependency::Kind::Failed:
        return fate == Fate::Failed;
    case Dependency::Kind::Begun:
    case Dependency::Kind::Any:
        break;
    }
    return true;
}

QString whyNever(const Dependency &dependency, Fate fate)
{
    const QString wanted = dependency.kind == Dependency::Kind::Ok ? QStringLiteral("succeed") : QStringLiteral("fail");
    const QString found = fate == Fate::Succeeded ? QStringLiteral("succeeded")
        : fate == Fate::Failed                    ? QStringLiteral("failed")
                                                  : QStringLiteral("is no longer known");
    return QStringLiteral("it was to wait for %1 to %2, which %3").arg(dependency.on.toString(), wanted, found);
}

} // namespace

Promoter::Promoter(zk::Coordinator &zk, jobs::Layout layout, HistoryReader *history, const ServerClock &clock,
                   Troubles &troubles)
    : m_zk(zk), m_layout(std::move(layout)), m_clock(clock), m_troubles(troubles),
      m_namesakes(zk, m_layout, [this](const QByteArray &queue) { checkSingletons(queue); }),
      m_ends(zk, m_layout, history, [this](const JobId &ended) {
          const auto dependents = m_dependents.find(ended);
          if (dependents == m_dependents.end())
              return; // forgotten meanwhile
          m_toCheck.insert(dependents->second.begin(), dependents->second.end());
          m_wake.set();
      })
{
}

Promoter::~Promoter()
{
    for (const QString &subject : m_troubled)
        m_troubles.clear(subject);
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
        checkWhoseTimeHasCome();
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
        paths.push_back(m_layout.job(id.queue, entry));
    }
    m_reading = true;
    const std::vector<zk::Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
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
        } catch (const jobs::Malformed &) {
            // It waits for nothing that can be read: whoever claims it finds the same and ends it.
        }
        add(id, std::move(job));
    }
}

void Promoter::add(const JobId &id, Job job)
{
    forget(id);
    if (!hasCome(job.spec.notBefore))
        m_byTime.emplace(job.spec.notBefore, id);
    for (const Dependency &dependency : job.spec.after)
        depend(id, dependency.on);
    if (job.spec.singleton)
        m_singletons[id.queue].insert(id);
    m_jobs.emplace(id, std::move(job));
    m_toCheck.insert(id);
}

void Promoter::forget(const JobId &id)
{
    const auto job = m_jobs.find(id);
    if (job == m_jobs.end())
        return;
    m_byTime.erase({job->second.spec.notBefore, id});
    stepBehind(id, job->second, std::nullopt);
    for (const Dependency &dependency : job->second.spec.after)
        forgetDependency(id, dependency.on);
    if (const auto others = m_singletons.find(id.queue); others != m_singletons.end()) {
        others->second.erase(id);
        if (others->second.empty()) {
            m_singletons.erase(others);
            m_namesakes.drop(id.queue);
        }
    }
    m_toCheck.erase(id);
    m_jobs.erase(job);
    m_ends.noLongerWaits(id);
}

Fate Promoter::fateOf(const JobId &id, Dependency::Kind kind)
{
    const auto until = kind == Dependency::Kind::Begun ? JobEnds::Until::Begun : JobEnds::Until::Ended;
    return m_ends.of(id, until, m_jobs.contains(id) || m_listed.contains(id));
}

void Promoter::depend(const JobId &id, const JobId &on)
{
    m_dependents[on].insert(id);
}

void Promoter::forgetDependency(const JobId &id, const JobId &on)
{
    const auto dependents = m_dependents.find(on);
    if (dependents == m_dependents.end())
        return;
    dependents->second.erase(id);
    if (dependents->second.empty()) {
        m_dependents.erase(dependents);
        m_ends.forget(on);
        noteUnknown(on, Fate::Open);
    }
}

bool Promoter::hasCome(std::chrono::milliseconds notBefore) const
{
    return notBefore.count() == 0 || (m_clock.agrees() && notBefore <= m_zk.loop().wallClock());
}

void Promoter::checkWhoseTimeHasCome()
{
    while (!m_byTime.empty() && hasCome(m_byTime.begin()->first)) {
        m_toCheck.insert(m_byTime.begin()->second);
        m_byTime.erase(m_byTime.begin());
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

// Whether an earlier job of its name in its queue has not ended, as far as is known: one that was moved to another queue
// is the last there. What it waits for next wakes it.
bool Promoter::isBehind(const JobId &id, Job &job)
{
    for (;;) {
        const Namesakes::Earlier earlier = m_namesakes.before(id, job.spec.title());
        stepBehind(id, job, earlier.latest);
        if (!earlier.known)
            return true;
        if (!earlier.latest)
            return false;
        const Fate fate = fateOf(*earlier.latest, Dependency::Kind::Any);
        if (!isSatisfied(Dependency::Kind::Any, fate) && !m_ends.hasMoved(*earlier.latest))
            return true;
        m_namesakes.forget(*earlier.latest);
    }
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
    if (other)
        depend(id, *other);
}

Promoter::Verdict Promoter::judge(const JobId &id, Job &job)
{
    bool open = !hasCome(job.spec.notBefore);
    if (open)
        m_byTime.emplace(job.spec.notBefore, id); // again, if the clock has been set back
    for (const Dependency &dependency : job.spec.after) {
        const Fate fate = fateOf(dependency.on, dependency.kind);
        const std::optional<bool> satisfied = isSatisfied(dependency.kind, fate);
        if (!satisfied || fate != Fate::Unknown) // another job may wait for the same, and mind
            noteUnknown(dependency.on, fate);
        if (satisfied == false)
            return {Verdict::Kind::Never, whyNever(dependency, fate)};
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
    Batch batch(std::move(guard));
    std::vector<JobId> settled; // those of the batch
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
        const int operation = co_await commitAsMaster(m_zk, batch.transaction());
        m_together = std::min(2 * m_together, MaxSettled);
        if (operation < 0) {
            for (const JobId &id : settled)
                forget(id);
            co_return;
        }
        refused = settled[batch.at(operation)];
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
    const QString subject = QStringLiteral("job %1").arg(id.toString());
    m_troubles.note(subject, QStringLiteral("it stays where it is: %1").arg(QString::fromUtf8(why)));
    m_troubled.insert(subject);
    forget(id);
}

void Promoter::noteUnknown(const JobId &on, Fate fate)
{
    const QString subject = QStringLiteral("what waits for job %1").arg(on.toString());
    if (fate == Fate::Unknown && m_unknown.insert(on).second) {
        m_troubles.note(subject,
                        QStringLiteral("it goes on waiting: neither ZooKeeper nor the history of this master knows how "
                                       "that has ended"));
        m_troubled.insert(subject);
    } else if (fate != Fate::Unknown && m_unknown.erase(on) > 0) {
        m_troubles.clear(subject);
        m_troubled.erase(subject);
    }
}

// A cancel tells nobody; what is said of those that wait should be true.
void Promoter::readThoseThatWaitForUnknown()
{
    if (m_unknown.empty() || m_zk.loop().now() < m_nextLook)
        return;
    m_nextLook = m_zk.loop().now() + UnknownCheck;
    for (const JobId &on : m_unknown) {
        for (const JobId &id : m_dependents.at(on))
            readLater(id, m_jobs.at(id).entry);
    }
}

async::Task<void> Promoter::onRefused(JobId id)
{
    qCInfo(lcPromoter, "%s no longer waits as it did", id.bytes().constData());
    if (m_jobs.contains(id) && m_jobs.at(id).spec.array) // its move sets that; somebody may have deleted it
        co_await m_zk.ensurePath(m_layout.waiting(id.queue));
    const auto job = m_jobs.find(id);
    if (job == m_jobs.end())
        co_return;
    m_toCheck.erase(id);
    const QueueEntry entry = job->second.entry;
    if (std::exchange(job->second.refused, true))
        forget(id);
    else
        readLater(id, entry);
}

zk::Transaction Promoter::operationsFor(const JobId &id, const Job &job, const Verdict &verdict) const
{
    zk::Transaction transaction;
    if (verdict.kind == Verdict::Kind::Never) {
        const jobs::FinalRecord record = jobs::FinalRecord::withoutRun(
            id, job.spec, jobs::FinalRecord::Outcome::Cancelled, verdict.reason, job.version, m_zk.loop().wallClock());
        transaction.remove(m_layout.job(id.queue, job.entry), job.version).create(m_layout.done(id), record.encode());
        return transaction;
    }
    QueueEntry ready = job.entry;
    ready.jobClass = job.spec.array ? QueueEntry::Class::Array : QueueEntry::Class::Ready;
    const QByteArray data = job.spec.waits() ? JobSpec::markReady(job.stored) : job.stored;
    return jobs::move(transaction, m_layout, id.queue, job.entry, ready, job.version, data);
}

async::Task<void> Promoter::untilDue()
{
    async::Timer timer;
    async::Timer unknown;
    if (!m_unknown.empty())
        unknown = m_zk.loop().after(UnknownCheck, [this] { m_wake.set(); });
    if (!m_byTime.empty()) {
        const async::Duration left = m_byTime.begin()->first - m_zk.loop().wallClock();
        const auto wait = m_clock.agrees() ? std::clamp<async::Duration>(left, 0ms, ClockCheck) : ClockCheck;
        timer = m_zk.loop().after(wait, [this] { m_wake.set(); });
    }
    co_await m_wake.wait();
}

} // namespace drover::workers
