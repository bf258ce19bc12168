#pragma once

#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"
#include "workers/master/waiting/dependency_watcher.h"
#include "workers/master/waiting/same_name_jobs.h"
#include "workers/master/waiting/start_times.h"
#include "workers/master/waiting/unknown_ends.h"

#include <deque>
#include <set>

namespace drover::workers {

// The master's duty towards jobs that wait, for a time or for other jobs.
//
//     read the new ones, many reads in flight
//     time has come and dependencies are satisfied:    check(master) ; move the job to the ready ones
//     a dependency can no longer be satisfied:         check(master) ; delete the job ; create done/<id>
//     many of both in one transaction; then wait for the next time, the end of a job, or another job that waits
//
// A singleton waits for one job at a time: the last submitted of the earlier jobs of its name that have not ended
// (SameNameJobs). When that has ended it asks for the next. So a row of singletons is a chain, in which each end wakes
// one job. Retried, requeued and held jobs and arrays have not ended. A job that was moved to another queue has ended
// for the singletons of its old queue. In its new queue it comes last, maybe behind a job that waits for it. A moved
// singleton passes over such jobs, or both would wait for ever.
//
// All of its knowledge comes from the jobs' nodes, so a new master goes on where the last one stopped. If both write,
// the job's version lets only one write pass. A job that another client has changed meanwhile is refused and read
// again. If it was moved, cancelled or held, it is no longer there, and is listed again when it waits again; otherwise
// it still waits here. A job that is refused twice in the version that was read stays where it is. So does a job that
// is too large to be moved or may not be changed, which Troubles reports.
//
// A job whose dependency has ended in an unknown way goes on waiting unless any end satisfies it. The time of a job
// does not come unless this machine's clock is known to agree with the servers'.
class Promoter
{
public:
    // All that is referred to outlives this. `history` is null if none is kept.
    Promoter(jobs::Cluster cluster, HistoryReader *history, const zk::ServerClock &clock, Troubles &troubles);

    // The master's entries in one queue, as MasterQueueWatch reports them; it takes the jobs that wait.
    void setListed(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries);

    // Throws Deposed, SessionLost.
    async::Task<void> run(recipes::Fence fence);

    // Whether a job waits for the end of this one: its record should not be deleted yet, because the next master reads
    // it again. Certain only after hasReadAll().
    bool awaits(const jobs::JobId &id) const { return m_dependents.contains(id); }
    bool hasReadAll() const { return m_unread.empty() && !m_reading; }

private:
    static constexpr std::size_t MaxSettled = 64;

    struct Job {
        jobs::QueueEntry entry;
        qint32 version = 0;
        QByteArray stored;
        jobs::JobSpec spec;
        std::optional<jobs::JobId> behind{}; // the job of its name that a singleton waits for now
        bool refused = false; // its present version was refused before
    };
    struct Verdict {
        enum class Kind { Waits, Ready, Never };
        Kind kind = Kind::Waits;
        QString reason{}; // for Never
    };

    async::Task<void> readSome();
    void readLater(const jobs::JobId &id, const jobs::QueueEntry &entry);
    async::Task<void> onRefused(jobs::JobId id);
    void readThoseThatWaitForUnknown();
    void leave(const jobs::JobId &id, const char *why);
    void add(const jobs::JobId &id, Job job);
    void forget(const jobs::JobId &id);
    void forgetDependency(const jobs::JobId &id, const jobs::JobId &on);
    DependencyWatcher::State stateOf(const jobs::JobId &id, jobs::Dependency::Kind kind);
    Verdict judge(const jobs::JobId &id, Job &job);
    bool isBehind(const jobs::JobId &id, Job &job);
    void noteMoved(const jobs::JobId &on);
    bool waitsFor(const jobs::JobId &id, const jobs::JobId &on) const; // through any number of other jobs
    void stepBehind(const jobs::JobId &id, Job &job, const std::optional<jobs::JobId> &other);
    void checkSingletons(const QByteArray &queue);
    async::Task<void> settleSome(recipes::Fence fence);
    zk::Transaction operationsFor(const jobs::JobId &id, const Job &job, const Verdict &verdict) const;
    async::Task<void> untilDue();

    jobs::Cluster m_cluster;
    DutyTroubles m_troubles;
    UnknownEnds m_unknownEnds; // of dependencies
    std::deque<jobs::JobId> m_unread;
    std::map<jobs::JobId, jobs::QueueEntry> m_listed; // the entries of m_unread
    bool m_reading = false; // jobs that are in neither m_unread nor m_jobs
    std::map<jobs::JobId, Job> m_jobs;
    StartTimes m_startTimes;
    std::map<jobs::JobId, std::set<jobs::JobId>> m_dependents; // the jobs that wait, by the job they wait for
    std::map<QByteArray, std::set<jobs::JobId>> m_singletons; // by queue
    std::set<jobs::JobId> m_movedHere; // other jobs wait for their old ids
    std::set<jobs::JobId> m_toCheck;
    std::size_t m_together = MaxSettled; // at most so many jobs in one transaction
    async::Event m_wake;
    SameNameJobs m_sameNameJobs;
    DependencyWatcher m_dependencies; // last: its and m_sameNameJobs' callbacks use the rest
};

} // namespace drover::workers
