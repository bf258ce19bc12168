#include "workers/runner/spawn.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace drover::runner {

using workers::protocol::machineIsShort;

namespace {

constexpr std::string_view defaultPath = "/usr/local/bin:/usr/bin:/bin";

std::string inQuotes(const std::string &text)
{
    return "'" + text + "'";
}

std::string_view searchPath(const std::vector<std::string> &environment)
{
    for (const std::string_view variable : environment) {
        if (variable.starts_with("PATH="))
            return variable.substr(5);
    }
    return defaultPath;
}

// 0, or why the file cannot be run. `path` is taken from `directory` unless absolute.
int cannotRun(int directory, const std::string &path)
{
    struct stat info {
    };
    if (::fstatat(directory, path.c_str(), &info, 0) != 0)
        return errno;
    if (!S_ISREG(info.st_mode))
        return EACCES;
    return ::faccessat(directory, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

struct Program {
    std::string path; // empty: none
    Spawned failure;
};

// As a shell does: a name with a slash is a path, any other is searched for in the job's own PATH.
Program findProgram(const std::string &name, const std::vector<std::string> &environment, int directory)
{
    if (name.find('/') != std::string::npos)
        return {.path = name, .failure = {}};
    std::string unusable;
    int error = 0;
    std::string_view rest = searchPath(environment);
    while (!name.empty()) {
        const std::size_t end = rest.find(':');
        const std::string folder(rest.substr(0, end));
        const std::string path = folder.empty() ? "./" + name : folder + "/" + name;
        const int refusal = cannotRun(directory, path);
        if (refusal == 0)
            return {.path = path, .failure = {}};
        if (refusal == EACCES && unusable.empty()) {
            unusable = path;
            error = refusal;
        }
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    if (!unusable.empty())
        return {.path = {}, .failure = spawnFailure(126, "cannot run " + inQuotes(unusable), error)};
    return {.path = {},
            .failure = {.exitCode = 127, .reason = "command " + inQuotes(name) + " is not in the job's PATH"}};
}

std::vector<char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<char *> list;
    list.reserve(texts.size() + 1);
    for (const std::string &text : texts)
        list.push_back(const_cast<char *>(text.c_str())); // execve's signature is older than const
    list.push_back(nullptr);
    return list;
}

struct Limit {
    __rlimit_resource_t resource;
    rlimit value;
};

// Memory: what a process writes to, not what it reserves, which for many runtimes is a multiple of it.
std::vector<Limit> limitsOf(const workers::protocol::Start &start, const rlimit &files, bool counted)
{
    std::vector<Limit> limits{{RLIMIT_NOFILE, files}};
    const auto add = [&limits](std::uint64_t resource, std::uint64_t value) {
        limits.push_back({__rlimit_resource_t(resource), {.rlim_cur = value, .rlim_max = value}});
    };
    if (start.memory > 0 && !counted)
        add(RLIMIT_DATA, std::uint64_t(start.memory));
    for (std::size_t i = 0; i + 1 < start.limits.size(); i += 2)
        add(start.limits[i], start.limits[i + 1]);
    return limits;
}

// What the child needs and, in the last two, what it answers: it shares the runner's memory until its exec.
struct Child {
    const char *program;
    char *const *arguments;
    char *const *environment;
    const Limit *limits;
    std::size_t limitCount;
    int cgroup; // -1: none
    pid_t runner;
    int directory;
    int streams[3];
    const workers::protocol::LeaseWord *lease;

    enum Step { Setup, Limits, Directory, Lease, Exec } step = Setup;
    int error = 0;
};

// Only system calls from here to the exec: the runner's other thread may hold any lock.
__attribute__((no_sanitize("address", "undefined", "thread"))) int enterChild(void *argument)
{
    auto *const child = static_cast<Child *>(argument);
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != child->runner)
        ::_exit(1); // the runner died before the line above
    for (const int number : ignoredSignals)
        ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (child->cgroup >= 0 && ::write(child->cgroup, "0", 1) != 1)
        goto failed;
    child->step = Child::Limits;
    for (std::size_t i = 0; i < child->limitCount; ++i) {
        if (::setrlimit(child->limits[i].resource, &child->limits[i].value) != 0)
            goto failed;
    }
    child->step = Child::Setup;
    for (int stream = 0; stream < 3; ++stream) {
        if (::dup2(child->streams[stream], stream) < 0)
            goto failed;
    }
    child->step = Child::Directory;
    if (::fchdir(child->directory) != 0)
        goto failed;
    child->step = Child::Lease;
    errno = ETIME;
    if (!isAlive(*child->lease))
        goto failed;
    child->step = Child::Exec;
    ::execve(child->program, child->arguments, child->environment);
failed:
    child->error = errno;
    ::_exit(127);
}

Spawned explain(const Child &child, const workers::protocol::Start &start)
{
    if (child.step == Child::Lease)
        return {.leasePassed = true};
    if (child.step == Child::Directory)
        return spawnFailure(126, "cannot enter the directory " + inQuotes(start.directory), child.error);
    if (child.step == Child::Limits)
        return spawnFailure(126, "cannot set the limits that the job asks for (--ulimit)", child.error);
    if (child.step == Child::Setup)
        return spawnFailure(machineIsShort, "cannot prepare a process", child.error);
    const std::string program = inQuotes(child.program);
    switch (child.error) {
    case ENOENT:
        return {.exitCode = 127, .reason = "command " + program + ", or the interpreter it names, does not exist"};
    case ENOEXEC:
        return {.exitCode = 126, .reason = "cannot run " + program + ": neither a program nor a script with a #! line"};
    case EAGAIN:
        return spawnFailure(machineIsShort, "cannot run " + program, child.error);
    case EMFILE: // its own limits are the reason, which it takes with it wherever it goes
    case ENOMEM:
        if (start.memory > 0 || !start.limits.empty())
            return {.exitCode = 126, .reason = "cannot run " + program + ": " + std::strerror(child.error)};
        [[fallthrough]];
    default:
        return spawnFailure(126, "cannot run " + program, child.error);
    }
}

} // namespace

Spawned spawnFailure(int exitCode, const std::string &what, int error)
{
    const bool isShort = error == EMFILE || error == ENFILE || error == ENOMEM;
    return {.exitCode = isShort ? machineIsShort : exitCode, .reason = what + ": " + std::strerror(error)};
}

Spawner::Spawner(rlimit jobFiles, const workers::protocol::LeaseWord &lease)
    : m_jobFiles(jobFiles), m_lease(lease), m_null(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
}

Spawned Spawner::spawn(const workers::protocol::Start &start, int output, int error, const std::string &cgroup) const
{
    const char *const folder = start.directory.empty() ? "/" : start.directory.c_str();
    const Fd directory(::open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory)
        return spawnFailure(126, "cannot enter the directory " + inQuotes(folder), errno);

    // Without O_NONBLOCK a FIFO would hold the whole runner until somebody writes to it.
    Fd input;
    if (!start.input.empty()) {
        input = Fd(::openat(directory.get(), start.input.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        if (!input)
            return spawnFailure(126, "cannot read the input file " + inQuotes(start.input), errno);
        ::fcntl(input.get(), F_SETFL, 0);
    }

    const std::string name = start.arguments.empty() ? std::string() : start.arguments.front();
    Program program = findProgram(name, start.environment, directory.get());
    if (program.path.empty())
        return std::move(program.failure);

    const std::vector<char *> arguments = pointers(start.arguments);
    std::vector<char *> environment = pointers(start.environment);
    if (!start.mark.empty())
        environment.insert(environment.end() - 1, const_cast<char *>(start.mark.c_str()));
    const Fd group(cgroup.empty() ? -1 : ::open(cgroup.c_str(), O_WRONLY | O_CLOEXEC));
    const std::vector<Limit> limits = limitsOf(start, m_jobFiles, bool(group));
    Child child{.program = program.path.c_str(),
                .arguments = arguments.data(),
                .environment = environment.data(),
                .limits = limits.data(),
                .limitCount = limits.size(),
                .cgroup = group.get(),
                .runner = ::getpid(),
                .directory = directory.get(),
                .streams = {input ? input.get() : m_null.get(), output, error},
                .lease = &m_lease};

    alignas(16) char stack[16 * 1024];
    const pid_t pid = ::clone(enterChild, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    if (pid < 0)
        return spawnFailure(machineIsShort, "cannot start a process", errno);
    if (child.error == 0)
        return {.pid = pid, .exitCode = 0, .reason = {}};
    Spawned failed = explain(child, start);
    ::waitpid(pid, nullptr, 0);
    return failed;
}

} // namespace drover::runner
