#include "workers/runner/copy_writer.h"

#include "posix/beneath_open.h"
#include "posix/files.h"
#include "posix/pipe.h"
#include "posix/trusted_open.h"
#include "workers/runner/capture.h"
#include "workers/runner/child_setup.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

namespace drover::runner {

using namespace posix;
using namespace workers::protocol;

namespace {

// For a copy of a stream, with the folders that it lacks, as the job's user would make it; or nothing: errno says why.
// What an earlier attempt has left is still there. Each write goes to its end.
FileDescriptor openCopy(const CopyWriter::Place &place)
{
    constexpr int flags = O_WRONLY | O_CREAT | O_APPEND;
    if (!place.folders.empty())
        return openFileBelow(place.folders, place.path, flags, 0666, 0777);
    return openTrustedFile(place.path, flags, 0666, 0777);
}

StartFailure cannotWrite(const CopyWriter::Place &place, int error)
{
    const std::string &path = place.path;
    if (error == EACCES && !place.folders.empty())
        return {.exitCode = 126,
                .reason = refusedByPolicy
                    + ("this worker does not allow the file '" + path
                       + "', or a symbolic link leads to it, or its user may not write it")};
    if (error == EINVAL)
        return {.exitCode = 126, .reason = "cannot write the file '" + path + "': it is neither a file nor a device"};
    return startFailure(126, "cannot write the file '" + path + "'", error);
}

// From the standard input, until that ends. Returns an error, or 0.
int copyInput(const FileDescriptor &file)
{
    char buffer[64 * 1024];
    for (;;) {
        const ssize_t got = ::read(0, buffer, sizeof buffer);
        if (got == 0)
            return 0;
        if (got > 0 && !writeAll(file, {buffer, std::size_t(got)}))
            return errno;
    }
}

// The life of the process. Its exit code is the error that kept it from writing all, or 0.
[[noreturn]] void runWriter(const CopyWriter::Place &place, CopyStep step, const Spawner &spawner, pid_t runner)
{
    const StatusWriter status(statusFd);
    status.enter(step);
    if (const int error = place.user.isOther() ? place.user.become(runner) : 0; error != 0)
        status.fail({.exitCode = machineIsShort,
                     .reason = "cannot write as user " + std::to_string(place.user.uid) + ": " + std::strerror(error)});
    FileDescriptor file = openCopy(place);
    if (!file)
        status.fail(cannotWrite(place, errno));
    if (!spawner.mayStart())
        status.fail({.leasePassed = true});
    if (::ftruncate(file.get(), 0) != 0 && errno != EINVAL) // a device has no length
        status.fail(cannotWrite(place, errno));
    ::fcntl(file.get(), F_SETFL, O_APPEND);
    status.leave(step);
    ::close(statusFd);
    [[maybe_unused]] const ssize_t size = ::write(goFd, "", 1);
    ::close(goFd);
    const int error = copyInput(file);
    const bool closed = ::close(file.get()) == 0;
    ::_exit(error != 0 ? error : closed ? 0 : errno); // a file server may refuse what it has taken only now
}

} // namespace

CopyWriter::CopyWriter(Place place, CopyStep step, std::uint64_t runId, Children &children, int epoll)
    : m_place(std::move(place)), m_step(step), m_token(runId), m_children(children), m_epoll(epoll)
{
}

CopyWriter::~CopyWriter()
{
    giveUp();
    kill("");
}

bool CopyWriter::start(const Spawner &spawner, int status, int go)
{
    Pipe pipe = Pipe::make();
    if (!pipe)
        return false;
    m_otherEnd = std::move(pipe.reader);
    m_pipe = std::move(pipe.writer);
    ::fcntl(m_pipe.get(), F_SETFL, O_NONBLOCK);
    const pid_t runner = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        beginChild(runner, {.streams = {m_otherEnd.get(), 1, 2}, .status = status, .go = go});
        runWriter(m_place, m_step, spawner, runner);
    }
    if (pid < 0)
        return false;
    m_pid = pid;
    m_children.addHelper(m_token, pid);
    return true;
}

bool CopyWriter::write(std::string_view bytes, Capture &writer)
{
    if (!m_pipe)
        return false;
    m_waiting += bytes;
    flush();
    if (m_waiting.empty())
        return false;
    m_paused.push_back(&writer);
    return true;
}

void CopyWriter::close()
{
    m_isClosing = true;
    m_paused.clear(); // they are finished
    flush();
}

void CopyWriter::kill(const std::string &reason)
{
    if (m_pid != 0)
        ::kill(m_pid, SIGKILL); // it is not reaped before onDeath()
    if (m_killReason.empty())
        m_killReason = reason;
}

void CopyWriter::abandon()
{
    if (std::exchange(m_pid, 0) == 0)
        return;
    giveUp();
    noteProblem(m_killReason);
}

std::size_t CopyWriter::rest() const
{
    int inPipe = 0;
    if (m_pid != 0)
        ::ioctl(m_otherEnd.get(), FIONREAD, &inPipe);
    return m_waiting.size() + std::size_t(inPipe);
}

void CopyWriter::noteProblem(const std::string &reason)
{
    m_problem = "cannot write '" + m_place.path + "': " + reason;
}

void CopyWriter::onDeath(int status)
{
    m_pid = 0;
    giveUp();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    if (WIFEXITED(status))
        noteProblem(std::strerror(WEXITSTATUS(status)));
    else
        noteProblem(m_killReason.empty() ? "its writer was killed" : m_killReason);
}

void CopyWriter::flush()
{
    while (m_pipe && !m_waiting.empty()) {
        const ssize_t written = ::write(m_pipe.get(), m_waiting.data(), m_waiting.size());
        if (written > 0)
            m_waiting.erase(0, std::size_t(written));
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            giveUp(); // it is dying, and its death tells why
    }
    if (m_pipe && m_waiting.empty() == m_isWatched) {
        epoll_event event{.events = EPOLLOUT, .data = {.ptr = static_cast<Watched *>(this)}};
        ::epoll_ctl(m_epoll, m_isWatched ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, m_pipe.get(), &event);
        m_isWatched = !m_isWatched;
    }
    if (!m_waiting.empty())
        return;
    for (Capture *const paused : std::exchange(m_paused, {}))
        paused->resume();
    if (m_isClosing)
        giveUp();
}

// Nothing more goes through the pipe.
void CopyWriter::giveUp()
{
    if (m_isWatched)
        ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, m_pipe.get(), nullptr);
    m_isWatched = false;
    m_pipe.reset();
    m_waiting.clear();
    for (Capture *const paused : std::exchange(m_paused, {}))
        paused->resume();
}

} // namespace drover::runner
