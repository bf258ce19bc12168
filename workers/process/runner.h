#pragma once

#include "async/boot_clock.h"
#include "async/future.h"
#include "workers/process/result_file.h"

#include <optional>
#include <stdexcept>
#include <vector>

namespace drover::workers {

// Names one run of a Runner.
using RunId = quint64;

using protocol::Command;
using protocol::How;
using protocol::KeptResult;
using protocol::Outcome;
using protocol::Started;

// The runner has died, and its jobs with it.
class RunnerDied : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// No runner could begin the job: it could not be started, or ended before it had read a request.
class NoRunner : public RunnerDied
{
public:
    using RunnerDied::RunnerDied;
};

struct RunHandle {
    RunId runId;
    // Ready some milliseconds after the start, or at an earlier end. Nothing: it never ran; the outcome says why.
    async::Future<std::optional<Started>> started;
    async::Future<Outcome> outcome;
};

// Runs commands, each in a process group that ends with its command. Belongs to the thread that owns the worker's
// session and never blocks it. If the runner is lost, both futures of a run fail with RunnerDied, or with NoRunner if
// the job has certainly not begun.
class Runner
{
public:
    virtual ~Runner() = default;

    // A bad command is an outcome (FailedToStart), never an exception.
    virtual RunHandle run(Command command) = 0;

    // Sends a signal to the job's whole process group. These three ignore unknown and finished run ids.
    virtual void signal(RunId runId, int number) = 0;
    // SIGTERM, then SIGKILL after the grace; SIGKILL at once without one. The outcome is Killed, or Withdrawn if the
    // run still waits in its slot queue.
    virtual void kill(RunId runId, async::Duration grace) = 0;
    // Withdraws a run that still waits in its slot queue: its outcome is Withdrawn. A started run goes on.
    virtual void recall(RunId runId) = 0;

    // Kills the runner itself, and so all its jobs. For a stopped runner, which cannot carry out kill(). The futures
    // fail.
    virtual void killRunner() = 0;

    // Sets the instant until which the session is certainly alive. When it passes without a renewal, every job is
    // killed with SIGKILL, even if this process is stopped, and no job starts. The outcomes are LeaseExpired. No job
    // starts before the first call. An earlier instant than the last one stops new starts at once; running jobs must be
    // killed by the caller.
    virtual void setLease(async::TimePoint until) = 0;

    // The results of runs with a keptClaim that ended by themselves and are not acknowledged yet. They belong to this
    // process, or to dead processes whose state folder this one took over. Each has a run id of this process, for
    // acknowledge(). They survive kill -9 of worker and runner, but not a restart of the machine. The cluster may know
    // a result already.
    virtual std::vector<KeptResult> kept() const { return {}; }
    // Deletes a kept result, because the cluster knows it or will never need it.
    virtual void acknowledge(RunId runId) { Q_UNUSED(runId) }
};

} // namespace drover::workers
