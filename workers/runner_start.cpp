#include "workers/runner_start.h"

#include "workers/runner.h"
#include "workers/runner_protocol.h"

#include <QFile>

#include <array>
#include <system_error>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover::workers {

namespace {

constexpr int firstFreeFd = 10; // clear of the numbers that the runner is started with
constexpr std::array<int, 3> itsFds{protocol::controlFd, protocol::leaseFd, protocol::runFd};

// What the child needs and, in `error`, what it answers: it shares our memory until its exec.
struct Child {
    const char *program;
    char *const *arguments;
    std::array<int, 3> fds;
    bool ownPids;
    int error = 0;
};

// A /proc that shows the new namespace. Mounts of the machine still come here, none goes back.
bool mountProc()
{
    return ::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0
        && ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

// Only system calls: another thread may hold any lock. Every signal is blocked until the runner has set its own.
__attribute__((no_sanitize("address", "undefined", "thread"))) int enterChild(void *argument)
{
    auto *const child = static_cast<Child *>(argument);
    if (child->ownPids) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!mountProc())
            goto failed;
    }
    for (std::size_t i = 0; i < itsFds.size(); ++i) {
        if (child->fds[i] < 0)
            ::close(itsFds[i]);
        else if (::dup2(child->fds[i], itsFds[i]) < 0)
            goto failed;
    }
    ::execve(child->program, child->arguments, environ);
failed:
    child->error = errno;
    ::_exit(127);
}

// The pid, or 0 and child.error.
pid_t cloneRunner(Child &child)
{
    alignas(16) char stack[32 * 1024];
    const int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | (child.ownPids ? CLONE_NEWPID | CLONE_NEWNS : 0);
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before); // no handler of ours may run in the child
    const pid_t pid = ::clone(enterChild, stack + sizeof stack, flags, &child);
    if (pid < 0)
        child.error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child.error == 0)
        return pid;
    if (pid > 0)
        ::waitpid(pid, nullptr, 0);
    return 0;
}

} // namespace

RunnerStart startRunner(const QString &program, int controlFd, int leaseFd, int runFd, ProcessView view)
{
    std::string path = QFile::encodeName(program).toStdString();
    char *const arguments[] = {path.data(), nullptr};
    Child child{.program = path.c_str(),
                .arguments = arguments,
                .fds = {controlFd, leaseFd, runFd},
                .ownPids = view == ProcessView::Own};
    for (int &fd : child.fds)
        fd = fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, firstFreeFd);
    pid_t pid = cloneRunner(child);
    if (pid == 0 && child.ownPids) {
        child.ownPids = false;
        child.error = 0;
        pid = cloneRunner(child);
    }
    for (const int fd : child.fds) {
        if (fd >= 0)
            ::close(fd);
    }
    if (pid == 0) {
        const std::string reason = std::generic_category().message(child.error);
        throw RunnerDied("cannot start the job runner '" + path + "': " + reason);
    }
    return {.pid = pid, .ownPids = child.ownPids};
}

} // namespace drover::workers
