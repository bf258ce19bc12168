#pragma once

#include "app/bench/figures/figures.h"
#include "app/bench/setup/bench_server.h"
#include "app/environment/local_trust.h"
#include "app/scratch/worker_process.h"

namespace drover::app {

// A cluster for one benchmark with real worker processes, on a BenchServer.
class BenchCluster
{
public:
    using Measure = std::function<async::Task<Figures>()>;

    BenchCluster(async::Loop &loop, GivenServers given, QByteArray name);

    // Creates the cluster, with room for `jobs` jobs, and starts a worker with `slotCount` slots (0: no worker). Runs
    // `measure` once the worker has joined. Removes everything afterwards, also if `measure` throws.
    async::Task<Figures> run(qint64 jobs, int slotCount, Measure measure);

    // Before run(): the cluster is open. Otherwise one on a private server is closed.
    void stayOpen() { m_open = true; }

    // Call these while run() runs.
    jobs::Cluster handle() const { return {*m_session, m_layout, m_trust ? m_trust->credentials() : nullptr}; }
    const WorkerProcess &worker() const { return *m_workers.front(); }
    QString connectString() const { return m_server.connectString(); }
    // The file for programs that use the cluster; "none" if it is open.
    QString credentials() const { return m_trust ? m_trust->file() : QStringLiteral("none"); }
    QString directory() const { return m_directory.path(); } // temporary

    // Starts one more worker and returns once it has joined. Throws std::runtime_error.
    async::Task<WorkerProcess *> join(QString id, int slotCount, std::chrono::milliseconds sessionTimeout = {});

private:
    async::Task<void> begin(qint64 jobs, int slotCount);
    async::Task<void> end();

    async::Loop &m_loop;
    jobs::Layout m_layout;
    bool m_open = false;
    QTemporaryDir m_directory;
    BenchServer m_server;
    std::optional<LocalTrust> m_trust; // nothing: an open cluster
    std::unique_ptr<zk::Session> m_session;
    std::vector<std::unique_ptr<WorkerProcess>> m_workers;
};

} // namespace drover::app
