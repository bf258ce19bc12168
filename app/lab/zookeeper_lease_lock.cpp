#include "app/lab/lease_lock.h"
#include "async/or_timeout.h"
#include "async/qt_loop.h"
#include "async/task_group.h"
#include "zk/client/session.h"

#include <QEventLoop>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto ConnectLimit = 30s;

// A lock of Drover as a blocking LeaseLock. Its session lives on the client's own thread, which must be a QThread.
// While the client computes or sleeps, the session sends no keep-alives, as in a stopped process: so the session
// time-out is the lease.
class ZooKeeperLeaseLock final : public LeaseLock
{
public:
    ZooKeeperLeaseLock(const QString &servers, const zk::Path &directory, std::chrono::milliseconds lease,
                       const MakeContention &contention)
        : m_session(m_loop, {.servers = servers, .timeout = lease})
    {
        m_session.open();
        wait(async::orTimeout(m_loop, open(directory, contention), ConnectLimit));
    }

    ~ZooKeeperLeaseLock() override
    {
        m_lock.reset();
        wait(m_session.close());
    }

    qint64 acquire() override
    {
        wait(acquireLock());
        return m_lock->fence().czxid;
    }

    void release() override { m_lock.reset(); }

private:
    // Runs the thread's loop until the task has ended. Rethrows the task's error.
    static void wait(async::Task<void> task)
    {
        std::exception_ptr failure;
        async::TaskGroup tasks([&failure](const std::exception_ptr &error) { failure = error; });
        tasks.spawn(std::move(task));
        QEventLoop events;
        while (!tasks.empty())
            events.processEvents(QEventLoop::WaitForMoreEvents);
        if (failure)
            std::rethrow_exception(failure);
    }

    async::Task<void> open(zk::Path directory, MakeContention contention)
    {
        co_await m_session.connected();
        co_await m_session.ensurePath(directory);
        m_contention = contention(m_session, directory, 0);
    }

    async::Task<void> acquireLock()
    {
        recipes::Lock lock = co_await m_contention->of(0).acquire();
        m_lock.emplace(std::move(lock));
    }

    async::QtLoop m_loop;
    zk::Session m_session;
    std::unique_ptr<Contention> m_contention;
    std::optional<recipes::Lock> m_lock;
};

} // namespace

std::unique_ptr<LeaseLock> zooKeeperLeaseLock(const QString &servers, const zk::Path &directory,
                                              std::chrono::milliseconds lease, const MakeContention &contention)
{
    return std::make_unique<ZooKeeperLeaseLock>(servers, directory, lease, contention);
}

} // namespace drover::app
