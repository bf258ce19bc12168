#include "net/greeting.h"

#include <array>
#include <cerrno>

#include <sys/socket.h>

namespace drover::net {

namespace {

// RFC 8446, 5.1: a record is a type, a version, the length of what follows, and so many bytes.
constexpr int HeaderSize = 5;
constexpr unsigned char Handshake = 22;
constexpr int LargestGreeting = 2'048; // TLS reads or refuses a longer one at once

void becomeReadableAt(int socket, int bytes)
{
    ::setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

} // namespace

bool hasGreeted(int socket)
{
    std::array<unsigned char, HeaderSize + LargestGreeting> greeting{};
    const ssize_t size = ::recv(socket, greeting.data(), greeting.size(), MSG_PEEK | MSG_DONTWAIT);
    if (size < 0)
        return errno != EAGAIN && errno != EINTR;
    int wanted = HeaderSize;
    if (size >= HeaderSize)
        wanted += greeting[3] << 8 | greeting[4];
    if (size == 0 || greeting[0] != Handshake || wanted > HeaderSize + LargestGreeting || size >= wanted) {
        becomeReadableAt(socket, 1);
        return true;
    }
    becomeReadableAt(socket, wanted);
    return false;
}

} // namespace drover::net
