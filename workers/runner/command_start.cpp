#include "workers/runner/command_start.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drover::runner {

using namespace workers::protocol;

namespace {

constexpr std::string_view defaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr std::size_t textsOfSecret = 3; // in a Command

std::string_view searchPath(const std::vector<std::string> &environment)
{
    for (const std::string_view variable : environment) {
        if (variable.starts_with("PATH="))
            return variable.substr(5);
    }
    return defaultPath;
}

std::vector<char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<char *> list;
    list.reserve(texts.size() + 2);
    for (const std::string &text : texts)
        list.push_back(const_cast<char *>(text.c_str())); // execve's signature is older than const
    return list;
}

std::vector<SecretFile> secretsOf(const Command &command)
{
    std::vector<SecretFile> files;
    const std::vector<std::string> &texts = command.secrets;
    for (std::size_t i = 0; i + textsOfSecret <= texts.size(); i += textsOfSecret)
        files.emplace_back(texts[i], texts[i + 1], texts[i + 2]);
    return files;
}

std::string inQuotes(const std::string &text)
{
    return "'" + text + "'";
}

// 0, or why the file cannot be run.
ONLY_SYSTEM_CALLS int cannotRun(const char *path)
{
    struct stat info {
    };
    if (::stat(path, &info) != 0)
        return errno;
    if (!S_ISREG(info.st_mode))
        return EACCES;
    return ::faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

} // namespace

CommandStart::CommandStart(const Command &command, const Ends &ends, const UsualLimits &usual, std::string cgroup,
                           const LeaseWord &lease, LentThread &thread)
    : m_argumentTexts(command.arguments.empty() ? std::vector<std::string>(1) : command.arguments),
      m_environmentTexts(command.environment), m_tag(command.tag),
      m_directory(command.directory.empty() ? "/" : command.directory), m_input(command.input),
      m_cgroup(std::move(cgroup)), m_programs(command.programs), m_user(JobUser::of(command)),
      m_secrets(secretsOf(command)), m_arguments(pointers(m_argumentTexts)),
      m_environment(pointers(m_environmentTexts)), m_ends(ends),
      m_isLimited(command.memory > 0 || !command.limits.empty()), m_runner(::getpid()), m_lease(lease), m_thread(thread)
{
    m_arguments.push_back(nullptr);
    if (!m_tag.empty())
        m_environment.push_back(const_cast<char *>(m_tag.c_str()));
    for (SecretFile &secret : m_secrets)
        m_environment.push_back(secret.text());
    m_environment.push_back(nullptr);
    addLimits(command, usual);
}

// Memory: what a process writes to, not what it reserves, which for many runtimes is a multiple of it.
void CommandStart::addLimits(const Command &command, const UsualLimits &usual)
{
    m_limits.push_back({RLIMIT_NOFILE, usual.files});
    const auto add = [this](std::uint64_t resource, std::uint64_t value) {
        m_limits.push_back({__rlimit_resource_t(resource), {.rlim_cur = value, .rlim_max = value}});
    };
    for (std::size_t i = 0; i + 1 < command.limits.size(); i += 2)
        add(command.limits[i], command.limits[i + 1]);
    if (command.memory > 0 && m_cgroup.empty())
        limitTo(RLIMIT_DATA, rlim_t(command.memory));
    if (usual.processes > 0 && m_user.isOther())
        limitTo(RLIMIT_NPROC, usual.processes);
}

// The job may ask for less.
void CommandStart::limitTo(__rlimit_resource_t resource, rlim_t most)
{
    rlim_t value = most;
    for (const Limit &limit : m_limits) {
        if (limit.resource == resource)
            value = std::min(value, limit.value.rlim_max);
    }
    std::erase_if(m_limits, [resource](const Limit &limit) { return limit.resource == resource; });
    m_limits.push_back({resource, {.rlim_cur = value, .rlim_max = value}});
}

// The kernel notes the borrower before the process runs, and clears the note when the process lets go of the memory.
pid_t CommandStart::launch()
{
    constexpr int flags = CLONE_VM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
    static_assert(sizeof m_thread.borrower == sizeof(pid_t) && std::atomic<pid_t>::is_always_lock_free);
    auto *const borrower = reinterpret_cast<pid_t *>(&m_thread.borrower);
    m_pid = ::clone(enter, m_thread.stackEnd, flags, this, borrower, m_thread.pointer, borrower);
    if (m_pid > 0)
        ::setpgid(m_pid, m_pid); // parent and child both set it: the group can be killed from now on
    return m_pid;
}

