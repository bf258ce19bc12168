#include "workers/runner/child_setup.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace drover::runner {

namespace {

constexpr int firstFree = 5;

// Out of the way of those that get a number.
ONLY_SYSTEM_CALLS int lifted(int fd)
{
    return fd < 0 || fd >= firstFree ? fd : ::fcntl(fd, F_DUPFD_CLOEXEC, firstFree);
}

ONLY_SYSTEM_CALLS void place(int from, int to, int flags)
{
    if (from < 0)
        ::close(to);
    else
        ::dup3(from, to, flags);
}

} // namespace

ONLY_SYSTEM_CALLS void beginChild(pid_t runner, const Descriptors &descriptors)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != runner)
        ::_exit(1); // it died before the line above
    for (const int number : ignoredSignals)
        ::signal(number, SIG_DFL);
    int from[firstFree];
    for (int i = 0; i < 3; ++i)
        from[i] = lifted(descriptors.streams[i]);
    from[statusFd] = lifted(descriptors.status);
    from[goFd] = lifted(descriptors.go);
    for (int to = 0; to < firstFree; ++to)
        place(from[to], to, to < 3 ? 0 : O_CLOEXEC);
    ::close_range(firstFree, ~0U, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr); // last: a process that is killed from here on was killed on purpose
}

} // namespace drover::runner
