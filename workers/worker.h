#pragma once

#include "jobs/layout.h"
#include "jobs/records.h"
#include "workers/worker_options.h"
#include "zk/coordinator.h"

#include <functional>
#include <vector>

namespace drover::workers {

class Runner;
struct Report;

// One life of a worker: it joins the cluster, stands for master, claims jobs and runs them, for as long as one session
// lives. What an earlier life had claimed anybody may claim again; but what had ended by then, and the runner has kept,
// is reported first. What it ended itself, because ZooKeeper was not reached for too long, is given back before that, so
// that it costs no attempt (Reporter).
class Worker
{
public:
    // Called by run(), none of them required. They must not destroy the worker.
    struct Events {
        std::function<void()> joined; // a member from now on; claims come after it
        std::function<void(const jobs::WorkerInfo &)> idIsTaken; // by that one; run() waits until it has gone
        std::function<void()> lastSessionLives; // the same, of an earlier session of this process
    };

    Worker(zk::Coordinator &zk, jobs::Layout layout, WorkerOptions options, Runner &runner, Events events = {});
    ~Worker();

    // Before run(): what the last life of this process could not give back.
    void giveBackFirst(std::vector<Report> reports);
    // After run() has thrown: the same of this one.
    std::vector<Report> unanswered() const;

    // Returns once stop() was called and the last job has been reported; at once if it has not joined by then, because
    // another has its id. Throws SessionLost: by then every job has been killed.
    async::Task<void> run();

    // Claims no more, gives back what was claimed and not begun; run() ends when the running jobs have. From the loop.
    void stop();

    // Ends the running jobs as well, with SIGTERM and the grace of each, and gives them back to be run by others. It is
    // none of their attempts.
    void abandonJobs();
    // The same without a grace.
    void killJobs();

    int running() const;
    // Ends of attempts of earlier lives, found to be current and reported.
    qint64 keptReported() const;
    // Reports of attempts that were no longer the current ones, refused by the server.
    qint64 rejectedReports() const;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace drover::workers