// From here to the exec in the new process.
ONLY_SYSTEM_CALLS int CommandStart::enter(void *argument)
{
    auto *const start = static_cast<CommandStart *>(argument);
    beginChild(start->m_runner, start->m_ends.descriptors);
    start->becomeCommand();
    return 0;
}

ONLY_SYSTEM_CALLS void CommandStart::becomeCommand()
{
    awaitCopies();
    m_step = Step::Cgroup; // while it may write there
    enterCgroup();
    readSecrets();
    m_step = Step::User;
    if (const int error = m_user.isOther() ? m_user.become(m_runner) : 0; error != 0)
        fail(error);
    m_step = Step::Directory;
    if (::chdir(m_directory.c_str()) != 0)
        fail(errno);
    m_step = Step::Input;
    openInput();
    m_step = Step::Search;
    findProgram();
    m_step = Step::Policy;
    requireAllowedProgram();
    m_step = Step::Limits; // after the other steps: the limits are the job's, not the start's
    for (const Limit &limit : m_limits) {
        if (::setrlimit(limit.resource, &limit.value) != 0)
            fail(errno);
    }
    m_step = Step::Lease; // last, because the earlier steps may hang for long, or be stopped
    if (!isAlive(m_lease))
        fail(ETIME);
    m_step = Step::Exec;
    ::execve(m_program, m_arguments.data(), m_environment.data());
    fail(errno);
}

ONLY_SYSTEM_CALLS void CommandStart::fail(int error)
{
    m_error = error;
    ::_exit(127);
}

// The copies of its output are other processes' work: a byte from each that is ready, or the end of the pipe, if they
// cannot write. Then they have reported why.
ONLY_SYSTEM_CALLS void CommandStart::awaitCopies()
{
    char byte = 0;
    for (int count = m_ends.copies; count > 0; --count) {
        if (::read(goFd, &byte, 1) != 1)
            fail(EPIPE);
    }
}

// A FIFO is refused: without a writer the job would read nothing, and succeed. Without O_NONBLOCK it would block the
// start until it has one.
ONLY_SYSTEM_CALLS void CommandStart::openInput()
{
    if (m_input.empty())
        return;
    const int input = ::open(m_input.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (input < 0)
        fail(errno);
    struct ::stat info {
    };
    if (::fstat(input, &info) != 0)
        fail(errno);
    if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode))
        fail(EINVAL);
    ::fcntl(input, F_SETFL, 0);
    ::dup2(input, 0);
    ::close(input);
}

// As a shell does, in the job's directory: a name with a slash is a path, any other is searched for in the job's own
// PATH.
ONLY_SYSTEM_CALLS void CommandStart::findProgram()
{
    const std::string_view name = m_argumentTexts.front();
    if (name.empty())
        fail(ENOENT);
    if (name.find('/') != name.npos) {
        if (!setProgram({}))
            fail(ENAMETOOLONG);
        return;
    }
    std::string_view unusable;
    int error = ENOENT;
    for (std::string_view rest = searchPath(m_environmentTexts);;) {
        const std::size_t end = rest.find(':');
        const std::string_view folder = end == 0 || rest.empty() ? "." : rest.substr(0, end);
        const int refusal = setProgram(folder) ? cannotRun(m_program) : ENAMETOOLONG;
        if (refusal == 0)
            return;
        if (refusal == EACCES && unusable.empty()) {
            unusable = folder;
            error = refusal;
        }
        if (end == rest.npos)
            break;
        rest.remove_prefix(end + 1);
    }
    setProgram(unusable);
    fail(error);
}

// The program's path in `folder`, or its name alone. Returns false if it is too long.
ONLY_SYSTEM_CALLS bool CommandStart::setProgram(std::string_view folder)
{
    const std::string &name = m_argumentTexts.front();
    const std::size_t begin = folder.empty() ? 0 : folder.size() + 1;
    if (begin + name.size() >= sizeof m_program)
        return false;
    if (begin > 0) {
        std::memcpy(m_program, folder.data(), folder.size());
        m_program[begin - 1] = '/';
    }
    std::memcpy(m_program + begin, name.c_str(), name.size() + 1);
    return true;
}

