#pragma once

#include "posix/file_descriptor.h"

#include <QtGlobal>

#include <netinet/in.h>
#include <sys/socket.h>

namespace drover::test {

// A port of the loopback interface, kept for the worker that is to listen there. It is bound and never listens.
class ReservedPort
{
public:
    ReservedPort() : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        const int reuse = 1;
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto *const plain = reinterpret_cast<sockaddr *>(&address);
        socklen_t size = sizeof(address);
        if (::setsockopt(m_socket.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse)) == 0
            && ::bind(m_socket.get(), plain, size) == 0 && ::getsockname(m_socket.get(), plain, &size) == 0)
            m_number = ntohs(address.sin_port);
    }
    quint16 number() const { return m_number; }

private:
    posix::FileDescriptor m_socket;
    quint16 m_number = 0;
};

} // namespace drover::test
