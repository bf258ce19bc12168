#pragma once

#include "app/bench/figures.h"
#include "app/bench/worker_process.h"

namespace drover::app {

struct JobsBenchOptions {
    qint64 jobs = 5000;
    qint64 warmUp = 1000; // jobs before these, not counted: a server that has just been started compiles its code
    QStringList command{QStringLiteral("/bin/true")};
    int slotCount = 2; // of the worker; told in the figures
};

// Submits the jobs through one session, as many at a time as keeps the connection busy, and waits until the worker has
// run them all. Throws std::runtime_error if not every job has exactly one final record with code 0.
async::Task<Figures> measureJobs(zk::Coordinator &zk, jobs::Layout layout, const WorkerProcess &worker,
                                 JobsBenchOptions options);

} // namespace drover::app
