#pragma once

#include <cstdint>

// The messages between `drover lock` or a similar command and the drover-runner that guards its command, one in each
// SOCK_SEQPACKET datagram. The runner is started as `drover-runner guard DESCRIPTOR background|foreground COMMAND...`
// and begins the command at the first Lease. When the socket is closed, it kills all processes and exits. No Qt here.
namespace drover::workers::guard {

struct Message {
    enum Kind : std::int64_t {
        // To the guard.
        Lease = 1, // CLOCK_BOOTTIME in ns at which the tree is killed; 0: now
        Signal, // the signal for the command's process group
        Resume, // SIGCONT; with 1 the group gets the terminal first

        // To the client. Each but Stopped is the last one.
        Stopped, // the signal that stopped the command
        Ended, // the command's wait(2) status; its tree is gone
        Failed, // the errno for which it could not be executed
        LeasePassed, // it was killed or never began; no process is left
    };
    Kind kind;
    std::int64_t value;
};

} // namespace drover::workers::guard
