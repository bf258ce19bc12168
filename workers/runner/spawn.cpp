#include "workers/runner/spawn.h"

#include "workers/runner/child_setup.h"
#include "workers/runner/start_status.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drover::runner {

using namespace posix;
using namespace workers::protocol;

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

// 0, or why the file cannot be run.
int cannotRun(const std::string &path)
{
    struct stat info {
    };
    if (::stat(path.c_str(), &info) != 0)
        return errno;
    if (!S_ISREG(info.st_mode))
        return EACCES;
    return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

// As a shell does, in the job's directory: a name with a slash is a path, any other is searched for in the job's own
// PATH.
std::string findProgram(const std::string &name, const std::vector<std::string> &environment,
                        const StatusWriter &status)
{
    if (name.find('/') != std::string::npos)
        return name;
    std::string unusable;
    int error = 0;
    std::string_view rest = searchPath(environment);
    while (!name.empty()) {
        const std::size_t end = rest.find(':');
        const std::string folder(rest.substr(0, end));
        const std::string path = folder.empty() ? "./" + name : folder + "/" + name;
        const int refusal = cannotRun(path);
        if (refusal == 0)
            return path;
        if (refusal == EACCES && unusable.empty()) {
            unusable = path;
            error = refusal;
        }
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    if (!unusable.empty())
        status.fail(startFailure(126, "cannot run " + inQuotes(unusable), error));
    status.fail({.exitCode = 127, .reason = "command " + inQuotes(name) + " is not in the job's PATH"});
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
std::vector<Limit> limitsOf(const Command &command, const rlimit &files, bool counted)
{
    std::vector<Limit> limits{{RLIMIT_NOFILE, files}};
    const auto add = [&limits](std::uint64_t resource, std::uint64_t value) {
        limits.push_back({__rlimit_resource_t(resource), {.rlim_cur = value, .rlim_max = value}});
    };
    if (command.memory > 0 && !counted)
        add(RLIMIT_DATA, std::uint64_t(command.memory));
    for (std::size_t i = 0; i + 1 < command.limits.size(); i += 2)
        add(command.limits[i], command.limits[i + 1]);
    return limits;
}

// Why the exec returned.
StartFailure refused(const std::string &path, int error, const Command &command)
{
    const std::string program = inQuotes(path);
    switch (error) {
    case ENOENT:
        return {.exitCode = 127, .reason = "command " + program + ", or the interpreter it names, does not exist"};
    case ENOEXEC:
        return {.exitCode = 126, .reason = "cannot run " + program + ": neither a program nor a script with a #! line"};
    case EAGAIN:
        return startFailure(machineIsShort, "cannot run " + program, error);
    case EMFILE: // its own limits are the reason, which it takes with it wherever it goes
    case ENOMEM:
        if (command.memory > 0 || !command.limits.empty())
            return {.exitCode = 126, .reason = "cannot run " + program + ": " + std::strerror(error)};
        [[fallthrough]];
    default:
        return startFailure(126, "cannot run " + program, error);
    }
}

// The copies of its output are other processes' work: a byte from each that is ready, or the end of the pipe.
void awaitCopies(int count)
{
    for (char byte = 0; count > 0; --count) {
        if (::read(goFd, &byte, 1) != 1)
            ::_exit(127); // it has told why
    }
}

void enterDirectory(const Command &command, const StatusWriter &status)
{
    const char *const folder = command.directory.empty() ? "/" : command.directory.c_str();
    status.enter(Step::Directory);
    if (::chdir(folder) != 0)
        status.fail(startFailure(126, "cannot enter the directory " + inQuotes(folder), errno));
}

// Without O_NONBLOCK a FIFO would block the start until it has a writer.
void openInput(const Command &command, const StatusWriter &status)
{
    if (command.input.empty())
        return;
    status.enter(Step::Input);
    const FileDescriptor input(::open(command.input.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!input)
        status.fail(startFailure(126, "cannot read the input file " + inQuotes(command.input), errno));
    ::fcntl(input.get(), F_SETFL, 0);
    ::dup2(input.get(), 0);
}

// Last, but for the lease: they are the job's, not the start's.
void setLimits(const Command &command, const std::string &cgroup, const rlimit &files, const StatusWriter &status)
{
    const FileDescriptor group(cgroup.empty() ? -1 : ::open(cgroup.c_str(), O_WRONLY | O_CLOEXEC));
    if (group && ::write(group.get(), "0", 1) != 1)
        status.fail(startFailure(machineIsShort, "cannot prepare a process", errno));
    for (const Limit &limit : limitsOf(command, files, bool(group))) {
        if (::setrlimit(limit.resource, &limit.value) != 0)
            status.fail(startFailure(126, "cannot set the limits that the job asks for (--ulimit)", errno));
    }
}

} // namespace

Spawner::Spawner(rlimit jobFiles, const workers::protocol::LeaseWord &lease)
    : m_jobFiles(jobFiles), m_lease(lease), m_null(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
}

pid_t Spawner::spawn(const Command &command, const Ends &ends, const std::string &cgroup) const
{
    const pid_t runner = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        beginChild(runner, {.streams = {m_null.get(), ends.output, ends.error}, .status = ends.status, .go = ends.go});
        becomeCommand(command, ends.copies, cgroup);
    }
    if (pid > 0)
        ::setpgid(pid, pid); // parent and child both set it: the group can be killed from now on
    return pid;
}

void Spawner::becomeCommand(const Command &command, int copies, const std::string &cgroup) const
{
    const StatusWriter status(statusFd);
    awaitCopies(copies);
    enterDirectory(command, status);
    openInput(command, status);
    status.enter(Step::Program);
    const std::string name = command.arguments.empty() ? std::string() : command.arguments.front();
    const std::string program = findProgram(name, command.environment, status);
    const std::vector<char *> arguments = pointers(command.arguments);
    std::vector<char *> environment = pointers(command.environment);
    if (!command.tag.empty())
        environment.insert(environment.end() - 1, const_cast<char *>(command.tag.c_str()));
    setLimits(command, cgroup, m_jobFiles, status);
    if (!mayStart())
        status.fail({.leasePassed = true});
    ::execve(program.c_str(), arguments.data(), environment.data());
    status.fail(refused(program, errno, command));
}

} // namespace drover::runner
