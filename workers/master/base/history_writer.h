#pragma once

#include "jobs/model/cluster.h"
#include "recipes/locks/mutex.h"
#include "workers/master/base/history_call_queue.h"

namespace drover::workers {

// Writes into the history for the master. Where several machines share the file it takes the history's write lock. So
// two masters do not rely on the locks of the file system alone.
//
// A call that has begun runs to its end (HistoryCallQueue) and keeps its lock until then. So this lives as long as the
// session, whose end frees the lock in any case; core/history/README.md says what protects the file then.
class HistoryWriter
{
public:
    static constexpr std::chrono::seconds Patience{60};

    // `history` and its `calls` outlive it. Outlives its tasks.
    HistoryWriter(jobs::Cluster cluster, history::History &history, HistoryCallQueue &calls);

    const history::Location &location() const { return m_history.location(); }

    // Call the functions of History. They also throw HistoryError if there is no answer, or no lock, within Patience,
    // and at once while an earlier call is overdue. They throw SessionLost.
    async::Task<qint64> archive(history::ArchiveBatch batch);
    async::Task<qint64> prune(history::Retention retention, history::Term term);

private:
    async::Task<qint64> write(async::Task<qint64> call);
    async::Task<std::optional<recipes::Lock>> writeLock();

    jobs::Cluster m_cluster;
    history::History &m_history;
    HistoryCallQueue &m_calls;
};

} // namespace drover::workers
