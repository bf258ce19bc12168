#pragma once

#include "recipes/fence.h"
#include "workers/job_ends.h"
#include "workers/namesakes.h"
#include "workers/server_clock.h"
#include "workers/troubles.h"

#include <deque>
#include <set>

namespace drover::workers {

// The master's duty towards jobs that wait, for a time or for other jobs.
//
//     read those that are new, many reads in flight
//     whose time has come and whose dependencies are satisfied:  check(master) ; move the job to those that are ready
//     whose dependencies can no longer be satisfied:             check(master) ; delete the job ; create done/<id>
//     many of both in one transaction; then wait for the next time, the end of a job, or another that waits
//
// A singleton waits for one at a time: of the earlier jobs of its name that have not ended, the one that was submitted
// last (Namesakes). When that has ended it asks for the next. So a row of singletons is a chain, in which each end
// wakes one. Retried, requeued, held jobs and arrays have not ended. One that was moved to another queue has, here.
//
// Everything it knows it has from the jobs' nodes, so a new master goes on where the last one stopped, and what both
// write the version of the job lets pass once. A job that somebody else has changed meanwhile is refused and read again.
// If it was moved, cancelled or held it is not there any more, and is listed again if it waits again; otherwise it still
// waits here. What is refused twice as it was read stays where it is; so does what is too large to be moved,
// or may not be changed, and Troubles says so.
//
// A job whose dependency has ended, nobody knows how, goes on waiting unless any end satisfies it. No job's time comes
// while this machine's clock is not known to agree with the servers'.
class Promoter
{
public:
    // All that is referred to outlives this. No history: none is kept.
    Promoter(zk::Coordinator &zk, jobs::Layout layout, HistoryReader *history, const ServerClock &clock,
             Troubles &troubles);
    ~Promoter();

    // The master's jobs in one queue (WaitingFeed), of which it takes those that wait.
    void setListed(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries);

    // Throws Deposed, SessionLost.
    async::Task<void> run(recipes::Fence fence);

    // Whether this job's end decides about one that waits, so that its record should not be deleted yet: the next master
    // reads it again. Certain only once all that is listed is read.
    bool awaits(const jobs::JobId &id) const { return m_dependents.contains(id); }
    bool hasReadAll() const { return m_unread.empty() && !m_reading; }

private:
    static constexpr std::size_t MaxSettled = 64;

    struct Job {
        jobs::QueueEntry entry;
        qint32 version = 0;
        QByteArray stored;
        jobs::JobSpec spec;
        std::optional<jobs::JobId> behind{}; // a singleton's: the one of its name that it waits for now
        bool refused = false; // as it is here
    };
    struct Verdict {
        enum class Kind { Waits, Ready, Never };
        Kind kind = Kind::Waits;
        QString reason{}; // why never
    };

    async::Task<void> readSome();
    void readLater(const jobs::JobId &id, const jobs::QueueEntry &entry);
    async::Task<void> onRefused(jobs::JobId id);
    bool hasCome(std::chrono::milliseconds notBefore) const;
    void noteUnknown(const jobs::JobId &on, JobEnds::Fate fate);
    void readThoseThatWaitForUnknown();
    void leave(const jobs::JobId &id, const char *why);
    void add(const jobs::JobId &id, Job job);
    void forget(const jobs::JobId &id);
    void depend(const jobs::JobId &id, const jobs::JobId &on);
    void forgetDependency(const jobs::JobId &id, const jobs::JobId &on);
    JobEnds::Fate fateOf(const jobs::JobId &id, jobs::Dependency::Kind kind);
    void checkWhoseTimeHasCome();
    Verdict judge(const jobs::JobId &id, Job &job);
    bool isBehind(const jobs::JobId &id, Job &job);
    void stepBehind(const jobs::JobId &id, Job &job, const std::optional<jobs::JobId> &other);
    void checkSingletons(const QByteArray &queue);
    async::Task<void> settleSome(recipes::Fence fence);
    zk::Transaction operationsFor(const jobs::JobId &id, const Job &job, const Verdict &verdict) const;
    async::Task<void> untilDue();

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    const ServerClock &m_clock;
    Troubles &m_troubles;
    std::set<QString> m_troubled; // subjects
    std::set<jobs::JobId> m_unknown; // that others wait for, and of which nobody knows how they have ended
    async::TimePoint m_nextLook{};
    std::deque<jobs::JobId> m_unread;
    std::map<jobs::JobId, jobs::QueueEntry> m_listed; // of m_unread
    bool m_reading = false; // some that are in neither m_unread nor m_jobs
    std::map<jobs::JobId, Job> m_jobs;
    std::set<std::pair<std::chrono::milliseconds, jobs::JobId>> m_byTime; // whose time is to come
    std::map<jobs::JobId, std::set<jobs::JobId>> m_dependents; // of the jobs that are waited for
    std::map<QByteArray, std::set<jobs::JobId>> m_singletons; // by queue
    std::set<jobs::JobId> m_toCheck;
    std::size_t m_together = MaxSettled; // jobs of one transaction
    async::Event m_wake;
    Namesakes m_namesakes;
    JobEnds m_ends; // last: it and the one before tell what is to be checked
};

} // namespace drover::workers
