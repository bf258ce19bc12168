#include "reply_swallower.h"

#include <QString>
#include <QtEndian>

#include <algorithm>
#include <array>
#include <system_error>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

namespace drover::test {

namespace {

constexpr int PollMs = 20; // how late a command is obeyed
constexpr std::array WriteTypes{1, 2, 5, 7, 14, 15, 19, 21}; // ZooDefs.OpCode: those that change znodes

sockaddr_in loopback(quint16 port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

void require(bool success, const char *what)
{
    if (!success)
        throw std::system_error(errno, std::generic_category(), what);
}

bool sendAll(const posix::FileDescriptor &to, const QByteArray &bytes)
{
    for (qsizetype sent = 0; sent < bytes.size();) {
        const ssize_t count =
            ::send(to.get(), bytes.constData() + sent, static_cast<size_t>(bytes.size() - sent), MSG_NOSIGNAL);
        if (count <= 0)
            return false;
        sent += count;
    }
    return true;
}

// Adds what has come. False at the end.
bool receive(const posix::FileDescriptor &from, QByteArray &buffer)
{
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(from.get(), bytes.data(), bytes.size(), 0);
    if (count > 0)
        buffer.append(bytes.data(), count);
    return count > 0;
}

// The next whole frame, with its length; empty if there is none.
QByteArray takeFrame(QByteArray &buffer)
{
    if (buffer.size() < 4)
        return {};
    const qsizetype size = 4 + qFromBigEndian<qint32>(buffer.constData());
    if (buffer.size() < size)
        return {};
    const QByteArray frame = buffer.left(size);
    buffer.remove(0, size);
    return frame;
}

qint32 numberAt(const QByteArray &frame, qsizetype offset)
{
    return frame.size() < offset + 4 ? 0 : qFromBigEndian<qint32>(frame.constData() + offset);
}

bool isReadable(short events)
{
    return events & (POLLIN | POLLHUP | POLLERR);
}

} // namespace

ReplySwallower::ReplySwallower(quint16 server, int spared)
    : m_server(server), m_spared(spared), m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto *const any = reinterpret_cast<sockaddr *>(&address);
    require(::bind(m_listener.get(), any, size) == 0, "bind");
    require(::listen(m_listener.get(), 8) == 0, "listen");
    require(::getsockname(m_listener.get(), any, &size) == 0, "getsockname");
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { run(); });
}

ReplySwallower::~ReplySwallower()
{
    m_stop = true;
    m_thread.join();
}

QString ReplySwallower::connectString() const
{
    return QStringLiteral("127.0.0.1:%1").arg(m_port);
}

void ReplySwallower::run()
{
    while (!m_stop) {
        if (m_cut) {
            m_client.reset();
            m_upstream.reset();
            m_cut = !m_resumed;
        }
        std::array<pollfd, 3> fds{{{m_client ? -1 : m_listener.get(), POLLIN, 0},
                                   {m_client.get(), POLLIN, 0},
                                   {m_upstream.get(), POLLIN, 0}}};
        ::poll(fds.data(), fds.size(), PollMs);
        if (fds[0].revents)
            accept();
        const bool open =
            (!isReadable(fds[1].revents) || passRequests()) && (!isReadable(fds[2].revents) || passReplies());
        if (!open) {
            m_client.reset();
            m_upstream.reset();
        }
    }
}

void ReplySwallower::accept()
{
    posix::FileDescriptor client(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (m_cut)
        return; // refused
    posix::FileDescriptor upstream(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(m_server);
    if (::connect(upstream.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        return;
    m_client = std::move(client);
    m_upstream = std::move(upstream);
    m_requests.clear();
    m_replies.clear();
    m_greeted = false;
}

bool ReplySwallower::passRequests()
{
    if (!receive(m_client, m_requests))
        return false;
    for (QByteArray frame = takeFrame(m_requests); !frame.isEmpty(); frame = takeFrame(m_requests)) {
        if (std::exchange(m_greeted, true))
            noteRequest(frame);
        if (!sendAll(m_upstream, frame))
            return false;
    }
    return true;
}

void ReplySwallower::noteRequest(const QByteArray &frame)
{
    const bool isWrite = std::find(WriteTypes.begin(), WriteTypes.end(), numberAt(frame, 8)) != WriteTypes.end();
    if (isWrite && m_write == 0 && m_spared-- == 0)
        m_write = numberAt(frame, 4);
}

bool ReplySwallower::passReplies()
{
    if (!receive(m_upstream, m_replies))
        return false;
    for (QByteArray frame = takeFrame(m_replies); !frame.isEmpty(); frame = takeFrame(m_replies)) {
        if (m_write != 0 && numberAt(frame, 4) == m_write)
            m_swallowed = true;
        const bool lost = m_swallowed && !m_resumed;
        if (!lost && !sendAll(m_client, frame))
            return false;
    }
    return true;
}

} // namespace drover::test
