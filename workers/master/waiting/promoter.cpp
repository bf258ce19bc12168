#include "workers/master/waiting/promoter.h"

#include "jobs/client/reposition.h"
#include "jobs/cluster/read_nodes.h"
#include "workers/master/base/master_commit.h"
#include "zk/transaction_batch.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using jobs::JobId;
using jobs::JobSpec;
using jobs::QueueEntry;

Q_LOGGING_CATEGORY(lcPromoter, "drover.workers.promoter")

Promoter::Promoter(jobs::Cluster cluster, MasterHistory *history, const zk::ServerClock &clock, Troubles &troubles)
    : m_cluster(std::move(cluster)), m_troubles(troubles),
      m_waiting(m_cluster, history, clock, m_troubles, [this] { m_wake.set(); })
{
}

async::Task<void> Promoter::run(recipes::Fence fence)
{
    for (;;) {
        m_wake.reset();
        m_waiting.noteTime();
        co_await readSome();
        co_await settleSome(fence);
        if (!m_waiting.hasUnread() && !m_waiting.hasToJudge())
            co_await untilDue();
    }
}

async::Task<void> Promoter::readSome()
{
    const std::vector<WaitingJobs::Named> batch = m_waiting.takeUnread(jobs::Flight);
    std::vector<zk::Path> paths;
    for (const auto &[id, entry] : batch)
        paths.push_back(m_cluster.layout.job(id.queue, entry));
    m_reading = true;
    const std::vector<zk::Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    m_reading = false;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto &[id, entry] = batch[i];
        const Job *const found = m_waiting.find(id);
        const Job *const known = found && found->entry == entry ? found : nullptr; // otherwise it was moved meanwhile
        if (nodes[i].code() == zk::Code::NoAuth)
            m_waiting.setAside(id, entry, QStringLiteral("the master may not read it"));
        else if (!nodes[i].ok() && known)
            m_waiting.forget(id);
        if (!nodes[i].ok())
            continue;
        if (nodes[i]->stat.numChildren > 0) { // it can be neither moved nor ended
            m_waiting.setAside(id, entry, QStringLiteral("another program has made znodes below its own"));
            continue;
        }
        Job job{entry, nodes[i]->stat.version, nodes[i]->data, {}};
        job.refused = known && known->refused && known->version == job.version;
        try {
            job.spec = JobSpec::decode(job.stored, id.queue, entry.priority);
        } catch (const jobs::NewerFormat &error) { // what it waits for, only newer masters know
            m_waiting.setAside(id, entry, QString::fromUtf8(error.what()));
            continue;
        } catch (const jobs::Malformed &) { // it waits for nothing: the worker that claims it ends it
        }
        m_waiting.add(id, std::move(job));
    }
}

async::Task<void> Promoter::settleSome(recipes::Fence fence)
{
    zk::Transaction guard;
    fence.guard(guard);
    zk::TransactionBatch batch(std::move(guard));
    std::vector<JobId> settled; // the jobs of the batch
    while (settled.size() < m_together) {
        const std::optional<JobId> next = m_waiting.takeToJudge();
        if (!next)
            break;
        const JobId &id = *next;
        if (std::find(settled.begin(), settled.end(), id) != settled.end())
            continue; // another's verdict has asked for it again
        Job &job = *m_waiting.find(id);
        const Verdict verdict = m_waiting.judge(id, job);
        if (verdict.kind == Verdict::Kind::Waits)
            continue;
        const bool added = batch.add(operationsFor(id, job, verdict));
        if (!added) {
            m_waiting.judgeLater(id);
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
                m_waiting.forget(id);
            co_return;
        }
        refused = settled[batch.at(*operation)];
    } catch (const zk::AccessDenied &error) {
        trouble = error.what();
    } catch (const zk::RequestTooLarge &error) {
        trouble = error.what();
    }
    const Job *const alone = settled.size() == 1 ? m_waiting.find(settled.front()) : nullptr;
    if (!trouble.empty() && alone)
        m_waiting.setAside(settled.front(), alone->entry, QString::fromStdString(trouble));
    if (!trouble.empty())
        m_together = 1; // each by itself
    for (const JobId &id : settled) {
        if (m_waiting.find(id)) // not forgotten while the transaction was under way
            m_waiting.judgeLater(id);
    }
    if (refused)
        co_await onRefused(*refused);
}

async::Task<void> Promoter::onRefused(JobId id)
{
    qCInfo(lcPromoter, "%s no longer waits as it did", id.bytes().constData());
    const Job *const refused = m_waiting.find(id);
    if (refused && refused->spec.array) // its move writes this node, which may have been deleted
        co_await m_cluster.zk.ensurePath(m_cluster.layout.waiting(id.queue));
    Job *const job = m_waiting.find(id);
    if (!job)
        co_return;
    m_waiting.judgeNoMore(id);
    if (std::exchange(job->refused, true))
        m_waiting.forget(id);
    else
        m_waiting.readLater(id, job->entry);
}

zk::Transaction Promoter::operationsFor(const JobId &id, const Job &job, const Verdict &verdict) const
{
    zk::Transaction transaction;
    if (verdict.kind == Verdict::Kind::Never) {
        jobs::FinalRecord record =
            jobs::FinalRecord::withoutRun(id, job.spec, jobs::FinalRecord::Outcome::Cancelled, verdict.reason,
                                          job.version, m_cluster.zk.loop().wallClock());
        if (job.spec.array && job.spec.gang == 0)
            record.neverMade.append(0, job.spec.array->count() - 1);
        record.keepSigned(job.stored, job.entry.priority);
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
    async::Timer due;
    if (const std::optional<async::Duration> wait = m_waiting.untilNextTime())
        due = m_cluster.zk.loop().after(*wait, [this] { m_wake.set(); });
    co_await m_wake.wait();
}

} // namespace drover::workers
