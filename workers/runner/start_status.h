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

// The steps of a start that may hang while a file server does not answer.
enum class Step : char { Nothing = 0, OutputCopy = 'o', ErrorCopy = 'e', Directory = 'd', Input = 'i', Program = 'p' };

// The forked processes of a start report their steps and failures to the runner through a pipe. The runner never waits
// for them: it reads the pipe when it needs to know. An exec closes the pipe.
//
// The processes' end of the pipe. Each call is one small write.
class StatusWriter
{
public:
    explicit StatusWriter(int fd) : m_fd(fd) { }

    void enter(Step step) const;
    void leave(Step step) const; // for steps on which another process waits
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

    // These answer by the last look(). The pipe is closed once the command runs, or all its writers have died.
    bool isClosed() const { return !m_pipe; }
    Step step() const { return m_steps.empty() ? Step::Nothing : Step(m_steps.front()); }
    const std::optional<StartFailure> &failure() const { return m_failure; }

private:
    void take(char code);

    posix::FileDescriptor m_pipe;
    std::string m_steps; // steps that were entered and not left
    std::string m_text; // the received part of a failure
    std::optional<StartFailure> m_failure; // the first failure
};

} // namespace drover::runner
