#pragma once

#include "jobs/layout.h"
#include "recipes/mutex.h"
#include "workers/history_line.h"

namespace drover::workers {

// What masters write into the history, under its write lock where several machines share the file, so that two masters
// do not rely on its file system's locks alone.
//
// A call goes on to its end once it has begun (HistoryLine), and its lock stays until then. So this goes with the
// session, whose end frees the lock in any case; what guards then stands in core/history/README.md.
class HistoryWriter
{
public:
    static constexpr std::chrono::seconds Patience{60};

    // `history` and its `line` outlive it. Outlives its tasks.
    HistoryWriter(zk::Coordinator &zk, jobs::Layout layout, history::History &history, HistoryLine &line);

    const history::Location &location() const { return m_history.location(); }

    // Of History. Also throw HistoryError when there is no answer, or no lock, within Patience, and at once while an
    // earlier call has had none in time; SessionLost.
    async::Task<qint64> archive(history::Batch batch);
    async::Task<qint64> prune(history::Retention retention, history::Term term);

private:
    async::Task<qint64> write(async::Task<qint64> call);
    async::Task<std::optional<recipes::Lock>> writeLock();

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    history::History &m_history;
    HistoryLine &m_line;
};

} // namespace drover::workers
