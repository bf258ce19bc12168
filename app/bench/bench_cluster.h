#pragma once

#include "app/bench/bench_server.h"
#include "app/bench/figures.h"
#include "app/bench/worker_process.h"

namespace drover::app {

// A cluster for one benchmark with real worker processes, on a BenchServer.
class BenchCluster
{
public:
    using Measure = std::function<async::Task<Figures>()>;

    BenchCluster(async::Loop &loop, QString connect, QByteArray name);

    // Begins the cluster, with room for `jobs` jobs and a worker of so many slots (0: none), runs `measure` when that
    // has joined, and removes everything, also when that throws.
    async::Task<Figures> run(qint64 jobs, int slotCount, Measure measure);

    // While it runs.
    zk::Coordinator &zk() { return *m_session; }
    const jobs::Layout &layout() const { return m_layout; }
    const WorkerProcess &worker() const { return *m_workers.front(); }
    QString connectString() const { return m_server.connectString(); }
    QString directory() const { return m_directory.path(); } // gone with this object

    // One more worker, once it has joined. Throws std::runtime_error.
    async::Task<WorkerProcess *> join(QString id, int slotCount, std::chrono::milliseconds sessionTimeout = {});

private:
    async::Task<void> begin(qint64 jobs, int slotCount);
    async::Task<void> end();

    async::Loop &m_loop;
    jobs::Layout m_layout;
    QTemporaryDir m_directory;
    BenchServer m_server;
    std::unique_ptr<zk::Session> m_session;
    std::vector<std::unique_ptr<WorkerProcess>> m_workers;
};

} // namespace drover::app
