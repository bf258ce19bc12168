#pragma once

#include "async/task_group.h"
#include "jobs/layout.h"
#include "jobs/records.h"
#include "workers/history_reader.h"
#include "zk/coordinator.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace drover::workers {

// What has become of jobs that others wait for.
//
//     exists(done/<id>), with a watch
//     in done/: its record tells; if it was moved to another queue, look for the job that it has become there
//     in its queue: wait for the watch, look again
//     if its beginning matters: exists(claims/<id>), with a watch, and its claim tells: one that waits at its worker has
//              not begun; the watch sees that change, too
//     an array in its queue, which nobody claims: its node in the place of the claim; begun once a task was unfolded
//     nowhere: the history tells, if one is kept; otherwise it is forgotten. While the history fails or does not answer
//              it is asked again and again, and the job is open. If the history does not know the job, how it has ended
//              is unknown: another master's history may know it, so it is looked for again every five minutes
//
// A session cannot have a watch for each of 50,000 jobs. So only MaxWatched have theirs, and of those that wait
// themselves and so will not end soon, as in a long chain, only as many as leave room for others. Whose watch goes
// leaves its place to the next. The others are looked for every few seconds: one listing of their queue tells which of
// them are gone. A job that somebody deletes by hand leaves no record, so that no watch fires: those that are watched are
// looked for in the same way, every half minute.
//
// What fails, but for the session, is tried again (keepFollowing).
class JobEnds
{
public:
    static constexpr int MaxWatched = 3000; // of the longest names: two thirds of what a session may watch
    static constexpr int MaxWatchedThatWait = 1000; // watched in all, when one that waits gets a watch

    enum class Fate {
        Open, // not known yet, or unfinished and not begun
        Begun,
        Succeeded,
        Failed, // or cancelled
        Forgotten, // ZooKeeper does not know it, and no history is kept: it ended long ago, or has never been
        Unknown, // nor does the history that is kept here; another master's may
    };

    // `onChange` is called from the loop, never from within a call, when the fate of one has changed or
    // it was moved to another queue. `history`
    // outlives this; null: none.
    JobEnds(zk::Coordinator &zk, jobs::Layout layout, HistoryReader *history,
            std::function<void(const jobs::JobId &id)> onChange);

    enum class Until { Begun, Ended };

    // Follows it from now on, if it was not asked about before. `waits`: it waits itself, as far as is known. Begun is
    // told only if somebody has asked for that.
    Fate of(const jobs::JobId &id, Until until, bool waits);
    void noLongerWaits(const jobs::JobId &id);
    // Whether it is followed, and known to have become a job in another queue.
    bool hasMoved(const jobs::JobId &id) const { return whereIs(id) != id; }
    void forget(const jobs::JobId &id);

private:
    struct Followed {
        Fate fate = Fate::Open;
        jobs::JobId at{}; // the job that it is now: another, once it has been moved to another queue
        bool asBegun = false; // its beginning matters
        bool waits = false;
        std::unique_ptr<async::TaskGroup> task{}; // null: not watched
    };
    class Place; // among those that are watched

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
    jobs::JobId whereIs(const jobs::JobId &id) const
    {
        const auto followed = m_followed.find(id);
        return followed == m_followed.end() ? id : followed->second.at;
    }
    bool moveOn(const jobs::JobId &id, const jobs::FinalRecord &record);
    bool isBeginAwaited(const jobs::JobId &id) const;
    bool isUnknown(const jobs::JobId &id) const
    {
        const auto followed = m_followed.find(id);
        return followed != m_followed.end() && followed->second.fate == Fate::Unknown;
    }
    void tellOf(const jobs::JobId &id);
    void set(const jobs::JobId &id, Fate fate);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    HistoryReader *m_history;
    std::function<void(const jobs::JobId &id)> m_onChange;
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what is posted
    int m_watched = 0;
    std::set<std::pair<bool, jobs::JobId>> m_unwatched; // those that wait themselves are the last
    std::map<jobs::JobId, Followed> m_followed;
    async::TaskGroup m_checking;
    async::TaskGroup m_looking; // last: its task and those of m_followed use the rest
};

} // namespace drover::workers
