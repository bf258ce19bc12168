#pragma once

#include "app/bench/figures/contention.h"
#include "app/bench/setup/bench_cluster.h"
#include "zk/client.h"

namespace drover::app {

// Each measurement is in the file of its name: measureAppend() in append_bench.cpp.

// A measurement whose options are known, but for the directory.
using MeasureIn = std::function<async::Task<Figures>(std::vector<zk::Client *> sessions, zk::Path directory)>;

template <typename Options>
MeasureIn inDirectory(async::Task<Figures> (*measure)(std::vector<zk::Client *>, Options), Options options)
{
    return [=](std::vector<zk::Client *> sessions, zk::Path directory) {
        Options placed = options;
        placed.directory = std::move(directory);
        return measure(std::move(sessions), std::move(placed));
    };
}

struct AppendBenchOptions {
    QString path; // the file to create; must not exist
    int writers = 8;
    int recordSize = 100; // bytes
    std::chrono::milliseconds duration{5000};
};

// Writers, spread evenly over the sessions, append records to one file. Each writer appends its next record when the
// last one is committed. The writers of one session act as one process: they share transactions. Afterwards the file is
// compared with its ledger, byte for byte. Throws the errors of the append, and std::runtime_error if the file differs
// from the appended records.
async::Task<Figures> measureAppend(std::vector<zk::Client *> sessions, jobs::Layout layout, AppendBenchOptions options);

struct BarrierBenchOptions {
    zk::Path directory{}; // holds one barrier for each round; is not removed
    std::chrono::milliseconds duration{5000};
};

// Every session enters and leaves a double barrier in a loop. The measured times begin when the last session calls
// enter() or leave(), and end when all sessions are in or out. Throws the errors of the barrier.
async::Task<Figures> measureBarrier(std::vector<zk::Client *> sessions, BarrierBenchOptions options);

struct ClaimsBenchOptions {
    qint64 queued = 50'000; // unfinished jobs at any time
    QStringList command{QStringLiteral("/bin/true")};
    int slotCount = 2;
    async::Duration warmUp = std::chrono::seconds(2); // not counted
    async::Duration duration = std::chrono::seconds(5);
};

// Measures how many jobs a second one worker runs from a queue that always has `queued` jobs (per_s). A new job is
// submitted for each that ends. `cluster` must have no workers. Throws std::runtime_error if the worker ends.
async::Task<Figures> measureClaims(BenchCluster &cluster, ClaimsBenchOptions options);

struct ElectionBenchOptions {
    zk::Path directory{}; // of the election; is not removed
    std::chrono::milliseconds duration{5000};
    std::chrono::milliseconds term{20}; // long enough for the others to stand by
};

// Every session stands for election repeatedly, leads for a term and resigns. The measured time is from a resignation
// until the next leader knows that it leads. Throws the errors of the election, and std::logic_error if a later leader
// had a lower fencing token.
async::Task<Figures> measureElection(std::vector<zk::Client *> sessions, ElectionBenchOptions options);

struct FailoverBenchOptions {
    int workers = 3;
    int slotCount = 4;
    qint64 jobs = 600; // for the worker's death; 0.2 s each
    qint64 unfinished = 50'000; // for the master's death: jobs with a later start
    std::chrono::milliseconds sessionTimeout{10'000}; // of each worker
};

// Measures the cost of a death, with real processes and SIGKILL. `cluster` must have no workers.
//
// First a worker is killed while it runs short jobs. Each job writes a line when its process begins. Once all have
// ended, the lines are compared with the claims that the dead worker left. Throws std::runtime_error if a job that the
// worker had not claimed ran twice, or a job did not succeed exactly once.
//
// Then the master is killed while many jobs wait that the master must watch. The first actions of the next master are
// invisible. So a job that only a master can release is submitted meanwhile, and its end is awaited.
async::Task<Figures> measureFailover(BenchCluster &cluster, FailoverBenchOptions options);

struct JobsBenchOptions {
    qint64 jobs = 5000;
    qint64 warmUp = 1000; // uncounted first jobs: a new server compiles its code
    QStringList command{QStringLiteral("/bin/true")};
    int slotCount = 2; // the worker's; shown in the figures
};

// Submits the jobs through one session, many at a time to keep the connection busy, and waits until the worker has run
// them. Throws std::runtime_error unless each job has exactly one final record with code 0.
async::Task<Figures> measureJobs(jobs::Cluster cluster, const WorkerProcess &worker, JobsBenchOptions options);

// Runs `count` jobs on an idle cluster, one at a time, through the client library. It measures from just before the
// submit until the job's process runs, and until waitForEnd() returns. The process is `date` on this machine and prints
// its time itself, so the figure includes the start of `date`. Up to 100 uncounted jobs run first, because a new server
// is slow. Throws std::runtime_error if a job fails.
async::Task<Figures> measureLatency(jobs::Cluster cluster, int count);

// Measures how soon jobs start on busy workers.
struct LoadBenchOptions {
    struct Workers {
        int count = 1;
        int slotCount = 1; // of each worker

