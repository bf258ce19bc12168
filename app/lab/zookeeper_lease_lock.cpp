#include "app/lab/zookeeper_lease_lock.h"

#include "async/or_timeout.h"
#include "async/task_group.h"

#include <QEventLoop>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto ConnectLimit = 30s;

zk::SessionOptions sessionOptions(const QString &servers, std::chrono::milliseconds timeout)
{
    zk::SessionOptions options;
    options.servers = servers;
    options.timeout = timeout;
    return options;
}

} // namespace

ZooKeeperLeaseLock::ZooKeeperLeaseLock(const QString &servers, const zk::Path &directory,
                                       std::chrono::milliseconds lease, const MakeContention &contention)
    : m_session(m_loop, sessionOptions(servers, lease))
{
    m_session.open();
    wait(async::orTimeout(m_loop, open(directory, contention), ConnectLimit));
}

ZooKeeperLeaseLock::~ZooKeeperLeaseLock()
{
    m_lock.reset();
    wait(m_session.close());
}

qint64 ZooKeeperLeaseLock::acquire()
{
    wait(acquireLock());
    return m_lock->fence().czxid;
}

void ZooKeeperLeaseLock::wait(async::Task<void> task)
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

async::Task<void> ZooKeeperLeaseLock::open(zk::Path directory, MakeContention contention)
{
    co_await m_session.connected();
    co_await m_session.ensurePath(directory);
    m_contention = contention(m_session, directory, 0);
}

async::Task<void> ZooKeeperLeaseLock::acquireLock()
{
    recipes::Lock lock = co_await m_contention->of(0).acquire();
    m_lock.emplace(std::move(lock));
}

} // namespace drover::app
