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

// Makes the folders above `path` that are missing.
void makeFolders(const std::string &path, mode_t mode)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        ::mkdir(path.substr(0, slash).c_str(), mode);
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

// O_NONBLOCK: what is no file, a pipe for example, is not waited for.
Fd openCopy(const std::string &path)
{
    const auto open = [&] {
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    };
    Fd file(open());
    if (!file && errno == ENOENT) {
        makeFolders(path, 0777);
        file = Fd(open());
    }
    return file;
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
    if (m_full)
        return;
    const std::string_view rest = bytes.substr(0, m_cap - m_bytes);
    m_full = rest.size() < bytes.size();
    if (rest.empty())
        return;
    if (!m_path.empty() && !m_lost && (m_file || openFile()) && !write(m_file, m_path, rest)) {
        m_lost = true;
        m_file.reset();
    }
    if (m_copy && !write(*m_copy, m_copyPath, rest))
        m_copy.reset();
}

bool Capture::write(const Fd &file, const std::string &path, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(std::size_t(written));
        } else if (errno != EINTR) {
            m_problem = "cannot write '" + path + "': " + std::strerror(errno);
            return false;
        }
    }
    return true;
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

bool Capture::openFile()
{
    int file = openForOwner(m_path);
    if (file < 0 && errno == ENOENT) {
        makeFolders(m_path, 0700);
        file = openForOwner(m_path);
    }
    if (file < 0) {
        m_problem = "cannot create '" + m_path + "': " + std::strerror(errno);
        m_lost = true;
    }
    m_file = Fd(file);
    return file >= 0;
}

} // namespace drover::runner
