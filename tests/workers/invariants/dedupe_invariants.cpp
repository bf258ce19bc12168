#include "workers/invariants/dedupe_invariants.h"

namespace drover::test {

using zk::Transaction;

namespace {

bool writes(const Transaction::Operation &operation, const zk::Path &path)
{
    const auto *create = std::get_if<Transaction::Create>(&operation);
    const auto *set = std::get_if<Transaction::Set>(&operation);
    return (create && create->path == path) || (set && set->path == path);
}

} // namespace

// A submit makes the job first, and then the mark.
QString DedupeInvariants::onCommit(const FakeZooKeeper::Commit &commit)
{
    const auto &operations = std::get<zk::MultiRequest>(commit.call->request).transaction.operations();
    const auto *job = std::get_if<Transaction::Create>(&operations.front());
    if (!job || job->mode != zk::CreateMode::PersistentSequential)
        return {};
    const zk::Path path = commit.call->response.results.front().path;
    const QByteArray queue = path.parent().name();
    const QString key = jobs::JobSpec::decode(job->data, queue, 0).dedupe;
    if (key.isEmpty())
        return {};
    const zk::Path mark = m_layout.dedupe(queue, key);
    if (std::none_of(operations.begin(), operations.end(), [&](const auto &one) { return writes(one, mark); }))
        return {}; // it was moved here
    const jobs::JobId id = jobs::QueueEntry::parse(path.name())->idIn(queue);
    const auto [known, isNew] = m_jobs.try_emplace(mark, id);
    const jobs::JobId before = std::exchange(known->second, id);
    if (!isNew && !m_deleted.contains(before))
        return QStringLiteral("%1 was submitted under the key of %2").arg(id.toString(), before.toString());
    return {};
}

QString DedupeInvariants::onAcknowledged(const jobs::JobId &id, const jobs::JobSpec &submitted) const
{
    if (submitted.dedupe.isEmpty() || m_deleted.contains(id))
        return {};
    const auto known = m_jobs.find(m_layout.dedupe(submitted.queue, submitted.dedupe));
    if (known == m_jobs.end() || known->second != id)
        return QStringLiteral("%1 does not stand for the key of %2").arg(id.toString(), submitted.key);
    return {};
}

} // namespace drover::test