        QString name() const { return QStringLiteral("%1x%2").arg(count).arg(slotCount); }
    };

    std::vector<Workers> workers; // one measurement for each entry
    int percent = 95; // average use of the slots
    std::chrono::milliseconds jobDuration{100};
    std::chrono::seconds length{20};
};

// Jobs arrive at random instants that do not depend on the workers (an open loop with Poisson arrivals). The result is
// the time from a job's due submit to the start of its process, in milliseconds by the clock of this machine. The first
// tenth is not counted. Throws std::runtime_error if a job fails.
async::Task<Distribution> measureUnderLoad(BenchCluster &cluster, LoadBenchOptions options,
                                           LoadBenchOptions::Workers workers);

// The figures of all measurements, and the ratio of the first to the last.
Figures underLoad(const LoadBenchOptions &options, const std::vector<Distribution> &starts);

struct LockBenchOptions {
    zk::Path directory{}; // of the lock; is not removed
    std::chrono::milliseconds duration{5000};
    std::chrono::nanoseconds roundTrip{0}; // injected; 0: no figures in round trips
    std::chrono::milliseconds warmUp{30'000}; // limit: an unfair lock may starve a contender
    std::chrono::milliseconds hold{0}; // how long each contender holds the lock
    int contendersPerSession = 1;
    MakeContention contention = contendForMutex;
};

// Every contender acquires and releases one lock in a loop; without `hold` it releases at once. The measured time is
// from one grant to the next: a cycle for one contender, a hand-off for several. The measurement starts when each
// contender has held the lock once, or the warm-up has passed. The sessions must be connected and belong to this
// thread's loop. Throws the errors of the lock, and std::logic_error if a later holder had a lower fencing token.
async::Task<Figures> measureLock(std::vector<zk::Client *> sessions, LockBenchOptions options);

struct QueueBenchOptions {
    zk::Path directory{}; // of the queue; is left empty, not removed
    std::chrono::milliseconds duration{5000};
    int producers = 1; // so many first sessions; the others consume
    int batch = 1; // items per offer and per take
};

// Producers offer items of 100 bytes and consumers take them, with at most some thousand items in the queue. Measures
// the rate of deliveries and each item's time in the queue. Throws the errors of the queue, and std::logic_error if an
// item was delivered twice.
async::Task<Figures> measureQueue(std::vector<zk::Client *> sessions, QueueBenchOptions options);

struct SubmitBenchOptions {
    qint64 jobs = 20'000; // through one session, pipelined
    qint64 processes = 50; // sequential runs of `drover submit -- true`; 0: none
};

// Measures the cost of a submit, in a program that submits many jobs, and as a process of its own. `cluster` must have
// no workers. Throws std::runtime_error if `drover submit` fails.
async::Task<Figures> measureSubmits(BenchCluster &cluster, SubmitBenchOptions options);

} // namespace drover::app
