#pragma once

#include "async/post_guard.h"
#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/master/waiting/job_observer.h"
#include "zk/client.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace drover::workers {

// Follows the jobs that other jobs wait for, and knows the state of each.
//
//     look at the job (JobObserver); until it is over, wait for a watch to fire, and look again
//     it was moved to another queue: follow the new job there
//     its end is unknown: another master's history may know it, so look again every five minutes
//
// A session cannot have a watch for each of 50,000 jobs, so only MaxWatched jobs have one. Jobs that wait themselves,
// as in a long chain, will not end soon: they get a watch only while there is room to spare. The other jobs are looked
// for every few seconds: one listing of their queue shows which of them are gone. A job that is deleted by hand leaves
// no record, so no watch fires. Watched jobs are looked for in the same way every half minute.
//
// After a failure, but for the session's end, a look is repeated (superviseWatch).
class DependencyWatcher
{
public:
    static constexpr int MaxWatched = 3000; // with the longest names, two thirds of what a session may watch
    static constexpr int MaxWatchedThatWait = 1000; // a job that waits gets a watch only below this number

    using State = JobObserver::State;

    // `onChange` is called when the state of a job has changed or the job was moved to another queue. It is called from
    // the loop, never from within a call. `history` outlives this; null: none is kept.
    DependencyWatcher(jobs::Cluster cluster, MasterHistory *history,
                      std::function<void(const jobs::JobId &id)> onChange);

    enum class Milestone { Begun, Ended };

    // The present state; follows the job from the first call on. `waits`: the job is waiting itself, so it gets a watch
    // last. The state Begun is reported only after a call with that milestone.
    State stateOf(const jobs::JobId &id, Milestone milestone, bool waits);
    void noLongerWaits(const jobs::JobId &id);
    // Its present id: another one once the job is followed and was moved to another queue.
    jobs::JobId whereIs(const jobs::JobId &id) const
    {
        const auto followed = m_followed.find(id);
        return followed == m_followed.end() ? id : followed->second.at;
    }
    bool hasMoved(const jobs::JobId &id) const { return whereIs(id) != id; }
    void forget(const jobs::JobId &id);

private:
    struct Followed {
        State state = State::Open;
        jobs::JobId at{}; // its present id; changes when it is moved
        bool asBegun = false; // its beginning matters
        bool waits = false;
        std::unique_ptr<async::TaskGroup> task{}; // null: not watched
    };
    class Place; // among the watched jobs

    void watchSome();
    void watch(const jobs::JobId &id);
    void watchSomeSoon();
    async::Task<void> keepLooking();
    async::Task<void> lookForUnwatched();
    async::Task<void> keepChecking();
    async::Task<void> lookForDeleted();
    async::Task<void> lookForThoseOf(QByteArray queue, std::vector<jobs::JobId> ids);
    async::Task<void> follow(jobs::JobId id);
    async::Task<void> untilOver(jobs::JobId id);
    async::Task<bool> look(jobs::JobId id, zk::Watch &ended, zk::Watch &begins);
    bool isBeginAwaited(const jobs::JobId &id) const;
    bool isUnknown(const jobs::JobId &id) const
    {
        const auto followed = m_followed.find(id);
        return followed != m_followed.end() && followed->second.state == State::Unknown;
    }
    void tellOf(const jobs::JobId &id);
    void set(const jobs::JobId &id, State state);

    jobs::Cluster m_cluster;
    JobObserver m_observer;
    std::function<void(const jobs::JobId &id)> m_onChange;
    async::PostGuard m_guard;
    int m_watched = 0;
    std::set<std::pair<bool, jobs::JobId>> m_unwatched; // jobs that wait themselves are the last
    std::map<jobs::JobId, Followed> m_followed;
    async::TaskGroup m_checking;
    async::TaskGroup m_looking; // last: its task and those of m_followed use the rest
};

} // namespace drover::workers
