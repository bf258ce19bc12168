#pragma once

#include "async/offload.h"
#include "history/error.h"
#include "history/store.h"

namespace drover::history {

// The finished jobs of clusters in an SQL database, for the thread of `loop`, which it never blocks: the connection
// lives on a thread of its own, made with the first call, and calls are answered there one after the other.
//
// Every call throws HistoryError when the database does not answer; the next one connects again. Destroying a task
// forgets the answer, not the work.
class History
{
public:
    History(async::Loop &loop, Location location, Access access);
    ~History();

    const Location &location() const { return m_location; }

    // Of Store, awaited.
    async::Task<qint64> archive(Batch batch);
    async::Task<Page> query(Query query);
    async::Task<qint64> count(Query query);
    async::Task<std::vector<Group>> summarize(Query query, GroupBy by);
    async::Task<qint64> prune(QByteArray cluster, Retention retention, Term term = {});
    async::Task<Coverage> coverage(QByteArray cluster);

private:
    class Thread;

    template <typename T>
    async::Task<T> onThread(std::function<T(Store &)> work);

    async::Loop &m_loop;
    Location m_location;
    std::shared_ptr<Thread> m_thread; // shared with the work that goes on
};

} // namespace drover::history
