#include "app/bench/relay/delay_relay.h"

#include "app/bench/relay/delayed_stream.h"

#include <cerrno>
#include <future>
#include <memory>
#include <system_error>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

namespace drover::app {

using posix::FileDescriptor;
using Clock = DelayedStream::Clock;

namespace {

int checked(int result, const char *what)
{
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return result;
}

void enable(int fd, int level, int option)
{
    const int on = 1;
    checked(setsockopt(fd, level, option, &on, sizeof on), "setsockopt");
}

FileDescriptor newSocket()
{
    return FileDescriptor(
        checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "cannot make a socket"));
}

sockaddr_in loopback(quint16 port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// A socket on 127.0.0.1; `port` 0 means a free one. Several sockets of ours may share the port.
FileDescriptor boundSocket(quint16 port)
{
    FileDescriptor fd = newSocket();
    enable(fd.get(), SOL_SOCKET, SO_REUSEPORT);
    const sockaddr_in address = loopback(port);
    checked(bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address), "cannot bind to 127.0.0.1");
    return fd;
}

quint16 portOf(const FileDescriptor &fd)
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    checked(getsockname(fd.get(), reinterpret_cast<sockaddr *>(&address), &size), "getsockname");
    return ntohs(address.sin_port);
}

// Does not wait: a refusal may show at once or later, as an error of the first read.
FileDescriptor connectTo(quint16 port)
{
    FileDescriptor fd = newSocket();
    const sockaddr_in address = loopback(port);
    if (connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) < 0 && errno != EINPROGRESS)
        throw std::system_error(errno, std::generic_category(), "cannot connect to the target");
    return fd;
}

timespec toTimespec(Clock::duration duration)
{
    const auto nanoseconds = std::max<std::chrono::nanoseconds>(duration, std::chrono::nanoseconds(0)).count();
    return {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
}

} // namespace

class DelayRelay::Connection
{
public:
    Connection(FileDescriptor client, FileDescriptor target)
        : toTarget(client.get(), target.get()), fromTarget(target.get(), client.get()), m_client(std::move(client)),
          m_target(std::move(target))
    {
        enable(m_client.get(), IPPROTO_TCP, TCP_NODELAY);
        enable(m_target.get(), IPPROTO_TCP, TCP_NODELAY);
    }

    void addTo(std::vector<pollfd> &fds) const
    {
        fds.push_back(interest(m_client, toTarget, fromTarget));
        fds.push_back(interest(m_target, fromTarget, toTarget));
    }

    // `ready`: the two entries that addTo() made, after poll. False when the connection has ended, one way or another.
    bool work(const pollfd *ready, Clock::duration delay)
    {
        bool alive = true;
        const auto serve = [&](const pollfd &fd, DelayedStream &out, DelayedStream &in) {
            if (fd.revents & (POLLOUT | POLLERR | POLLHUP))
                in.hasRoom();
            if (fd.revents != 0 && out.wantsToReceive())
                alive = alive && out.receive(delay);
        };
        serve(ready[0], toTarget, fromTarget);
        serve(ready[1], fromTarget, toTarget);
        const Clock::time_point now = Clock::now();
        alive = alive && toTarget.send(now) && fromTarget.send(now);
        if (!alive)
            reset();
        return alive && !(toTarget.finished() && fromTarget.finished());
    }

