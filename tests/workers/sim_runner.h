#pragma once

#include "support/process_loop.h"
#include "support/seeded_random.h"
#include "workers/process/runner.h"
#include "workers/process/slot_queues.h"

#include <map>
#include <memory>
#include <vector>

namespace drover::test {

// What a worker's runner has written on its machine's disk: it outlives both.
struct SimDisk {
    std::map<workers::RunId, workers::KeptResult> results;
    workers::RunId last = 0; // of all its runs
    std::vector<workers::KeptResult> acknowledged{}; // still there: their places have not been used again

    // A new process finds both, and cannot tell them apart.
    void restart()
    {
        for (workers::KeptResult &result : std::exchange(acknowledged, {}))
            results.emplace(result.outcome.runId, std::move(result));
    }
};

// One process of a job in virtual time, seen from outside the scheduler.
struct Execution {
    QByteArray job; // its DROVER_JOB_ID
    int attempt = 0;
    QByteArray worker;
    async::TimePoint from;
    async::TimePoint until; // max() while it runs
    int slots = 1; // what the job needs and holds: its variables SLOTS and LOCK
    QByteArray lock{};
    QByteArrayList environment{};
    bool followed = false; // it had waited for the run before it in its slot queue
    std::optional<async::TimePoint> evicted{}; // when its worker's session was ended before its time
    std::vector<int> received{}; // signals
};

// A Runner whose processes are virtual: they take a random time, or the milliseconds of their variable TAKES, exit with
// 0, or some with 1, and have written the bytes of their variable WRITES. Like the real one it
// is a process of its own, so it goes on while the worker stands still: it enforces the lease, and it kills everything
// when the worker dies.
class SimRunner final : public workers::Runner
{
public:
    SimRunner(ProcessLoop &worker, QByteArray name, quint64 seed, async::Duration longest,
              std::vector<Execution> &witness, SimDisk &disk)
        : m_worker(worker), m_name(std::move(name)), m_random(seed), m_longest(longest), m_witness(witness),
          m_disk(disk)
    {
    }
    ~SimRunner() override { killAll(); }

    // So many of the jobs exit with 1.
    void setFailures(double chance) { m_failures = chance; }
    // So many of the jobs are over within milliseconds.
    void setShort(double chance) { m_short = chance; }

    // The chances that no runner can be started when there is none, and that the machine has no process left for a job.
    void setSick(double noRunner, double noProcess)
    {
        m_noRunner = noRunner;
        m_noProcess = noProcess;
    }
    // Jobs whose directory is below /mnt cannot be started.
    void setUnmounted(bool unmounted) { m_unmounted = unmounted; }
    // The spool takes no output of the jobs.
    void setLosesOutput(bool loses) { m_losesOutput = loses; }
    // How often no job could be started.
    int refusals() const { return m_refusals; }

    // The worker has died: the jobs are killed, and no end is reported.
    void killAll();

    // The worker's session was ended before its time: no lease keeps others from running what runs, and what the worker
    // begins before it knows.
    void noteEviction();
    void noteSession() { m_evicted = false; } // a new one

    // As by SIGSTOP: its jobs run on, and it does nothing any more, nor begins a job, until it dies.
    void stop();

    // The runner dies with its jobs, and reports that to the worker. The next job starts another runner.
    void die();

    workers::RunHandle run(workers::Command command) override;
    void signal(workers::RunId runId, int number) override;
    void kill(workers::RunId runId, async::Duration grace) override;
    void recall(workers::RunId runId) override;
    void killRunner() override { die(); }
    void setLease(async::TimePoint until) override;
    std::vector<workers::KeptResult> kept() const override;
    void acknowledge(workers::RunId runId) override;

private:
    struct Process {
        workers::RunId runId;
        quint32 slotQueue;
        workers::Command command;
        std::size_t witness = 0; // once it runs
        std::shared_ptr<async::Promise<std::optional<workers::Started>>> started =
            std::make_shared<async::Promise<std::optional<workers::Started>>>();
        async::Promise<workers::Outcome> outcome{};
        async::Timer end{};
    };

    void follow(quint32 slotQueue);
    bool start(Process process, bool follows);
    async::Duration durationOf(const workers::Command &command);
    bool withdraw(workers::RunId runId);
    void end(workers::RunId runId, workers::How how);
    void tell(Process process, workers::Outcome outcome);

    ProcessLoop &m_worker;
    QByteArray m_name;
    SeededRandom m_random;
    async::Duration m_longest;
    double m_failures = 0;
    double m_short = 0;
    double m_noRunner = 0;
    double m_noProcess = 0;
    bool m_unmounted = false;
    bool m_losesOutput = false;
    int m_refusals = 0;
    bool m_stopped = false;
    bool m_evicted = false;
    std::vector<Execution> &m_witness;
    std::map<workers::RunId, Process> m_processes;
    std::vector<Process> m_unheard; // while it is stopped
    workers::SlotQueues<Process> m_slotQueues;
    SimDisk &m_disk;
    async::TimePoint m_lease{};
    async::Timer m_leaseEnd;
};

} // namespace drover::test
