#pragma once

#include "recipes/fence.h"
#include "workers/job_ends.h"

#include <deque>
#include <set>

namespace drover::workers {

// The master's duty towards jobs that wait, for a time or for other jobs.
//
//     read those that are new, many reads in flight
//     whose time has come and whose dependencies are satisfied:      check(master) ; move the job to those that are
//     ready whose dependencies can no longer be satisfied:                 check(master) ; delete the job ; create
//     done/<id> many of both in one transaction; then wait for the next time, the end of a job, or another that waits
//
// Everything it knows it has from the jobs' nodes, so a new master goes on where the last one stopped, and what both
// write the version of the job lets pass once. A job that somebody else has moved, cancelled or held meanwhile is
// refused and forgotten: it is listed again if it waits again.
class Promoter
{
public:
    // `history` outlives this; null: none.
    Promoter(zk::Coordinator &zk, jobs::Layout layout, history::History *history);

    // The master's jobs in one queue (WaitingFeed), of which it takes those that wait.
    void setListed(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries);

    // Throws Deposed, SessionLost.
    async::Task<void> run(recipes::Fence fence);

    std::size_t waiting() const { return m_jobs.size() + m_unread.size(); }

private:
    static constexpr std::size_t MaxSettled = 64;

    struct Job {
        jobs::QueueEntry entry;
        qint32 version = 0;
        QByteArray stored;
        jobs::JobSpec spec;
    };
    struct Verdict {
        enum class Kind { Waits, Ready, Never };
        Kind kind = Kind::Waits;
        QString reason{}; // why never
    };

    async::Task<void> readSome();
    void add(const jobs::JobId &id, Job job);
    void forget(const jobs::JobId &id);
    void check(const jobs::JobId &id);
    void checkWhoseTimeHasCome();
    Verdict judge(const Job &job);
    async::Task<void> settleSome(recipes::Fence fence);
    void append(zk::Transaction &transaction, const jobs::JobId &id, const Job &job, const Verdict &verdict) const;
    async::Task<void> untilDue();

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::deque<jobs::JobId> m_unread;
    std::map<jobs::JobId, jobs::QueueEntry> m_listed; // of m_unread
    std::map<jobs::JobId, Job> m_jobs;
    std::set<std::pair<std::chrono::milliseconds, jobs::JobId>> m_byTime; // whose time is to come
    std::map<jobs::JobId, std::set<jobs::JobId>> m_dependents; // of the jobs that are waited for
    std::set<jobs::JobId> m_toCheck;
    std::size_t m_together = MaxSettled; // jobs of one transaction
    async::Event m_wake;
    JobEnds m_ends; // last: calls check()
};

} // namespace drover::workers
