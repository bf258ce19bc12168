#include "workers/process/runner_launch.h"

#include "posix/file_descriptor.h"
#include "posix/process.h"
#include "workers/process/runner.h"

#include <QFile>

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

// What the child needs and, in `error`, what it answers: it shares our memory until its exec.
struct Child {
    const char *program;
    char *const *arguments;
    char *const *environment;
    const std::vector<RunnerLaunch::Descriptor> *descriptors;
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
    for (const RunnerLaunch::Descriptor &descriptor : *child->descriptors) {
        if (descriptor.own < 0)
            ::close(descriptor.number);
        else if (::dup2(descriptor.own, descriptor.number) < 0)
            goto failed;
    }
    ::execve(child->program, child->arguments, child->environment);
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

void failToLaunch(const QString &program, int error)
{
    const std::string reason = std::generic_category().message(error);
    throw RunnerDied("cannot start the job runner '" + program.toStdString() + "': " + reason);
}

LaunchedRunner launchRunner(const RunnerLaunch &launch)
{
    const QByteArray path = QFile::encodeName(launch.program);
    const QByteArrayList words = QByteArrayList{path} + launch.arguments;
    const std::vector<char *> arguments = posix::execList(words);
    const std::vector<char *> environment = posix::execList(launch.environment);
    std::vector<RunnerLaunch::Descriptor> descriptors = launch.descriptors;
    std::vector<posix::FileDescriptor> copies;
    for (RunnerLaunch::Descriptor &descriptor : descriptors) {
        if (descriptor.own < 0)
            continue;
        copies.emplace_back(::fcntl(descriptor.own, F_DUPFD_CLOEXEC, firstFreeFd));
        if (!copies.back())
            failToLaunch(launch.program, errno);
        descriptor.own = copies.back().get();
    }
    Child child{.program = path.constData(),
                .arguments = arguments.data(),
                .environment = environment.data(),
                .descriptors = &descriptors,
                .ownPids = launch.view == ProcessView::Own};
    pid_t pid = cloneRunner(child);
    if (pid == 0 && child.ownPids) {
        child.ownPids = false;
        child.error = 0;
        pid = cloneRunner(child);
    }
    if (pid == 0)
        failToLaunch(launch.program, child.error);
    return {.pid = pid, .ownPids = child.ownPids};
}

} // namespace drover::workers
