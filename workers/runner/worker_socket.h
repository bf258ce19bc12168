#pragma once

#include "posix/file_descriptor.h"
#include "workers/process/runner_protocol.h"

#include <deque>
#include <string>
#include <vector>

namespace drover::runner {

// The runner's end of the socket to its worker. A reply that the socket does not take at once waits in memory and is
// never lost. The number of running jobs limits these replies.
class WorkerSocket
{
public:
    // `epoll` reports when requests have come, with this object as its tag, or when waiting replies can be sent.
    WorkerSocket(posix::FileDescriptor socket, int epoll);
    WorkerSocket(const WorkerSocket &) = delete;
    WorkerSocket &operator=(const WorkerSocket &) = delete;

    // The next request; nothing if none has come.
    std::optional<workers::protocol::Request> receive();
    // The worker has gone, or has sent a message that makes no sense. Nothing more comes.
    bool isOver() const { return m_over; }
    // 1 after a message that makes no sense.
    int exitCode() const { return m_exitCode; }

    template <typename Message>
    void send(const Message &message)
    {
        m_replies.push_back(workers::protocol::encode(message));
        if (!m_full)
            flush();
    }
    void flush();

private:
    void watch(int operation, std::uint32_t events);

    posix::FileDescriptor m_socket;
    int m_epoll;
    std::vector<char> m_request;
    std::deque<std::string> m_replies;
    bool m_full = false; // waiting for EPOLLOUT
    bool m_over = false;
    int m_exitCode = 0;
};

} // namespace drover::runner
