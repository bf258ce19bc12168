#include "workers/runner/worker_socket.h"

#include <cerrno>
#include <cstdio>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace drover::runner {

using namespace workers::protocol;

WorkerSocket::WorkerSocket(posix::FileDescriptor socket, int epoll)
    : m_socket(std::move(socket)), m_epoll(epoll), m_request(maxMessage + 1)
{
    watch(EPOLL_CTL_ADD, EPOLLIN);
}

std::optional<Request> WorkerSocket::receive()
{
    const ssize_t got = ::recv(m_socket.get(), m_request.data(), m_request.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return std::nullopt;
    m_over = got <= 0;
    if (m_over)
        return std::nullopt;
    std::optional<Request> request = decodeRequest({m_request.data(), std::size_t(got)});
    if (!request) {
        std::fputs("drover-runner: a message that makes no sense; the worker and drover-runner must be of one build\n",
                   stderr);
        m_over = true;
        m_exitCode = 1;
    }
    return request;
}

void WorkerSocket::flush()
{
    while (!m_replies.empty()) {
        const std::string &next = m_replies.front();
        if (::send(m_socket.get(), next.data(), next.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
            if (errno == EINTR)
                continue;
            break; // full: EPOLLOUT comes; closed: so does the end of the requests
        }
        m_replies.pop_front();
    }
    const bool full = !m_replies.empty();
    if (full != m_full)
        watch(EPOLL_CTL_MOD, EPOLLIN | (full ? std::uint32_t(EPOLLOUT) : 0u));
    m_full = full;
}

void WorkerSocket::watch(int operation, std::uint32_t events)
{
    epoll_event event{.events = events, .data = {.ptr = this}};
    ::epoll_ctl(m_epoll, operation, m_socket.get(), &event);
}

} // namespace drover::runner
