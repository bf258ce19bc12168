#pragma once

#include "async/task_group.h"
#include "jobs/layout.h"
#include "jobs/records.h"
#include "workers/history_reader.h"
#include "zk/coordinator.h"

#include <functional>
#include <map>
#include <memory>

namespace drover::workers {

// What has become of jobs that others wait for. One task and two watches for each that is asked about, until it has
// ended.
//
//     exists(done/<id>), exists(claims/<id>), with watches
//     in done/: its record tells
//     in its queue: wait for one of the two watches, look again
//     its claim tells whether it has begun: one that waits at its worker has not; the watch sees that change, too
//     an array in its queue, which nobody claims: its node in the place of the claim; begun once a task was unfolded
//     nowhere: the history tells, if one is kept; otherwise it is forgotten. While the history fails or does not answer
//              it is asked again and again, and the job is open
//
// What fails, but for the session, is logged and tried again after 5 s.
class JobEnds
{
public:
    enum class Fate {
        Open, // not known yet, or unfinished and not begun
        Begun,
        Succeeded,
        Failed, // or cancelled
        Forgotten, // it has ended so long ago that nobody knows how, or has never been
    };

    // `onChange` is called from the loop, never from within a call, when the fate of one has changed. `history`
    // outlives this; null: none.
    JobEnds(zk::Coordinator &zk, jobs::Layout layout, HistoryReader *history,
            std::function<void(const jobs::JobId &id)> onChange);

    Fate of(const jobs::JobId &id); // follows it from now on, if it was not asked about before
    void forget(const jobs::JobId &id);

private:
    struct Followed {
        Fate fate = Fate::Open;
        std::unique_ptr<async::TaskGroup> task;
    };

    async::Task<void> follow(jobs::JobId id);
    async::Task<void> untilOver(jobs::JobId id);
    async::Task<bool> look(jobs::JobId id, zk::Watch &ended, zk::Watch &begins);
    async::Task<bool> lookAtArray(jobs::JobId id, zk::Path node, zk::Watch &begins);
    async::Task<void> askHistory(jobs::JobId id);
    void set(const jobs::JobId &id, Fate fate);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    HistoryReader *m_history;
    std::function<void(const jobs::JobId &id)> m_onChange;
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what is posted
    std::map<jobs::JobId, Followed> m_followed; // last: its tasks use the rest
};

} // namespace drover::workers
