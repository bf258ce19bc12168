#include "posix/process.h"
#include "workers/runner/capabilities.h"
#include "workers/runner/cgroups.h"
#include "workers/runner/child_setup.h"
#include "workers/runner/guard.h"
#include "workers/runner/supervisor.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

using namespace drover;
using namespace drover::workers;

namespace {

bool isControl(int fd)
{
    int type = 0;
    socklen_t size = sizeof type;
    return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

// drover-runner guard DESCRIPTOR background|foreground COMMAND...
constexpr int guardedCommandAt = 4;

bool isGuard(int count, char *const *arguments)
{
    return count > guardedCommandAt && arguments[1] == std::string_view("guard") && isControl(std::atoi(arguments[2]));
}

int guardCommand(char *const *arguments)
{
    const int control = std::atoi(arguments[2]);
    ::fcntl(control, F_SETFD, FD_CLOEXEC);
    posix::hideFromOthers(); // its environment is the caller's
    const bool foreground = arguments[3] == std::string_view("foreground");
    runner::Guard guard(posix::FileDescriptor(control), foreground, arguments + guardedCommandAt);
    return guard.run();
}

// The terminal's and the service manager's signals are for the worker: it decides when the jobs end.
void setSignals()
{
    for (int number = 1; number < NSIG; ++number)
        ::signal(number, SIG_DFL);
    for (const int number : runner::ignoredSignals)
        ::signal(number, SIG_IGN);
    sigset_t all; // SIGCHLD is read; what is sent to a job on its way waits until that can take it
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

// Only standard error and the descriptors of the protocol stay; 0 to 2 stay occupied, so that no pipe gets there.
void setDescriptors()
{
    ::close_range(protocol::stateFd + 1, ~0U, 0);
    ::fcntl(protocol::controlFd, F_SETFD, FD_CLOEXEC);
    ::fcntl(protocol::stateFd, F_SETFD, FD_CLOEXEC); // its lock lasts as long as this process
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 0);
    ::dup2(null, 1);
    if (::fcntl(2, F_GETFD) < 0)
        ::dup2(null, 2);
    if (null > 2)
        ::close(null);
}

// Jobs leave no core files. Returns the limit of open files that they get.
rlimit setLimits()
{
    rlimit cores{};
    ::getrlimit(RLIMIT_CORE, &cores);
    cores.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &cores);
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    const rlimit most{.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &most);
    return files;
}

// What its jobs may do, as the worker says.
struct Permissions {
    bool setuid = false;
    std::int64_t processes = 0; // 0: no limit

    Permissions(int count, char *const *arguments)
    {
        constexpr std::string_view most = protocol::maxProcesses;
        for (int i = 1; i < count; ++i) {
            const std::string_view argument = arguments[i];
            setuid |= argument == protocol::allowSetuid;
            if (argument.starts_with(most))
                processes = std::atoll(arguments[i] + most.size());
        }
    }
};

const protocol::LeaseWord *mapLease()
{
    void *const memory = ::mmap(nullptr, sizeof(protocol::LeaseWord), PROT_READ, MAP_SHARED, protocol::leaseFd, 0);
    ::close(protocol::leaseFd);
    return memory == MAP_FAILED ? nullptr : static_cast<const protocol::LeaseWord *>(memory);
}

} // namespace

int main(int count, char **arguments)
{
    if (isGuard(count, arguments))
        return guardCommand(arguments);
    if (!isControl(protocol::controlFd)) {
        std::fputs("drover-runner: runs the jobs of a worker, which starts it by itself; try 'drover worker'\n",
                   stderr);
        return 2;
    }
    posix::hideFromOthers();
    const Permissions permissions(count, arguments);
    if (!permissions.setuid) { // for all jobs, and for the processes that write copies of their output
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        runner::boundCapabilities();
    }
    setSignals();
    setDescriptors();
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    runner::UsualLimits usual{.files = setLimits()};
    const protocol::LeaseWord *const lease = mapLease();
    if (!lease) {
        std::perror("drover-runner: cannot map the worker's lease");
        return 1;
    }
    std::optional<runner::ProcessLimit> limit(std::in_place, permissions.processes);
    if (permissions.processes > 0 && !limit->isSet())
        usual.processes = std::uint64_t(permissions.processes);
    runner::Supervisor supervisor(posix::FileDescriptor(protocol::controlFd), *lease, usual);
    const int exitCode = supervisor.run();
    limit.reset();
    ::_exit(exitCode); // the lease guard's thread still uses what the destructors would take down
}
