#pragma once

#include "workers/process/runner_protocol.h"
#include "workers/runner/capture.h"
#include "workers/runner/children.h"
#include "workers/runner/command_start.h"
#include "workers/runner/copy_writer.h"
#include "workers/runner/spawn.h"
#include "workers/runner/start_status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace drover::runner {

// One run of a command, from its start to the report of its end.
class Job
{
public:
    // The captures are added to `epoll`. `children` must outlive this object.
    Job(workers::protocol::Command command, int epoll, Children &children);
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    std::uint64_t runId() const { return m_command.runId; }
    std::uint32_t slotQueue() const { return m_command.slotQueue; }
    std::int64_t startedNs() const { return m_startedNs; } // by bootNs()

    // Starts the job's processes. Returns false if that failed: the job is over, and finish() reports why.
    bool spawn(Spawner &spawner, const Cgroups &cgroups);

    // Whether the command runs, or has run. Before that the start may hang. If it takes too long, this call ends it and
    // blames the machine.
    bool hasBegun();
    workers::protocol::Started started() const;

    // The instant by bootNs() at which due() must be called.
    std::optional<std::int64_t> deadline() const { return m_deadline; }
    // Acts on the deadline: the time limit has passed, or the grace period after it, or the patience for a copy. The
    // job may be over then.
    void due();

    void signal(int number) const { m_children.signal(m_command.runId, number); }
    void kill(std::int64_t graceNs) { end(workers::protocol::How::Killed, graceNs); }

    // Reports that no process of the tree is left. Output may still be on its way to the copies.
    void treeEnded(const Death &death);
    void helperDied(const HelperDeath &death);
    // Whether tree and copies have ended.
    bool isOver() const;
    // Returns the report; call it once isOver(). A report that must outlive this process is written to its file first.
    workers::protocol::Outcome finish();

private:
    bool failToSpawn(const char *what);
    bool startCopies(const Spawner &spawner, int status, int go);
    void endCopies(const std::string &reason);
    void awaitCopies();
    void copiesDue();
    std::size_t restOfCopies() const;
    std::optional<StartFailure> startFailed() const;
    std::string whatHangs() const;
    workers::protocol::Outcome reportEnd(const Death &death);
    void reportNoBeginning(workers::protocol::Outcome &outcome, const Death &death) const;
    void keep(const workers::protocol::Outcome &outcome) const;
    void end(workers::protocol::How how, std::int64_t graceNs);
    workers::protocol::Outcome report() const;

    workers::protocol::Command m_command;
    Children &m_children;
    int m_epoll;
    Tail m_tail;
    Capture m_output;
    Capture m_error;
    std::vector<std::unique_ptr<CopyWriter>> m_copies;
    StatusReader m_status; // of the copies
    std::unique_ptr<CommandStart> m_start; // null once the command is known to run
    std::optional<StartFailure> m_failure; // set: no process was started
    std::unique_ptr<Cgroup> m_cgroup;
    pid_t m_pid = 0;
    bool m_isUnbounded = false; // Started::unbounded
    std::optional<Death> m_death; // set: the process tree has ended
    workers::protocol::Outcome m_report; // of m_death
    std::string m_hung; // the step in which the start hung
    std::chrono::milliseconds m_startedAt; // Unix epoch
    std::int64_t m_startedNs;
    std::optional<workers::protocol::How> m_ending; // why the runner is ending it
    std::int64_t m_endGraceNs = 0; // by the last request
    std::optional<std::int64_t> m_timeLimit; // when it passes
    bool m_endsCopies = false; // they were killed
    std::size_t m_restOfCopies = 0; // when they were looked at last
    std::int64_t m_copyTookAt = 0; // when that changed last; 0: they were not looked at
    std::optional<std::int64_t> m_deadline;
};

// The reports of jobs that were not started: the lease has passed; the worker called the job back.
workers::protocol::Outcome refusedByLease(const workers::protocol::Command &command);
workers::protocol::Outcome withdrawn(const workers::protocol::Command &command);

} // namespace drover::runner
