#pragma once

#include "workers/guard_protocol.h"
#include "workers/runner/children.h"
#include "workers/runner/fd.h"

#include <array>
#include <csignal>
#include <cstdint>

#include <time.h>

namespace drover::runner {

// Runs one command for `drover lock` and its like, and kills it and all that it started: when the lease passes, when
// the client dies or says so, and, what is left of it, when it ends.
//
//     shell ── drover ─────────── drover-runner guard ── COMMAND ── ...
//              the shell's group  a group of its own     a group of its own, which has the terminal
//
// The command inherits the client's streams and other descriptors, environment, directory, umask and ignored signals
// through this process, which uses none of them.
//
// 1. The terminal's signals do not reach the guard: it is in the background of the client's session and ignores them.
// 2. The guard is a subreaper and has one command: whatever it finds among its children is of that command's tree,
//    also what has left the process group (setsid) and dropped its environment.
// 3. A stopped guard is continued when the lease passes: the timer of the lease is the kernel's, and its signal is
//    SIGCONT. The guard then reads the renewals that have come meanwhile before it judges the lease.
// 4. Nothing here blocks. The command is started by fork(2), so that an exec from a hung file server hangs the
//    child alone, which looks at the lease just before it.
// 5. When the guard itself is killed the kernel kills the command (PR_SET_PDEATHSIG). The rest of the tree becomes the
//    client's, a subreaper as well, or dies with its pid namespace.
class Guard
{
public:
    // `control` is the socket to the client. The signals that are ignored now are so for the command.
    Guard(Fd control, bool foreground, char *const *command);

    // Until nothing is left of the command. Returns the exit code.
    int run();

private:
    using Message = workers::guard::Message;

    void turn();
    void converse();
    void obey(const Message &order);
    void start();
    [[noreturn]] void becomeCommand(pid_t guard, int report) const;
    void setLease(std::int64_t until);
    bool leasePassed() const;
    void noticeStop();
    void reap();
    void report(Message::Kind kind, std::int64_t value);
    void killEverything();

    // What comes from a terminal, a service manager or a broken pipe.
    static constexpr std::array Ignored{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE};

    Fd m_control;
    Fd m_signals; // SIGCHLD, and SIGCONT of the lease's timer
    Fd m_execution; // where the child says why it executes nothing
    timer_t m_leaseTimer{};
    std::int64_t m_lease = 0;
    char *const *m_command;
    bool m_foreground;
    std::array<sighandler_t, Ignored.size()> m_before{}; // the dispositions of Ignored that the command gets
    pid_t m_pid = 0;
    bool m_clientGone = false;
    bool m_over = false;
    Children m_children;
};

} // namespace drover::runner
