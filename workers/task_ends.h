#pragma once

#include "jobs/layout.h"
#include "jobs/records.h"
#include "workers/history_reader.h"
#include "zk/coordinator.h"

#include <QHash>

namespace drover::workers {

// How a task ended, as far as its array counts it.
struct TaskEnd {
    bool cancelled = false;
    int exitCode = 0;
    std::chrono::milliseconds at{}; // Unix epoch, its worker's clock
};

// How tasks ended that are no longer in their queue.
//
//     get(done/<task>), many in one flight
//     not there: the archiver, this master's or an earlier one's, has moved it to the history
//     in neither: somebody has deleted the task by hand, which cancels it
class TaskEnds
{
public:
    // `history` outlives this; null: none is kept.
    TaskEnds(zk::Coordinator &zk, jobs::Layout layout, HistoryReader *history)
        : m_zk(zk), m_layout(std::move(layout)), m_history(history)
    {
    }

    // One for each of `ids`, all of one queue; nothing where the history does not answer, which HistoryReader tells: ask
    // again after its RetryPause. The history may know jobs of the same ids that ended before the queue was made, in an
    // earlier one of that name. Waits out lost connections; throws SessionLost.
    async::Task<std::vector<std::optional<TaskEnd>>> of(std::vector<jobs::JobId> ids);

private:
    async::Task<bool> askHistory(std::vector<jobs::JobId> ids, QHash<jobs::JobId, TaskEnd> &ends);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    HistoryReader *m_history;
};

} // namespace drover::workers
