#include "app/bench/setup/bench_cluster.h"

#include "app/bench/setup/remove_tree.h"
#include "app/scratch/scratch_cluster.h"

#include <algorithm>

namespace drover::app {

using namespace std::chrono_literals;

BenchCluster::BenchCluster(async::Loop &loop, GivenServers given, QByteArray name)
    : m_loop(loop), m_layout(std::move(name)), m_server(loop, std::move(given))
{
}

async::Task<Figures> BenchCluster::run(qint64 jobs, int slotCount, Measure measure)
{
    std::optional<Figures> figures;
    std::exception_ptr error;
    try {
        co_await begin(jobs, slotCount);
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
    if (m_server.isPrivate() && !m_open) {
        m_trust.emplace(m_directory.filePath(QStringLiteral("trust")), m_layout, m_server.connectString());
        m_server.setAccess(m_trust->access());
    }
    std::unique_ptr<zk::Session> session = co_await m_server.open();
    m_session = std::move(session);
    if (m_trust)
        co_await m_trust->closeServer(*m_session);
    co_await makeScratchCluster(handle(), jobs);
    if (slotCount > 0)
        co_await join(QStringLiteral("worker"), slotCount);
}

async::Task<WorkerProcess *> BenchCluster::join(QString id, int slotCount, std::chrono::milliseconds sessionTimeout)
{
    WorkerProcess::Options options;
    options.connect = m_server.connectString();
    options.cluster = m_layout.clusterName();
    options.credentials = credentials();
    options.id = id;
    options.slotCount = slotCount;
    options.directory = m_directory.filePath(id);
    options.sessionTimeout = sessionTimeout;
    m_workers.push_back(std::make_unique<WorkerProcess>(std::move(options)));
    WorkerProcess *const worker = m_workers.back().get();
    co_await awaitJoined(handle(), *worker);
    co_return worker;
}

async::Task<void> BenchCluster::end()
{
    constexpr auto limit = 5s;
    for (const std::unique_ptr<WorkerProcess> &worker : m_workers)
        worker->terminate();
    const auto running = [](const std::unique_ptr<WorkerProcess> &worker) { return worker->running(); };
    const async::TimePoint deadline = m_loop.now() + limit;
    while (std::any_of(m_workers.begin(), m_workers.end(), running) && m_loop.now() < deadline)
        co_await async::sleepFor(m_loop, 10ms);
    m_workers.clear(); // kills them, if that was not enough
    if (!m_session) // it has not begun
        co_return;
    if (!m_server.isPrivate())
        co_await removeTree(*m_session, m_layout.root());
    co_await m_session->close();
    co_await m_server.stop();
}

} // namespace drover::app
