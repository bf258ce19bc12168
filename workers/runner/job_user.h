#pragma once

#include "workers/process/runner_protocol.h"

#include <vector>

#include <sys/types.h>

namespace drover::runner {

// The user that a job runs as, if it is not the runner's.
struct JobUser {
    static constexpr uid_t leastUid = 1000; // below are root and the users of services

    uid_t uid = 0; // 0: the runner's own
    gid_t gid = 0;
    std::vector<gid_t> groups{}; // in ascending order

    static JobUser of(const workers::protocol::Command &command)
    {
        return {.uid = command.uid, .gid = command.gid, .groups = {command.groups.begin(), command.groups.end()}};
    }

    bool isOther() const { return uid != 0; }

    // Makes this process the user's, for good: its users, groups and capabilities. It gains none by what it executes.
    // Then it asks the kernel whether that is so. Returns 0, or an errno, with the process in any state: end it.
    //
    // The process dies with `parent` afterwards, too: a change of user resets that. Makes raw system calls only,
    // because the process shares the runner's memory until its exec. The functions of the C library would take
    // a lock in that memory, and ask every thread there to change its user, too.
    int become(pid_t parent) const;
};

} // namespace drover::runner
