#pragma once

#include "posix/file_descriptor.h"

#include <optional>
#include <string>

namespace drover::runner {

// The reason why a job's command does not run.
struct StartFailure {
    int exitCode = 0; // 127 not found, 126 not executable, machineIsShort
    std::string reason{};
    bool leasePassed = false; // the reason is that the lease has passed
};

// Makes a failure with `exitCode`; machineIsShort instead if `error` says that the machine lacks a resource now.
StartFailure startFailure(int exitCode, const std::string &what, int error);

// The copies of a job's output. Opening one may hang while a file server does not answer.
enum class CopyStep : char { Nothing = 0, Output = 'o', Error = 'e' };

// The processes that write the copies report to the runner through a pipe when they have opened them, or why they
// cannot. The runner never waits for them: it reads the pipe when it needs to know.
//
// The processes' end of the pipe. Each call is one small write.
class StatusWriter
{
public:
    explicit StatusWriter(int fd) : m_fd(fd) { }

    void enter(CopyStep step) const;
    void leave(CopyStep step) const;
    // Reports the failure and ends this process.
    [[noreturn]] void fail(const StartFailure &failure) const;

private:
    int m_fd;
};

// The runner's end of the pipe.
class StatusReader
{
public:
    StatusReader() = default;
    // Makes the pipe and returns its other end, or an empty descriptor; then errno says why.
    posix::FileDescriptor open();

    // Reads the present reports without waiting.
    void look();

    // These answer by the last look().
    CopyStep step() const { return m_steps.empty() ? CopyStep::Nothing : CopyStep(m_steps.front()); }
    const std::optional<StartFailure> &failure() const { return m_failure; }

private:
    void take(char code);

    posix::FileDescriptor m_pipe;
    std::string m_steps; // steps that were entered and not left
    std::string m_text; // the received part of a failure
    std::optional<StartFailure> m_failure; // the first failure
};

} // namespace drover::runner
