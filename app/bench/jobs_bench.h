#pragma once

#include "app/bench/figures/figures.h"
#include "app/scratch/worker_process.h"

namespace drover::app {

struct JobsBenchOptions {
    qint64 jobs = 5000;
    qint64 warmUp = 1000; // uncounted first jobs: a new server compiles its code
    QStringList command{QStringLiteral("/bin/true")};
    int slotCount = 2; // the worker's; shown in the figures
};

// Submits the jobs through one session, many at a time to keep the connection busy, and waits until the worker has run
// them. Throws std::runtime_error unless each job has exactly one final record with code 0.
async::Task<Figures> measureJobs(jobs::Cluster cluster, const WorkerProcess &worker, JobsBenchOptions options);

} // namespace drover::app