    // Makes the closing that follows a reset.
    void reset()
    {
        const linger abort{1, 0};
        setsockopt(m_client.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
        setsockopt(m_target.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
    }

    DelayedStream toTarget;
    DelayedStream fromTarget;

private:
    // A socket of which nothing is wanted is left out (-1): poll would report its errors over and over.
    static pollfd interest(const FileDescriptor &fd, const DelayedStream &out, const DelayedStream &in)
    {
        const int events = (out.wantsToReceive() ? POLLIN : 0) | (in.wantsToSend() ? POLLOUT : 0);
        return {events ? fd.get() : -1, static_cast<short>(events), 0};
    }

    FileDescriptor m_client;
    FileDescriptor m_target;
};

DelayRelay::DelayRelay(quint16 targetPort, std::chrono::nanoseconds roundTrip)
    : m_targetPort(targetPort), m_wake(checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")),
      m_reservation(boundSocket(0)), m_delay(roundTrip / 2)
{
    m_port = portOf(m_reservation);
    listen();
    m_thread = std::thread([this] { run(); });
}

DelayRelay::~DelayRelay()
{
    dropConnections();
    inThread([this] { m_stopping = true; });
    m_thread.join();
}

void DelayRelay::setRoundTrip(std::chrono::nanoseconds roundTrip)
{
    inThread([this, roundTrip] { m_delay = roundTrip / 2; });
}

void DelayRelay::dropConnections()
{
    inThread([this] {
        while (!m_connections.empty()) {
            m_connections.front().reset();
            close(m_connections.begin());
        }
    });
}

void DelayRelay::refuse()
{
    inThread([this] { m_listener.reset(); });
}

void DelayRelay::silence(Direction direction)
{
    inThread([this, direction] {
        setSilence(m_silentToTarget || direction != Direction::FromTarget,
                   m_silentFromTarget || direction != Direction::ToTarget);
    });
}

void DelayRelay::resume()
{
    inThread([this] {
        if (!m_listener)
            listen();
        setSilence(false, false);
    });
}

DelayRelay::Counters DelayRelay::counters() const
{
    Counters counters;
    inThread([&] {
        counters = m_counters;
        counters.open = static_cast<int>(m_connections.size());
        for (const Connection &connection : m_connections) {
            counters.bytesToTarget += connection.toTarget.bytes();
            counters.bytesFromTarget += connection.fromTarget.bytes();
        }
    });
    return counters;
}

// Runs `command` between two turns of the relay's loop; returns when it has run, and throws what it threw.
void DelayRelay::inThread(std::function<void()> command) const
{
    const auto task = std::make_shared<std::packaged_task<void()>>(std::move(command));
    std::future<void> done = task->get_future();
    {
        const std::lock_guard lock(m_mutex);
        m_commands.emplace_back([task] { (*task)(); });
    }
    eventfd_write(m_wake.get(), 1);
    done.get();
}

void DelayRelay::run()
{
    prctl(PR_SET_TIMERSLACK, 1); // the default lets the kernel wake us 50 microseconds late
    while (!m_stopping)
        poll();
}

// One turn: waits until something arrives or falls due, and deals with all of it.
void DelayRelay::poll()
{
    std::vector<pollfd> fds{{m_wake.get(), POLLIN, 0}, {m_listener.get(), POLLIN, 0}};
    std::optional<Clock::time_point> next;
    for (const Connection &connection : m_connections) {
        connection.addTo(fds);
        for (const auto due : {connection.toTarget.nextDue(), connection.fromTarget.nextDue()}) {
            if (due && (!next || *due < *next))
                next = due;
        }
    }
    const timespec timeout = next ? toTimespec(*next - Clock::now()) : timespec{};
    if (ppoll(fds.data(), fds.size(), next ? &timeout : nullptr, nullptr) < 0)
        return; // EINTR
    const pollfd *ready = fds.data() + 2; // the end, if there is no connection
    for (auto connection = m_connections.begin(); connection != m_connections.end(); ready += 2) {
        const auto current = connection++;
        if (!current->work(ready, m_delay))
            close(current);
    }
    if (fds[1].revents != 0)
        acceptAll();
    if (fds[0].revents != 0)
        runCommands();
}

void DelayRelay::acceptAll()
{
    for (;;) {
        FileDescriptor client(accept4(m_listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!client)
            return;
        ++m_counters.accepted;
        try {
            Connection &connection = m_connections.emplace_back(std::move(client), connectTo(m_targetPort));
            connection.toTarget.setSilent(m_silentToTarget);
            connection.fromTarget.setSilent(m_silentFromTarget);
        } catch (const std::system_error &) {
            // The target does not listen: the client's connection is closed, as the target would close it.
        }
    }
}

void DelayRelay::close(std::list<Connection>::iterator connection)
{
    m_counters.bytesToTarget += connection->toTarget.bytes();
    m_counters.bytesFromTarget += connection->fromTarget.bytes();
    m_connections.erase(connection);
}

void DelayRelay::runCommands()
{
    eventfd_t count = 0;
    eventfd_read(m_wake.get(), &count);
    std::vector<std::function<void()>> commands;
    {
        const std::lock_guard lock(m_mutex);
        commands.swap(m_commands);
    }
    for (const auto &command : commands)
        command();
}

void DelayRelay::listen()
{
    m_listener = boundSocket(m_port);
    checked(::listen(m_listener.get(), SOMAXCONN), "cannot listen");
}

void DelayRelay::setSilence(bool toTarget, bool fromTarget)
{
    m_silentToTarget = toTarget;
    m_silentFromTarget = fromTarget;
    for (Connection &connection : m_connections) {
        connection.toTarget.setSilent(toTarget);
        connection.fromTarget.setSilent(fromTarget);
    }
}

} // namespace drover::app
