#pragma once

#include "async/loop.h"
#include "jobs/backpressure.h"
#include "jobs/records.h"
#include "zk/coordinator.h"

namespace drover::app {

// What a cluster is doing at one moment, from counters, its members and its claims: no queue is ever listed.
struct ClusterSample {
    struct Queue {
        QByteArray name;
        qint64 unfinished = 0;
        qint64 submitted = 0; // since it was made
        qint64 idleWorkers = 0;

        qint64 finished() const { return submitted - unfinished; }
    };
    struct Worker {
        jobs::WorkerInfo info;
        int slotsUsed = 0; // by jobs that run
    };
    struct Job {
        jobs::JobId id;
        jobs::Claim claim;
        std::chrono::milliseconds since{}; // Unix epoch
        QString name;
    };

    async::TimePoint at;
    std::chrono::milliseconds wallClock{}; // Unix epoch
    QString master;
    std::optional<jobs::Backpressure> backpressure; // nothing is claimed
    qint64 done = 0; // final records kept
    std::vector<Queue> queues;
    std::vector<Worker> workers;
    qint64 running = 0; // jobs; those that a worker has claimed and that wait there are not among them
    std::vector<Job> jobs; // of those that run: the longest, at most as many as were asked for
};

// Throws SessionLost, ConnectionLoss, jobs::NotFound.
async::Task<ClusterSample> takeSample(zk::Coordinator &zk, jobs::Layout layout, std::size_t jobs);

} // namespace drover::app
