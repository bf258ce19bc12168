#include "workers/runner/capture.h"

#include "posix/pipe.h"
#include "workers/runner/copy_writer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

namespace drover::runner {

using namespace posix;

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

Capture::Capture(std::string path, std::uint64_t cap, Tail &tail, int epoll)
    : m_file(std::move(path), cap), m_cap(cap), m_tail(tail), m_epoll(epoll)
{
}

FileDescriptor Capture::open()
{
    Pipe pipe = Pipe::make();
    if (!pipe)
        return FileDescriptor();
    m_pipe = std::move(pipe.reader);
    ::fcntl(m_pipe.get(), F_SETFL, O_NONBLOCK); // this end only: the job's must block
    listen();
    return std::move(pipe.writer);
}

void Capture::listen()
{
    epoll_event event{.events = EPOLLIN, .data = {.ptr = static_cast<Watched *>(this)}};
    ::epoll_ctl(m_epoll, EPOLL_CTL_ADD, m_pipe.get(), &event);
}

void Capture::onReady()
{
    for (int i = 0; i < shareOfReads && !m_isPaused && readOnce(bufferSize); ++i) { }
}

void Capture::resume()
{
    if (std::exchange(m_isPaused, false) && m_pipe)
        listen();
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
    static char buffer[bufferSize]; // of the one thread that captures; on the stack it would be cleared for each read
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

// The copy gets only the beginning: it is never rotated. While paused the pipe must not be in the epoll, which would
// report the pipe's end all the time.
void Capture::keep(std::string_view bytes)
{
    m_file.write(bytes);
    const std::string_view beginning = bytes.substr(0, m_bytes < m_cap ? m_cap - m_bytes : 0);
    if (m_copy && !beginning.empty() && m_copy->write(beginning, *this) && !std::exchange(m_isPaused, true))
        ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, m_pipe.get(), nullptr);
}

// Closing alone would not do: a child that was forked just now holds every descriptor for some microseconds, and as
// long as it does the epoll would name this object, alive or not.
void Capture::closePipe()
{
    if (m_pipe)
        ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, m_pipe.get(), nullptr);
    m_pipe.reset();
}

} // namespace drover::runner
