#pragma once

#include "async/loop.h"
#include "jobs/cluster/backpressure.h"
#include "jobs/cluster/members.h"
#include "jobs/model/worker_info.h"
#include "zk/client.h"

#include <QJsonObject>

namespace drover::app {

// The state of a cluster at one moment, from its counters, members and claims. No queue is listed.
struct ClusterSample {
    struct Queue {
        QByteArray name;
        qint64 unfinished = 0;
        qint64 submitted = 0; // since the queue was created
        qint64 idleWorkers = 0;

        qint64 finished() const { return submitted - unfinished; }
    };
    struct Worker {
        jobs::WorkerInfo info;
        int slotsUsed = 0; // by running jobs
        QString malformed{}; // set: why its node is none of a worker, and `info` has its name alone
    };
    struct Job : jobs::StoredClaim {
        QString name{};

        std::chrono::milliseconds since() const { return std::chrono::milliseconds(stat.ctime); } // Unix epoch
    };

    async::TimePoint at;
    std::chrono::milliseconds wallClock{}; // Unix epoch
    QString master;
    std::optional<jobs::Backpressure> backpressure; // set: workers claim no jobs
    qint64 done = 0; // stored final records
    std::vector<Queue> queues;
    std::vector<Worker> workers;
    qint64 running = 0; // without claimed jobs that wait at their worker
    std::vector<Job> jobs; // the longest running jobs, up to the limit
};

// Reads a sample with at most `jobs` running jobs. Throws SessionLost, ConnectionLoss and jobs::NotFound.
async::Task<ClusterSample> takeSample(jobs::Cluster cluster, std::size_t jobs);

// A sample for programs. It has the counters from which the screen computes rates.
QJsonObject sampleJson(const QByteArray &cluster, const ClusterSample &sample);

} // namespace drover::app
