#include "workers/runner/capture.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

namespace drover::runner {

namespace {

constexpr std::size_t bufferSize = 64 * 1024; // what a pipe holds
constexpr int shareOfReads = 4;

// Makes the folders above `path` that are missing, for their owner alone.
void makeFolders(const std::string &path)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        ::mkdir(path.substr(0, slash).c_str(), 0700);
}

int openForOwner(const std::string &path)
{
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
}

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

Capture::Capture(std::string path, std::uint64_t cap, Tail &tail, int epoll)
    : m_path(std::move(path)), m_cap(cap), m_tail(tail), m_epoll(epoll)
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
    m_file.reset();
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

void Capture::keep(std::string_view bytes)
{
    if (m_path.empty() || m_truncated)
        return;
    const std::uint64_t room = m_cap - m_bytes; // what came so far is in the file: nothing was truncated
    std::string_view rest = bytes.substr(0, room);
    m_truncated = rest.size() < bytes.size();
    if (rest.empty() || (!m_file && !openFile()))
        return;
    while (!rest.empty()) {
        const ssize_t written = ::write(m_file.get(), rest.data(), rest.size());
        if (written > 0) {
            rest.remove_prefix(std::size_t(written));
        } else if (errno != EINTR) {
            m_problem = "cannot write '" + m_path + "': " + std::strerror(errno);
            m_truncated = true;
            m_file.reset();
            return;
        }
    }
}

// Closing alone would not do: a child on its way through exec holds every descriptor for some microseconds after its
// vfork has let this process go on, and as long as it does the epoll would name this object, alive or not.
void Capture::closePipe()
{
    if (m_pipe)
        ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, m_pipe.get(), nullptr);
    m_pipe.reset();
}

bool Capture::openFile()
{
    int file = openForOwner(m_path);
    if (file < 0 && errno == ENOENT) {
        makeFolders(m_path);
        file = openForOwner(m_path);
    }
    if (file < 0) {
        m_problem = "cannot create '" + m_path + "': " + std::strerror(errno);
        m_truncated = true;
    }
    m_file = Fd(file);
    return file >= 0;
}

} // namespace drover::runner
