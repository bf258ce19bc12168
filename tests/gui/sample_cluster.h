#pragma once

#include "jobs/client/job_lookup.h"
#include "recipes/elections/group.h"
#include "recipes/elections/leader_latch.h"
#include "recipes/locks/mutex.h"

namespace drover::test {

// A small cluster as three workers would leave it, written through one session with no process behind it: jobs in every
// state, workers with a master, locks held and waited for, and some nodes that hold what they should not. For tests and
// pictures of the console.
class SampleCluster
{
public:
    SampleCluster(zk::Client &zk, const QByteArray &cluster) : m_zk(zk), m_layout(cluster) { }

    // Begins with an empty cluster. What is ephemeral lives as long as the session.
    async::Task<void> fill();

    // Three workers; the first is the master.
    async::Task<void> addWorkers();
    // Returns the new job's id.
    async::Task<jobs::JobId> addJob(jobs::JobSpec spec);
    async::Task<void> claim(jobs::JobId id, QString worker);
    async::Task<void> finish(jobs::JobId id, jobs::FinalRecord::Outcome outcome, int code, QByteArray tail);
    // The first holds the lock, the others wait in this order.
    async::Task<void> addLock(QByteArray name, QByteArrayList contenders);
    async::Task<void> addMalformed();

    const jobs::Layout &layout() const { return m_layout; }

    static jobs::JobSpec spec(const QStringList &command, const QByteArray &queue = QByteArrayLiteral("default"));

private:
    zk::Client &m_zk;
    jobs::Layout m_layout;
    std::vector<recipes::Ticket> m_tickets;
    std::vector<recipes::Membership> m_members;
    std::map<jobs::JobId, jobs::JobSpec> m_specs;
};

} // namespace drover::test
