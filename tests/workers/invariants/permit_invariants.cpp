#include "workers/invariants/permit_invariants.h"

#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "recipes/blocks/line.h"

#include <QtEndian>

#include <algorithm>

namespace drover::test {

void PermitInvariants::onPermits(const zk::Path &path, zk::Zxid zxid)
{
    const FakeTree::Znode *node = m_server.tree().find(path);
    if (path.parent().parent() == m_layout.limits() && node && node->data.size() == sizeof(qint32))
        m_permits[path.parent().bytes()][zxid] = qFromBigEndian<qint32>(node->data.constData());
}

void PermitInvariants::onSettings(const QByteArray &queue)
{
    if (jobs::QueueSettings::of(m_server.tree().find(m_layout.queue(queue))->data).limit > 0)
        return;
    for (auto &[id, claim] : m_claims) {
        if (id.queue == queue)
            claim.limits.removeAll(jobs::Layout::limitOfQueue(queue));
    }
}

// The claim has checked that its queue's settings are what they were when the job was read.
void PermitInvariants::onClaim(const jobs::JobId &id, int attempt, const jobs::JobSpec &spec)
{
    Limited &claim = m_claims[id] = {attempt, {}};
    for (const QString &name : spec.limits)
        claim.limits.append(name.toLatin1());
    if (jobs::QueueSettings::of(m_server.tree().find(m_layout.queue(id.queue))->data).limit > 0)
        claim.limits.append(jobs::Layout::limitOfQueue(id.queue));
}

QString PermitInvariants::onBegun(const jobs::JobId &id, zk::SessionId session)
{
    const Limited &claim = m_claims[id];
    if (claim.limits.isEmpty())
        return {};
    ++m_begun;
    m_limits[{id.bytes(), claim.attempt}] = claim.limits;
    for (const QByteArray &limit : claim.limits) {
        if (!m_meddled.contains(m_layout.limit(limit).bytes()) && !hasPermit(limit, id, session))
            return QStringLiteral("%1 began without a permit of %2").arg(id.toString(), QString::fromLatin1(limit));
    }
    return {};
}

bool PermitInvariants::hasPermit(const QByteArray &limit, const jobs::JobId &id, zk::SessionId session) const
{
    const zk::Path path = m_layout.limit(limit) / "leases";
    const FakeTree::Znode *leases = m_server.tree().find(path);
    if (!leases)
        return false;
    const QByteArrayList line =
        recipes::sortedBySequence(QByteArrayList(leases->children.begin(), leases->children.end()));
    for (qsizetype ahead = 0; ahead < line.size(); ++ahead) {
        const FakeTree::Znode *lease = m_server.tree().find(path / line[ahead]);
        if (lease->data == id.bytes() && lease->stat.ephemeralOwner == session)
            return ahead < mostPermits(limit, lease->stat.czxid);
    }
    return false;
}

int PermitInvariants::mostPermits(const QByteArray &limit, zk::Zxid since) const
{
    const auto known = m_permits.find(m_layout.limit(limit).bytes());
    if (known == m_permits.end())
        return jobs::UnsetPermits;
    auto from = known->second.upper_bound(since);
    if (from != known->second.begin())
        --from; // what was in force then
    int most = 0;
    for (; from != known->second.end(); ++from)
        most = std::max(most, from->second);
    return most;
}

QStringList PermitInvariants::checkExecutions(const std::vector<Execution> &witness) const
{
    QStringList violations;
    const auto limitsOf = [this](const Execution &one) {
        const auto found = m_limits.find({one.job, one.attempt});
        return found == m_limits.end() ? QByteArrayList() : found->second;
    };
    for (const Execution &one : witness) {
        for (const QByteArray &limit : limitsOf(one)) {
            const auto running = std::count_if(witness.begin(), witness.end(), [&](const Execution &other) {
                return other.from <= one.from && other.until > one.from && limitsOf(other).contains(limit);
            });
            if (running > mostPermits(limit, 0))
                violations.append(QStringLiteral("%1 jobs ran at the same time under limit %2")
                                      .arg(running)
                                      .arg(QString::fromLatin1(limit)));
        }
    }
    return violations;
}

} // namespace drover::test
