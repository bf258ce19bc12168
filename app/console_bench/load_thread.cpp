#include "app/console_bench/load_thread.h"

#include "app/console_bench/wait.h"
#include "app/scratch/scratch_cluster.h"

#include <atomic>

namespace drover::app {

namespace {

constexpr qint64 MostJobs = 1000; // that a measurement submits

} // namespace

LoadThread::LoadThread()
{
    m_there.moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("load"));
    m_thread.start();
    QMetaObject::invokeMethod(
        &m_there,
        [this] {
            m_loop = std::make_unique<async::QtLoop>();
            m_server = std::make_unique<BenchServer>(*m_loop, QString());
        },
        Qt::BlockingQueuedConnection);
    await([this]() -> async::Task<void> {
        co_await m_server->start();
        std::unique_ptr<zk::Session> session = co_await m_server->open();
        m_session = std::move(session);
        m_connect = m_server->connectString();
        co_await makeScratchCluster(jobs::Cluster(*m_session, jobs::Layout(QByteArrayLiteral("default"))), MostJobs);
    });
}

LoadThread::~LoadThread()
{
    finish();
    QMetaObject::invokeMethod(
        &m_there,
        [this] {
            m_session.reset();
            m_server.reset();
            m_loop.reset();
        },
        Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

void LoadThread::run(Work work)
{
    await([this, &work] { return work(*m_session); });
}

void LoadThread::begin(Work work)
{
    QMetaObject::invokeMethod(
        &m_there,
        [this, work = std::move(work)] {
            m_background = std::make_unique<async::TaskGroup>([](const std::exception_ptr &) { std::terminate(); });
            m_background->spawn(work(*m_session));
        },
        Qt::BlockingQueuedConnection);
}

void LoadThread::finish()
{
    QMetaObject::invokeMethod(
        &m_there, [this] { m_background.reset(); }, Qt::BlockingQueuedConnection);
}

void LoadThread::await(const std::function<async::Task<void>()> &make)
{
    std::atomic<bool> ended = false;
    std::exception_ptr failure;
    std::unique_ptr<async::TaskGroup> group;
    const auto carryOut = [&]() -> async::Task<void> {
        co_await make();
        ended = true;
    };
    QMetaObject::invokeMethod(
        &m_there,
        [&] {
            group = std::make_unique<async::TaskGroup>([&](const std::exception_ptr &error) {
                failure = error;
                ended = true;
            });
            group->spawn(carryOut());
        },
        Qt::BlockingQueuedConnection);
    waitFor([&ended] { return ended.load(); }, "the load");
    QMetaObject::invokeMethod(
        &m_there, [&] { group.reset(); }, Qt::BlockingQueuedConnection);
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace drover::app
