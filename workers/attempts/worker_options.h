#pragma once

#include "jobs/model/job_spec.h"
#include "workers/attempts/capacity.h"
#include "workers/attempts/job_policy.h"

#include <QByteArrayList>
#include <QString>

#include <algorithm>
#include <chrono>
#include <optional>

#include <unistd.h>

namespace drover::history {
class History;
}

namespace drover::workers {

class OutputServer;

// How much output of ended attempts stays in a spool, and how much room it needs for that of others.
struct SpoolLimits {
    std::chrono::milliseconds age{std::chrono::hours(24 * 7)}; // since the attempt ended
    qint64 bytes = qint64(1) << 30; // of all ended attempts; the oldest are removed first
    // Bytes that must be free in the spool's file system for the worker to claim jobs. Nothing: a twentieth of the file
    // system, 1 GiB at most. 0: any number will do.
    std::optional<qint64> reserve{};
};

// What a job may take of its worker, whatever its submitter asks for.
struct JobBounds {
    qint64 output = qint64(1) << 30; // kept bytes of each of its streams
    std::chrono::milliseconds grace = std::chrono::hours(1); // between SIGTERM and SIGKILL
    qint64 memory = 0; // bytes, also of a job that asks for none; 0: no bound

    qint64 outputOf(const jobs::JobSpec &spec) const { return std::min(spec.outputLimit, output); }
    std::chrono::milliseconds graceOf(const jobs::JobSpec &spec) const { return std::min(spec.killGrace, grace); }
    qint64 memoryOf(const jobs::JobSpec &spec) const // 0: no limit
    {
        const bool asks = spec.needs.memory > 0;
        return memory > 0 ? std::min(asks ? spec.needs.memory : memory, memory) : spec.needs.memory;
    }
};

struct WorkerOptions {
    QString id; // unique in the cluster while it lives; text::isName
    QByteArrayList queues{QByteArrayLiteral("default")};
    int slotCount = 1; // number of one-slot jobs at a time
    qint64 memory = Capacity::memoryOfMachine(); // bytes for jobs with a memory request
    QStringList labels{}; // labels that jobs may ask for
    QString spool{}; // directory for the output of jobs
    SpoolLimits spoolLimits{};
    JobBounds bounds{}; // of each job
    JobPolicy policy{};
    bool limitsProcesses = false; // its owner says how many its jobs may have together
    // Serves the spool to other processes, with a key for each life of the worker. Must outlive the worker.
    OutputServer *outputServer = nullptr;
    QString outputEndpoint{}; // the outputServer's "host:port" for others
    // Where this worker archives ended jobs when it is master. Must outlive the worker.
    history::History *history = nullptr;
    QList<QByteArray> jobEnvironment{}; // "NAME=value" for every job

    // Whether jobs that name no user run as root.
    bool runsJobsAsRoot() const { return ::geteuid() == 0 && policy.runsAsWorker(); }
};

} // namespace drover::workers
