#include "history/history.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

namespace drover::history {

// Qt's connections belong to the thread that made them. No QThread: its events are dropped once the application ends,
// when work may still be waiting for its answer.
class History::Thread
{
public:
    Thread(Location location, OpenMode access) : m_location(std::move(location)), m_access(access) { }
    Thread(const Thread &) = delete;
    Thread &operator=(const Thread &) = delete;
    ~Thread()
    {
        if (!m_thread.joinable())
            return;
        enqueue(nullptr);
        m_thread.join();
    }

    // From any other thread, which waits for it.
    template <typename T>
    T call(const std::function<T(Store &)> &work)
    {
        std::packaged_task<T(Store &)> task(work);
        std::future<T> result = task.get_future();
        enqueue([&task](Store &store) { task(store); });
        return result.get();
    }

private:
    using Work = std::function<void(Store &)>;

    void enqueue(Work work)
    {
        const std::lock_guard lock(m_mutex);
        if (!m_thread.joinable())
            m_thread = std::thread([this] { run(); });
        m_queue.push_back(std::move(work));
        m_filled.notify_one();
    }

    void run()
    {
        Store store(m_location, m_access);
        while (const Work work = next())
            work(store);
    }

    Work next()
    {
        std::unique_lock lock(m_mutex);
        m_filled.wait(lock, [this] { return !m_queue.empty(); });
        Work work = std::move(m_queue.front());
        m_queue.pop_front();
        return work;
    }

    const Location m_location;
    const OpenMode m_access;
    std::mutex m_mutex;
    std::condition_variable m_filled;
    std::deque<Work> m_queue; // an empty one is the order to end
    std::thread m_thread;
};

History::History(async::Loop &loop, Location location, OpenMode access)
    : m_loop(loop), m_location(std::move(location)), m_thread(std::make_shared<Thread>(m_location, access))
{
}

History::~History() = default;

template <typename T>
async::Task<T> History::onThread(std::function<T(Store &)> work)
{
    std::function<T()> waitForIt = [thread = m_thread, work = std::move(work)] { return thread->call<T>(work); };
    return async::offload(m_loop, std::move(waitForIt));
}

async::Task<qint64> History::archive(ArchiveBatch batch)
{
    return onThread<qint64>([batch = std::move(batch)](Store &store) { return store.archive(batch); });
}

async::Task<Page> History::query(Query query)
{
    return onThread<Page>([query = std::move(query)](Store &store) { return store.query(query); });
}

async::Task<qint64> History::count(Query query)
{
    return onThread<qint64>([query = std::move(query)](Store &store) { return store.count(query); });
}

async::Task<std::optional<Cursor>> History::skip(Query query, qint64 jobs)
{
    return onThread<std::optional<Cursor>>(
        [query = std::move(query), jobs](Store &store) { return store.skip(query, jobs); });
}

async::Task<std::vector<GroupTotals>> History::summarize(Query query, GroupBy by)
{
    return onThread<std::vector<GroupTotals>>(
        [query = std::move(query), by](Store &store) { return store.summarize(query, by); });
}

async::Task<qint64> History::prune(QByteArray cluster, Retention retention, Term term)
{
    return onThread<qint64>([cluster = std::move(cluster), retention, term](Store &store) {
        return store.prune(cluster, retention, term);
    });
}

async::Task<Coverage> History::coverage(QByteArray cluster)
{
    return onThread<Coverage>([cluster = std::move(cluster)](Store &store) { return store.coverage(cluster); });
}

} // namespace drover::history
