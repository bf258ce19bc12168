#pragma once

#include "async/boot_clock.h"
#include "async/future.h"
#include "jobs/resource_limit.h"
#include "workers/runner_protocol.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>
#include <stdexcept>
#include <vector>

namespace drover::workers {

using Token = quint64;

// What to execute. Arguments and environment are bytes, as Unix has them.
struct Command {
    quint32 lane = 0; // it begins when the run before it in its lane is over; 0: at once
    QList<QByteArray> arguments{}; // the first is looked up in the environment's PATH unless it has a slash
    QList<QByteArray> environment{}; // "NAME=value"; nothing is inherited, DROVER_RUN is added
    QString directory{}; // absolute
    QString input{}; // empty: /dev/null
    QString output{}; // where standard output goes at its first byte (file 0600, folders 0700); empty: counted only
    QString error{};
    // Files that get what is kept as well, begun anew (folders and file as the umask says); they may be one; empty:
    // none. If one cannot be made the job does not start.
    QString outputCopy{};
    QString errorCopy{};
    QByteArray note{}; // kept with the result until that is settled; empty: the result is not kept
    quint64 outputCap = quint64(64) * 1024 * 1024; // bytes kept of each stream: all, or beginning and end
    quint64 memory = 0; // bytes that its processes may use together; each of them, where nobody counts; 0: any
    QList<jobs::ResourceLimit> limits{}; // of each process
    async::Duration timeLimit{0}; // 0: none
    async::Duration grace = std::chrono::seconds(10); // between SIGTERM and SIGKILL once the limit has passed
};

struct Started {
    pid_t pid = 0; // and process group, as the runner numbers them: it may live in a pid namespace of its own
    std::chrono::milliseconds at{}; // Unix epoch
};

using How = protocol::How;

// The end of one run. The exit code or signal is the process's own also when `how` says that the runner ended it.
struct Outcome {
    How how = How::Exited;
    int exitCode = 0; // failed to start: 127 no such command, 126 it cannot be run, 125 no process to be had here
    int signal = 0; // 0: it exited
    bool began = true; // false: there has never been a process
    QString reason{}; // one line for people, empty when there is nothing to explain
    std::chrono::milliseconds startedAt{}; // Unix epoch
    std::chrono::milliseconds finishedAt{};
    bool outOfMemory = false; // the kernel killed a process of it, because Command::memory was not enough
    async::Duration elapsed{0};
    async::Duration cpu{0}; // user + system, of the process and the children it waited for
    qint64 peakBytes = 0; // resident, of the largest process among them; never less than the runner's own few MB
    quint64 outputBytes = 0; // written by the job, kept or not
    quint64 errorBytes = 0;
    bool outputTruncated = false; // the file is not all of it: the cap, or an error told in `reason`
    bool errorTruncated = false;
    QByteArray tail{}; // the last 4 KiB of both streams as they came

    bool succeeded() const { return how == How::Exited && exitCode == 0; }
    // The machine is at fault, not the job: another may run it, and so may this one later.
    bool lackedResources() const { return how == How::FailedToStart && exitCode == protocol::machineIsShort; }
};

// How a run ended of which the cluster may not know: the worker's session was lost before it could say so, or the
// worker died.
struct KeptRun {
    Token token; // of an earlier life too: for settle()
    QByteArray note; // Command's
    Outcome outcome;
};

// There is no runner any more: it died, and its jobs with it.
class RunnerDied : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// There has been none that could begin the job: it could not be started, or ended before it had understood us.
class NoRunner : public RunnerDied
{
public:
    using RunnerDied::RunnerDied;
};

struct Running {
    Token token;
    // Some milliseconds after the start, or with an earlier end. Nothing: it never ran, the outcome says why.
    async::Future<std::optional<Started>> started;
    async::Future<Outcome> outcome;
};

// Runs processes, each in a process group of its own that ends with it. Belongs to the thread that owns the worker's
// session and never blocks it. Both futures of a run fail with RunnerDied when the runner is lost, and with NoRunner when
// the job has surely not begun.
class Runner
{
public:
    virtual ~Runner() = default;

    // A bad command is an outcome (FailedToStart), never an exception.
    virtual Running run(Command command) = 0;

    // To the job's whole group. A token that is over, or never was, is ignored by all three.
    virtual void signal(Token token, int number) = 0;
    // SIGTERM, then SIGKILL after the grace; SIGKILL at once without one. The outcome is Killed; Withdrawn of one that
    // waits in its lane.
    virtual void kill(Token token, async::Duration grace) = 0;
    // One that waits in its lane does not begin any more: its outcome is Withdrawn. Others go on.
    virtual void recall(Token token) = 0;

    // Kills the runner itself, and so all that runs: for one that is stopped, and does not hear kill(). The futures fail.
    virtual void killRunner() = 0;

    // The instant until which the session surely lives. When it passes without a renewal every job is killed with
    // SIGKILL, whether this process still runs or not, and none is started: the outcomes are LeaseExpired. Before the
    // first call nothing starts. An instant earlier than the last stops new starts at once, but not what runs: kill it.
    virtual void setLease(async::TimePoint until) = 0;

    // The results of runs with a note that ended by themselves, not killed and not by the lease, and are not settled:
    // of this process, and of dead ones whose state folder is ours. They survive kill -9 of worker and runner, not the
    // machine. A result may be here although the cluster knows it.
    virtual std::vector<KeptRun> kept() const { return {}; }
    // The result of this run need not be kept any more: the cluster knows it, or will never want it.
    virtual void settle(Token token) { Q_UNUSED(token) }
};

} // namespace drover::workers
