#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "history/history.h"
#include "jobs/model/cluster.h"
#include "recipes/locks/mutex.h"

#include <optional>

namespace drover::workers {

// The master's calls to its history, one at a time and each with a time limit; further calls wait for their turn. The
// history would answer them one after the other anyway, and each unanswered call would occupy a thread of
// Loop::offload.
//
// A call that has begun runs to its end even when its caller stops waiting, and the next call begins only then. So this
// outlives the terms of a master.
//
// Where several machines share the file, a write takes the history's write lock. So two masters do not rely on the
// locks of the file system alone. The write keeps its lock until it ends. The end of the session frees the lock in any
// case; core/history/README.md says what protects the file then.
class MasterHistory
{
public:
    static constexpr std::chrono::seconds WritePatience{60};
    static constexpr std::chrono::seconds QueryPatience{10};

    // `history` outlives it. Outlives its tasks.
    MasterHistory(jobs::Cluster cluster, history::History &history);

    const history::Location &location() const { return m_history.location(); }

    // These three call the functions of History. They also throw HistoryError if there is no answer within the patience
    // from the call's turn on. They do so at once while an earlier call is overdue.
    //
    // The writes throw HistoryError as well if there is no lock within the patience, and SessionLost.
    async::Task<qint64> archive(history::ArchiveBatch batch);
    async::Task<qint64> prune(history::Retention retention, history::Term term);
    // Finds how jobs ended whose final records are no longer in ZooKeeper. An empty page if the history does not exist
    // yet.
    async::Task<history::Page> query(history::Query query);

    struct Trouble {
        QString error; // one line
        std::chrono::milliseconds since{}; // Unix epoch
    };
    // Why queries fail at present; nothing once the history has answered one, or when there are no more of them.
    std::optional<Trouble> queryTrouble() const;

private:
    template <typename T>
    async::Task<T> inTurn(async::Task<T> call, std::chrono::seconds patience);
    template <typename T>
    async::Task<void> finish(async::Task<T> call, std::shared_ptr<async::Promise<T>> promise);
    async::Task<qint64> write(async::Task<qint64> call);
    async::Task<std::optional<recipes::Lock>> writeLock();
    void requireAnswers(std::chrono::seconds patience) const;
    history::HistoryError noAnswer(std::chrono::seconds patience) const;
    void noteFailedQuery(const QString &why);

    jobs::Cluster m_cluster;
    history::History &m_history;
    bool m_calling = false; // a call has no answer yet
    async::TimePoint m_begun{}; // of that call
    async::Timer m_limit; // of that call
    async::Event m_changed; // notified when the call ends or a waiter times out
    std::optional<Trouble> m_queryTrouble;
    async::TimePoint m_latestFailure{}; // of a query
    async::TaskGroup m_calls; // last: its tasks use the rest
};

} // namespace drover::workers
