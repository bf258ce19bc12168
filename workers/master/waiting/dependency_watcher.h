#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/master/history/history_reader.h"
#include "zk/client.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace drover::workers {

// Follows the jobs that other jobs wait for, and knows the state of each.
//
//     exists(done/<id>), with a watch
//     in done/: the record says how it ended; if it was moved to another queue, follow the new job there
//     in its queue: wait for the watch, look again
//     if its beginning matters: exists(claims/<id>), with a watch, and read the claim: a job that waits at its worker
//              has not begun, and the watch fires when it begins
//     an array in its queue, which workers never claim: its node instead of the claim; begun once a task is created
//     nowhere: ask the history, if one is kept; otherwise the job is forgotten. While the history fails or does not
//              answer it is asked again, and the job stays open. If the history does not know the job, its end is
//              unknown: another master's history may know it, so it is looked for again every five minutes
//
// A session cannot have a watch for each of 50,000 jobs, so only MaxWatched jobs have one. Jobs that wait themselves,
// as in a long chain, will not end soon: they get a watch only while there is room to spare. The other jobs are looked
// for every few seconds: one listing of their queue shows which of them are gone. A job that is deleted by hand leaves
// no record, so no watch fires: watched jobs are looked for in the same way every half minute.
//
// After a failure, but for the session's end, a look is repeated (superviseWatch).
class DependencyWatcher
{
public:
    static constexpr int MaxWatched = 3000; // with the longest names, two thirds of what a session may watch
    static constexpr int MaxWatchedThatWait = 1000; // a job that waits gets a watch only below this number

    enum class State {
        Open, // not read yet, or neither begun nor ended
        Begun,
        Succeeded,
        Failed, // or cancelled
        // Not in ZooKeeper, and no history is configured: it ended long ago, or never existed.
        Forgotten,
        // Neither ZooKeeper nor this history knows how it ended; another history or a newer master may know.
        Unknown,
    };

    // `onChange` is called from the loop, never from within a call, when the state of a job has changed or the job was
    // moved to another queue. `history` outlives this; null: none is kept.
    DependencyWatcher(jobs::Cluster cluster, HistoryReader *history,
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
    async::Task<bool> lookAtArray(jobs::JobId id, zk::Path node, zk::Watch &begins);
    async::Task<bool> askHistory(jobs::JobId id);
    bool moveOn(const jobs::JobId &id, const jobs::FinalRecord &record);
    bool isBeginAwaited(const jobs::JobId &id) const;
    bool isUnknown(const jobs::JobId &id) const
    {
        const auto followed = m_followed.find(id);
        return followed != m_followed.end() && followed->second.state == State::Unknown;
    }
    void tellOf(const jobs::JobId &id);
    void set(const jobs::JobId &id, State state);

    jobs::Cluster m_cluster;
    HistoryReader *m_history;
    std::function<void(const jobs::JobId &id)> m_onChange;
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what is posted
    int m_watched = 0;
    std::set<std::pair<bool, jobs::JobId>> m_unwatched; // jobs that wait themselves are the last
    std::map<jobs::JobId, Followed> m_followed;
    async::TaskGroup m_checking;
    async::TaskGroup m_looking; // last: its task and those of m_followed use the rest
};

} // namespace drover::workers
