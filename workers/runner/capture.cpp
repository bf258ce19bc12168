#include "workers/runner/capture.h"

#include "workers/runner/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

namespace drover::runner {

namespace {

constexpr std::size_t bufferSize = 64 * 1024; // what a pipe holds
constexpr int shareOfReads = 4;

} // namespace

void Tail::append(std::string_view bytes)
{
    if (bytes.size() > size)
        bytes.remove_prefix(bytes.size() - size);
    m_bytes += bytes;
    if (m_bytes.size() > 2 * size)
        m_bytes.erase(0, m_bytes.size() - size);
}

std::string Tail::take()
{
    if (m_bytes.size() > size)
        m_bytes.erase(0, m_bytes.size() - size);
    return std::move(m_bytes);
}

// O_NONBLOCK: what is no file, a pipe for example, is not waited for.
Fd openCopy(const std::string &path)
{
    const auto open = [&] {
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    };
    Fd file(open());
    if (!file && errno == ENOENT) {
        makeFolders(path, 0777);
        file = Fd(open());
    }
    return file;
}

Capture::Capture(std::string path, std::uint64_t cap, Tail &tail, int epoll)
    : m_file(std::move(path), cap), m_cap(cap), m_tail(tail), m_epoll(epoll)
{
}

Fd Capture::open()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return Fd();
    m_pipe = Fd(ends[0]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK); // this end only: the job's must block
    epoll_event event{.events = EPOLLIN, .data = {.ptr = this}};
    ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, ends[0], &event);
    return Fd(ends[1]);
}

void Capture::drain()
{
    for (int i = 0; i < shareOfReads && readOnce(bufferSize); ++i) { }
}

void Capture::finish()
{
    // A process that left the job's group may hold the pipe and write for ever: what is there now is all that counts.
    int waiting = 0;
    if (m_pipe && ::ioctl(m_pipe.get(), FIONREAD, &waiting) == 0) {
        std::uint64_t end = m_bytes + std::uint64_t(waiting);
        while (m_bytes < end && readOnce(std::min<std::uint64_t>(bufferSize, end - m_bytes))) { }
    }
    closePipe();
    m_file.finish();
}

// Whether there may be more at once.
bool Capture::readOnce(std::size_t atMost)
{
    char buffer[bufferSize];
    const ssize_t got = ::read(m_pipe.get(), buffer, atMost);
    if (got > 0) {
        const std::string_view bytes(buffer, std::size_t(got));
        m_tail.append(bytes);
        keep(bytes);
        m_bytes += bytes.size();
        return bytes.size() == atMost;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR))
        closePipe(); // everyone has closed the other end
    return false;
}

// The copy gets no more than the beginning: it is never rotated.
void Capture::keep(std::string_view bytes)
{
    m_file.write(bytes);
    const std::string_view beginning = bytes.substr(0, m_bytes < m_cap ? m_cap - m_bytes : 0);
    if (m_copy && !writeAll(*m_copy, beginning)) {
        m_copyProblem = "cannot write '" + m_copyPath + "': " + std::strerror(errno);
        m_copy.reset();
    }
}

void Capture::copyTo(std::shared_ptr<const Fd> file, std::string path)
{
    m_copy = std::move(file);
    m_copyPath = std::move(path);
}

// Closing alone would not do: a child on its way through exec holds every descriptor for some microseconds after its
// vfork has let this process go on, and as long as it does the epoll would name this object, alive or not.
void Capture::closePipe()
{
    if (m_pipe)
        ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, m_pipe.get(), nullptr);
    m_pipe.reset();
}

} // namespace drover::runner
