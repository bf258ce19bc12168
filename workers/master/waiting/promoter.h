#pragma once

#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"
#include "workers/master/waiting/waiting_jobs.h"

namespace drover::workers {

// The master's duty towards jobs that wait, for a time or for other jobs (WaitingJobs).
//
//     read the new ones, many reads in flight
//     time has come and dependencies are satisfied:    check(master) ; move the job to the ready ones
//     a dependency can no longer be satisfied:         check(master) ; delete the job ; create done/<id>
//     many of both in one transaction; then wait for the next time, the end of a job, or another job that waits
//
// All of its knowledge comes from the jobs' nodes, so a new master goes on where the last one stopped. If both write,
// the job's version lets only one write pass. A job that another client has changed meanwhile is refused and read
// again. If it was moved, cancelled or held, it is no longer there, and is listed again when it waits again; otherwise
// it still waits here. A job that is refused twice in the version that was read stays where it is. A job that cannot be
// read, is too large to be moved or may not be changed is set aside for a while (SetAside).
class Promoter
{
public:
    // All that is referred to outlives this. `history` is null if none is kept.
    Promoter(jobs::Cluster cluster, MasterHistory *history, const zk::ServerClock &clock, Troubles &troubles);

    // The master's entries in one queue, as MasterQueueWatch reports them; it takes the jobs that wait.
    void setListed(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries)
    {
        m_waiting.setListed(queue, entries);
    }

    // Throws Deposed, SessionLost.
    async::Task<void> run(recipes::Fence fence);

    // Whether a job waits for the end of this one: its record should not be deleted yet, because the next master reads
    // it again. Certain only after hasReadAll().
    bool awaits(const jobs::JobId &id) const { return m_waiting.awaits(id); }
    bool hasReadAll() const { return !m_waiting.hasUnread() && !m_reading; }

private:
    static constexpr std::size_t MaxSettled = 64;

    using Job = WaitingJobs::Job;
    using Verdict = WaitingJobs::Verdict;

    async::Task<void> readSome();
    async::Task<void> settleSome(recipes::Fence fence);
    zk::Transaction operationsFor(const jobs::JobId &id, const Job &job, const Verdict &verdict) const;
    async::Task<void> onRefused(jobs::JobId id);
    async::Task<void> untilDue();

    jobs::Cluster m_cluster;
    DutyTroubles m_troubles;
    bool m_reading = false; // jobs that have left m_waiting to be read
    std::size_t m_together = MaxSettled; // at most so many jobs in one transaction
    async::Event m_wake;
    WaitingJobs m_waiting; // last: its callback uses the rest
};

} // namespace drover::workers
