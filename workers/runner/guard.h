#pragma once

#include "posix/file_descriptor.h"
#include "workers/process/guard_protocol.h"
#include "workers/runner/children.h"

#include <array>
#include <csignal>
#include <cstdint>

#include <time.h>

namespace drover::runner {

// Runs one command for commands such as `drover lock`. It kills the command and all its descendants when the lease
// passes, and when the client dies or requests it. When the command ends, it kills the descendants that are left.
//
//     shell ── drover ─────────── drover-runner guard ── COMMAND ── ...
//              the shell's group  a group of its own     a group of its own, which has the terminal
//
// Through this process the command inherits the client's streams and other descriptors, environment, directory, umask
// and ignored signals. The guard itself does not use them.
//
// 1. The terminal's signals do not reach the guard: it is in the background of the client's session and ignores them.
// 2. The guard is a subreaper with one command. So all its children belong to that command's tree, even if they have
//    left the process group (setsid) and dropped their environment.
// 3. A stopped guard is continued when the lease passes, because the lease's kernel timer sends SIGCONT. The guard
//    then reads all renewals that have arrived before it judges the lease.
// 4. Nothing here blocks. The command is started by fork(2), so that an exec from a hung file server hangs the
//    child alone, which looks at the lease just before it.
// 5. When the guard itself is killed, the kernel kills the command (PR_SET_PDEATHSIG). The client, also a subreaper,
//    adopts the rest of the tree, or the rest dies with its pid namespace.
class Guard
{
public:
    // `control` is the socket to the client. The command ignores the signals that are ignored at this call.
    Guard(posix::FileDescriptor control, bool foreground, char *const *command);

    // Runs until no process of the command is left. Returns the exit code.
    int run();

private:
    using Message = workers::guard::Message;

    void pass();
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

    // The signals of a terminal, a service manager or a broken pipe.
    static constexpr std::array Ignored{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE};

    posix::FileDescriptor m_control;
    posix::FileDescriptor m_signals; // SIGCHLD, and SIGCONT of the lease's timer
    posix::FileDescriptor m_execution; // the child reports a failed exec here
    timer_t m_leaseTimer{};
    std::int64_t m_lease = 0;
    char *const *m_command;
    bool m_foreground;
    std::array<sighandler_t, Ignored.size()> m_before{}; // the command's dispositions of Ignored
    pid_t m_pid = 0;
    bool m_clientGone = false;
    bool m_isOver = false;
    Children m_children;
};

} // namespace drover::runner
