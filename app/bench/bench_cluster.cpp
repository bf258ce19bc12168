#include "app/bench/bench_cluster.h"

#include "app/bench/remove_tree.h"
#include "app/bench/scratch_cluster.h"

namespace drover::app {

using namespace std::chrono_literals;

BenchCluster::BenchCluster(async::Loop &loop, QString connect, QByteArray name)
    : m_loop(loop), m_layout(std::move(name)), m_server(loop, std::move(connect))
{
}

async::Task<Figures> BenchCluster::run(qint64 jobs, int slotCount, Measure measure)
{
    std::optional<Figures> figures;
    std::exception_ptr error;
    co_await begin(jobs, slotCount);
    try {
        Figures measured = co_await measure();
        figures.emplace(std::move(measured));
    } catch (...) {
        error = std::current_exception();
    }
    co_await end();
    if (error)
        std::rethrow_exception(error);
    co_return std::move(*figures);
}

async::Task<void> BenchCluster::begin(qint64 jobs, int slotCount)
{
    co_await m_server.start();
    std::unique_ptr<zk::Session> session = co_await m_server.open();
    m_session = std::move(session);
    co_await makeScratchCluster(*m_session, m_layout, jobs);
    WorkerProcess::Options options;
    options.connect = m_server.connectString();
    options.cluster = m_layout.cluster();
    options.id = QStringLiteral("worker");
    options.slotCount = slotCount;
    options.directory = m_directory.path();
    m_worker.emplace(std::move(options));
    co_await awaitJoined(*m_session, m_layout, *m_worker);
}

async::Task<void> BenchCluster::end()
{
    constexpr auto limit = 5s;
    m_worker->terminate();
    const async::TimePoint deadline = m_loop.now() + limit;
    while (m_worker->running() && m_loop.now() < deadline)
        co_await async::sleepFor(m_loop, 10ms);
    m_worker.reset(); // kills it, if that was not enough
    if (!m_server.isPrivate())
        co_await removeTree(*m_session, m_layout.root());
    co_await m_session->close();
    co_await m_server.stop();
}

} // namespace drover::app
