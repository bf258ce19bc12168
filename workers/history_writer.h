#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "history/history.h"
#include "jobs/layout.h"
#include "recipes/mutex.h"

namespace drover::workers {

// What masters write into the history: one call at a time, and under its write lock where several machines share the
// file, so that two masters do not rely on its file system's locks alone.
//
// A call goes on to its end once it has begun, whoever stops waiting for it: deposed masters, and those who have waited
// for Patience. Its lock stays until then. So this outlives the terms of a master and goes with the session, whose end
// frees the lock in any case; what guards then stands in core/history/README.md.
class HistoryWriter
{
public:
    static constexpr std::chrono::seconds Patience{60};

    // `history` outlives it. Outlives its tasks.
    HistoryWriter(zk::Coordinator &zk, jobs::Layout layout, history::History &history);

    const history::Location &location() const { return m_history.location(); }

    // Of History. Also throw HistoryError when there is no answer, or no lock, within Patience, and at once while an
    // earlier call has no answer; SessionLost.
    async::Task<qint64> archive(history::Batch batch);
    async::Task<qint64> prune(history::Retention retention, history::Term term);

private:
    async::Task<qint64> inTime(async::Task<qint64> call);
    async::Task<qint64> underLock(async::Task<qint64> call);
    async::Task<void> finish(async::Task<qint64> call, std::optional<recipes::Lock> lock,
                             async::Promise<qint64> answer);
    async::Task<std::optional<recipes::Lock>> writeLock();
    history::HistoryError noAnswer() const;

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    history::History &m_history;
    bool m_calling = false; // the history has not answered yet
    async::TaskGroup m_calls; // last: see there
};

} // namespace drover::workers
