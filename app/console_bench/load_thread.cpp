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
    m_thread.call([this] { m_server = std::make_unique<BenchServer>(m_thread.loop(), GivenServers()); });
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
    m_thread.call([this] {
        m_session.reset();
        m_server.reset();
    });
}

void LoadThread::begin(Work work)
{
    m_thread.call([this, &work] {
        m_background = std::make_unique<async::TaskGroup>([](const std::exception_ptr &) { std::terminate(); });
        m_background->spawn(work(*m_session));
    });
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
    m_thread.call([&] {
        group = std::make_unique<async::TaskGroup>([&](const std::exception_ptr &error) {
            failure = error;
            ended = true;
        });
        group->spawn(carryOut());
    });
    waitFor([&ended] { return ended.load(); }, "the load", std::chrono::minutes(15)); // of a busy machine
    m_thread.call([&] { group.reset(); });
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace drover::app
