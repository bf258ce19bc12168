#pragma once

#include "app/bench/bench_server.h"
#include "app/bench/worker_process.h"

namespace drover::app {

// A cluster for one benchmark with one real worker process, on a BenchServer. It has a name of its own, and end()
// removes its znodes.
class BenchCluster
{
public:
    BenchCluster(async::Loop &loop, QString connect, QByteArray name);

    // Returns when the worker has joined. Room is made for `jobs` jobs.
    async::Task<void> begin(qint64 jobs, int slotCount);
    async::Task<void> end();

    zk::Coordinator &zk() { return *m_session; }
    const jobs::Layout &layout() const { return m_layout; }
    const WorkerProcess &worker() const { return *m_worker; }

private:
    async::Loop &m_loop;
    jobs::Layout m_layout;
    QTemporaryDir m_directory;
    BenchServer m_server;
    std::unique_ptr<zk::Session> m_session;
    std::optional<WorkerProcess> m_worker;
};

} // namespace drover::app
