#pragma once

#include "jobs/model/job_spec.h"
#include "jobs/model/layout.h"
#include "support/fake/fake_zookeeper.h"
#include "workers/sim_runner.h"

#include <QSet>
#include <QStringList>

#include <map>

namespace drover::test {

// What must never happen to jobs under a limit, a named one or that of their queue; members of gangs included. Each
// call returns what has, or nothing:
//
//     -  a job begins, and its session has no permit of each of its limits, or one that never was within the limit
//     -  more processes run under a limit than it ever had permits
//
// A queue's limit counts for the jobs that are claimed and begin under it. A worker that has claimed a job may learn of
// a limit that was taken back meanwhile. A permit that was deleted by hand goes to another job, and its holder cannot
// know.
class PermitInvariants
{
public:
    PermitInvariants(FakeZooKeeper &server, jobs::Layout layout) : m_server(server), m_layout(std::move(layout)) { }

    void onPermits(const zk::Path &path, zk::Zxid zxid); // of a limit: have been set
    void onSettings(const QByteArray &queue); // have been set
    void onClaim(const jobs::JobId &id, int attempt, const jobs::JobSpec &spec);
    QString onBegun(const jobs::JobId &id, zk::SessionId session);
    void onDeletedByHand(const zk::Path &limit) { m_meddled.insert(limit.bytes()); }
    QStringList checkExecutions(const std::vector<Execution> &witness) const;

    bool isLimited(const jobs::JobId &id) const { return m_claims.contains(id) && !m_claims.at(id).limits.isEmpty(); }
    qint64 begun() const { return m_begun; } // jobs with permits, each time

private:
    struct Limited {
        int attempt = 0;
        QByteArrayList limits;
    };
    bool hasPermit(const QByteArray &limit, const jobs::JobId &id, zk::SessionId session) const;
    // The most that there have been at a time since then.
    int mostPermits(const QByteArray &limit, zk::Zxid since) const;

    FakeZooKeeper &m_server;
    jobs::Layout m_layout;
    std::map<jobs::JobId, Limited> m_claims; // the last of each job
    std::map<std::pair<QByteArray, int>, QByteArrayList> m_limits; // of the attempts that have begun
    std::map<QByteArray, std::map<zk::Zxid, int>> m_permits; // by the path of the limit, since when
    QSet<QByteArray> m_meddled; // limits, by their paths
    qint64 m_begun = 0;
};

} // namespace drover::test
