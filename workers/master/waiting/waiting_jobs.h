#pragma once

#include "jobs/model/cluster.h"
#include "workers/master/base/set_aside.h"
#include "workers/master/waiting/dependency_watcher.h"
#include "workers/master/waiting/same_name_jobs.h"
#include "workers/master/waiting/start_times.h"

#include <deque>
#include <functional>
#include <set>

namespace drover::workers {

// The jobs that wait for a time or for other jobs: what each of them waits for, and which of them to judge now. The
// Promoter reads their nodes and moves them.
//
// A singleton waits for one job at a time: the last submitted of the earlier jobs of its name that have not ended
// (SameNameJobs). When that has ended it asks for the next. So a row of singletons is a chain, in which each end wakes
// one job. Retried, requeued and held jobs and arrays have not ended. A job that was moved to another queue has ended
// for the singletons of its old queue. In its new queue it comes last, maybe behind a job that waits for it. A moved
// singleton passes over such jobs, or both would wait for ever.
//
// A job whose dependency has ended in an unknown way goes on waiting unless any end satisfies it. The time of a job
// does not come unless this machine's clock is known to agree with the servers'.
class WaitingJobs
{
public:
    using Named = std::pair<jobs::JobId, jobs::QueueEntry>;
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

    // All that is referred to outlives this. `history` is null if none is kept. `onChange` is called from the loop when
    // there may be a job to read or to judge.
    WaitingJobs(jobs::Cluster cluster, MasterHistory *history, const zk::ServerClock &clock, DutyTroubles &troubles,
                std::function<void()> onChange);

    // The master's entries in one queue: those that wait are to be read, and jobs that are no longer there are
    // forgotten.
    void setListed(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries);
    void readLater(const jobs::JobId &id, const jobs::QueueEntry &entry);
    // Jobs that are to be read, at most `most`. They have left when this returns.
    std::vector<Named> takeUnread(std::size_t most);
    bool hasUnread() const { return !m_unread.empty(); }

    void add(const jobs::JobId &id, Job job); // in the place of an earlier one
    void forget(const jobs::JobId &id);
    void setAside(const jobs::JobId &id, const jobs::QueueEntry &entry, const QString &why); // forget it meanwhile
    Job *find(const jobs::JobId &id); // null: it is not known
    // Whether a job waits for the end of this one.
    bool awaits(const jobs::JobId &id) const { return m_dependents.contains(id); }

    // Looks at the clock: jobs whose time has come are to be judged. Jobs that wait for an unknown end, and jobs that
    // were set aside, are to be read.
    void noteTime();
    // How long to wait before the next noteTime(); nothing if no job waits for a time.
    std::optional<async::Duration> untilNextTime() const;

    // A job that is to be judged; it has left when this returns.
    std::optional<jobs::JobId> takeToJudge();
    void judgeLater(const jobs::JobId &id) { m_toJudge.insert(id); }
    void judgeNoMore(const jobs::JobId &id) { m_toJudge.erase(id); }
    bool hasToJudge() const { return !m_toJudge.empty(); }
    Verdict judge(const jobs::JobId &id, Job &job);

private:
    void onEnd(const jobs::JobId &ended);
    void forgetDependency(const jobs::JobId &id, const jobs::JobId &on);
    DependencyWatcher::State stateOf(const jobs::JobId &id, jobs::Dependency::Kind kind);
    bool isBehind(const jobs::JobId &id, Job &job);
    void noteMoved(const jobs::JobId &on);
    bool waitsFor(const jobs::JobId &id, const jobs::JobId &on) const; // through any number of other jobs
    void stepBehind(const jobs::JobId &id, Job &job, const std::optional<jobs::JobId> &other);
    void checkSingletons(const QByteArray &queue);

    std::function<void()> m_onChange;
    SetAside m_unknownEnds; // dependencies: no watch reports that one was cancelled
    SetAside m_setAside;
    std::deque<jobs::JobId> m_unread;
    std::map<jobs::JobId, jobs::QueueEntry> m_listed; // the entries of m_unread
    std::map<jobs::JobId, Job> m_jobs;
    StartTimes m_startTimes;
    std::map<jobs::JobId, std::set<jobs::JobId>> m_dependents; // the jobs that wait, by the job they wait for
    std::map<QByteArray, std::set<jobs::JobId>> m_singletons; // by queue
    std::set<jobs::JobId> m_movedHere; // other jobs wait for their old ids
    std::set<jobs::JobId> m_toJudge;
    SameNameJobs m_sameNameJobs;
    DependencyWatcher m_dependencies; // last: its and m_sameNameJobs' callbacks use the rest
};

} // namespace drover::workers
