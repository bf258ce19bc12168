#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/worker_info.h"
#include "workers/attempts/worker_options.h"
#include "zk/client.h"

#include <functional>
#include <vector>

namespace drover::workers {

class Runner;
struct Report;

// One life of a worker, as long as one session: it joins the cluster, stands for master, claims jobs and runs them. Any
// worker may claim the jobs of an earlier life again. But before it joins, the worker reports the attempts that had
// ended by then, whose results the runner has kept. It also returns the jobs that it killed because ZooKeeper was
// unreachable for too long, so that they cost no attempt (Reporter).
class Worker
{
public:
    // run() calls these; each may be empty. They must not destroy the worker.
    struct Events {
        std::function<void()> joined; // the worker is a member; claims follow
        // Another worker has the id; run() waits until it has gone.
        std::function<void(const jobs::WorkerInfo &)> idIsTaken;
        // An earlier session of this process has the id; run() waits until it has expired.
        std::function<void()> previousSessionAlive;
    };

    Worker(jobs::Cluster cluster, WorkerOptions options, Runner &runner, Events events = {});
    ~Worker();

    // Call it before run(), with the unanswered() reports of this process's last life.
    void giveBackFirst(std::vector<Report> reports);
    // After run() has thrown: the reports that the cluster has not answered.
    std::vector<Report> unanswered() const;

    // Returns once stop() was called and the last job has been reported. If another worker has the id, so that this one
    // never joined, it returns at once after stop(). Throws SessionLost; by then every job has been killed.
    async::Task<void> run();

    // Claims no more jobs and returns the claimed jobs that have not started. run() ends when the running jobs have
    // ended. Call it from the loop.
    void stop();

    // Also ends the running jobs, with SIGTERM and the grace of each, and returns them for other workers. It counts as
    // no attempt.
    void abandonJobs();
    // Like abandonJobs(), without a grace.
    void killJobs();

    // The cluster's root key and passwords are being replaced: believes the roots of these credentials from now on, and
    // tells others so.
    void takeCredentials(const trust::Credentials &credentials);

    int running() const;
    // How many ends of earlier lives' attempts were still current and have been reported.
    qint64 keptReported() const;
    // How many reports the server refused because their attempts were no longer current.
    qint64 rejectedReports() const;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace drover::workers
