#pragma once

#include <signal.h>
#include <sys/types.h>

// Marks what a process runs while it shares the runner's memory. The bookkeeping of a sanitizer would outlast it there.
#define ONLY_SYSTEM_CALLS __attribute__((no_sanitize("address", "undefined", "thread")))

namespace drover::runner {

// The first steps of every process that the runner makes, before any step that may hang. It leads its own process group
// and dies with the thread that made it. It resets all signals to the state that a new program expects, and closes the
// descriptors of the runner and of other jobs. It makes system calls only.
//
// Descriptors 0 to 2 become `streams`. statusFd and goFd become the other two and are closed by an exec. All others are
// closed; -1 means that a descriptor stays closed.
constexpr int statusFd = 3;
constexpr int goFd = 4;

struct Descriptors {
    int streams[3];
    int status = -1;
    int go = -1;
};

void beginChild(pid_t runner, const Descriptors &descriptors);

// The signals that the runner ignores. A job gets their default dispositions, as for all other signals.
constexpr int ignoredSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ};

} // namespace drover::runner
