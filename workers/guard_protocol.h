#pragma once

#include <cstdint>

// What `drover lock` and its like say to the drover-runner that guards their command: one such message a SOCK_SEQPACKET
// datagram. The runner is started as `drover-runner guard DESCRIPTOR background|foreground COMMAND...` and begins the
// command at the first Lease. Closing the socket is the order to kill everything and exit. No Qt here.
namespace drover::workers::guard {

struct Message {
    enum Kind : std::int64_t {
        // To the guard.
        Lease = 1, // the CLOCK_BOOTTIME instant, in ns, at which the whole tree is killed; 0: now
        Signal, // the signal for the command's process group
        Resume, // 1: give the group the terminal, then SIGCONT; 0: SIGCONT alone

        // To the client. Each but Stopped is the last one.
        Stopped, // the signal that stopped the command
        Ended, // the command's status, as of wait(2); nothing of its tree is left
        Failed, // the errno for which it could not be executed
        LeasePassed, // it was killed, or never begun; nothing of its tree is left
    };
    Kind kind;
    std::int64_t value;
};

} // namespace drover::workers::guard