// The program that is executed is the file that was asked for: its path without links replaces the one that led there.
ONLY_SYSTEM_CALLS void CommandStart::requireAllowedProgram()
{
    if (m_programs.empty())
        return;
    const int file = ::open(m_program, O_PATH | O_CLOEXEC);
    if (file < 0)
        fail(errno);
    char link[] = "/proc/self/fd/?";
    link[sizeof link - 2] = char('0' + file);
    char path[PATH_MAX];
    const ssize_t size = file < 10 ? ::readlink(link, path, sizeof path - 1) : -1; // few are open here
    if (size <= 0)
        fail(EPERM);
    ::close(file);
    for (const std::string_view allowed : m_programs) {
        const std::string_view found(path, std::size_t(size));
        const bool isInside = found.size() > allowed.size() && found[allowed.size()] == '/';
        if (found.starts_with(allowed) && (found.size() == allowed.size() || isInside)) {
            std::memcpy(m_program, path, std::size_t(size));
            m_program[size] = 0;
            return;
        }
    }
    fail(EPERM);
}

ONLY_SYSTEM_CALLS void CommandStart::enterCgroup()
{
    if (m_cgroup.empty())
        return;
    const int group = ::open(m_cgroup.c_str(), O_WRONLY | O_CLOEXEC);
    if (group < 0 || ::write(group, "0", 1) != 1)
        fail(errno);
    ::close(group);
}

// As the runner's user: they are the owner's, and a job's user need not be able to read the files.
ONLY_SYSTEM_CALLS void CommandStart::readSecrets()
{
    for (SecretFile &secret : m_secrets) {
        m_step = Step::Secrets; // only with a secret: secretPath() names one
        if (const int error = secret.read(); error != 0)
            fail(error);
        ++m_secret;
    }
}

std::optional<StartFailure> CommandStart::failure() const
{
    const int error = m_error;
    if (error == 0)
        return std::nullopt;
    const std::string &name = m_argumentTexts.front();
    switch (m_step) {
    case Step::Directory:
        return startFailure(126, "cannot enter the directory " + inQuotes(m_directory), error);
    case Step::Input:
        if (error == EINVAL)
            return StartFailure{.exitCode = 126,
                                .reason = "cannot read the input file " + inQuotes(m_input)
                                    + ": it is neither a file nor a device"};
        return startFailure(126, "cannot read the input file " + inQuotes(m_input), error);
    case Step::Search:
        if (error == ENAMETOOLONG)
            return startFailure(126, "cannot run " + inQuotes(name), error);
        if (error == ENOENT)
            return StartFailure{.exitCode = 127, .reason = "command " + inQuotes(name) + " is not in the job's PATH"};
        return startFailure(126, "cannot run " + inQuotes(m_program), error);
    case Step::Copies:
    case Step::Cgroup:
        return startFailure(machineIsShort, "cannot prepare a process", error);
    case Step::Secrets:
        return withoutSecret();
    case Step::User:
        return StartFailure{.exitCode = machineIsShort,
                            .reason =
                                "cannot run a job as user " + std::to_string(m_user.uid) + ": " + std::strerror(error)};
    case Step::Policy:
        if (error != EPERM)
            return refusedByExec(inQuotes(m_program));
        return StartFailure{.exitCode = 126,
                            .reason =
                                refusedByPolicy + ("this worker does not allow the program " + inQuotes(m_program))};
    case Step::Limits:
        return startFailure(126, "cannot set the limits that the job asks for (--ulimit)", error);
    case Step::Lease:
        return StartFailure{.leasePassed = true};
    case Step::Exec:
        return refusedByExec(inQuotes(m_program));
    }
    return std::nullopt;
}

StartFailure CommandStart::withoutSecret() const
{
    const SecretFile &secret = m_secrets[m_secret];
    StartFailure failure = startFailure(126, "this worker cannot read " + secret.description(), m_error);
    if (failure.exitCode != machineIsShort)
        failure.reason =
            refusedByPolicy + ("this worker cannot read " + secret.description() + ": " + SecretFile::problem(m_error));
    return failure;
}

StartFailure CommandStart::refusedByExec(const std::string &program) const
{
    const int error = m_error;
    switch (error) {
    case ENOENT:
        return {.exitCode = 127, .reason = "command " + program + ", or the interpreter it names, does not exist"};
    case ENOEXEC:
        return {.exitCode = 126, .reason = "cannot run " + program + ": neither a program nor a script with a #! line"};
    case EAGAIN:
        return startFailure(machineIsShort, "cannot run " + program, error);
    case EMFILE: // its own limits are the reason, which it takes with it wherever it goes
    case ENOMEM:
        if (m_isLimited)
            return {.exitCode = 126, .reason = "cannot run " + program + ": " + std::strerror(error)};
        [[fallthrough]];
    default:
        return startFailure(126, "cannot run " + program, error);
    }
}

} // namespace drover::runner
