#pragma once

#include "async/offload.h"
#include "history/error.h"
#include "history/store.h"

namespace drover::history {

// The finished jobs of clusters in an SQL database. It serves the thread of `loop` and never blocks it: the connection
// lives on a thread of its own, which the first call starts. That thread carries out the calls one after the other.
//
// Every call throws HistoryError if the database does not answer; the next call connects again. Destroying a task
// forgets the answer; the work goes on.
class History
{
public:
    History(async::Loop &loop, Location location, OpenMode access);
    ~History();

    const Location &location() const { return m_location; }

    // Each call awaits the function of that name in Store.
    async::Task<qint64> archive(ArchiveBatch batch);
    async::Task<Page> query(Query query);
    async::Task<qint64> count(Query query);
    async::Task<std::optional<Cursor>> skip(Query query, qint64 jobs);
    async::Task<std::vector<GroupTotals>> summarize(Query query, GroupBy by);
    async::Task<qint64> prune(QByteArray cluster, Retention retention, Term term = {});
    async::Task<Coverage> coverage(QByteArray cluster);

private:
    class Thread;

    template <typename T>
    async::Task<T> onThread(std::function<T(Store &)> work);

    async::Loop &m_loop;
    Location m_location;
    std::shared_ptr<Thread> m_thread; // shared with calls in progress
};

} // namespace drover::history
