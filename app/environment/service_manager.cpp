#include "app/environment/service_manager.h"

#include "posix/file_descriptor.h"

#include <QCoreApplication>

#include <cstddef>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

namespace drover::app {

namespace {

constexpr std::chrono::seconds TimeToEnd(15); // once no job runs

QByteArray takeVariable(const char *name)
{
    QByteArray value = qgetenv(name);
    qunsetenv(name);
    return value;
}

// The time within which systemd wants to be fed; zero: it has no watchdog, or one for another process.
async::Duration watchdogTime()
{
    const QByteArray process = takeVariable("WATCHDOG_PID");
    const std::chrono::microseconds time(takeVariable("WATCHDOG_USEC").toLongLong());
    const bool isForUs = process.isEmpty() || process.toLongLong() == QCoreApplication::applicationPid();
    return isForUs ? std::chrono::duration_cast<async::Duration>(time) : async::Duration::zero();
}

} // namespace

ServiceManager::ServiceManager(async::Loop &loop) : m_socket(takeVariable("NOTIFY_SOCKET"))
{
    const async::Duration time = watchdogTime();
    if (!m_socket.isEmpty() && time > async::Duration::zero())
        feedWatchdog(loop, time / 2);
}

void ServiceManager::report(const QByteArray &state) const
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (m_socket.isEmpty() || m_socket.size() >= qsizetype(sizeof address.sun_path))
        return;
    std::memcpy(address.sun_path, m_socket.constData(), std::size_t(m_socket.size()));
    if (address.sun_path[0] == '@') // a name outside the file system
        address.sun_path[0] = '\0';
    const posix::FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto length = socklen_t(offsetof(sockaddr_un, sun_path) + std::size_t(m_socket.size()));
    if (socket)
        ::sendto(socket.get(), state.constData(), std::size_t(state.size()), MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr *>(&address), length);
}

void ServiceManager::stopping(std::chrono::milliseconds within) const
{
    report("STOPPING=1");
    report("EXTEND_TIMEOUT_USEC=" + QByteArray::number(qint64(std::chrono::microseconds(within + TimeToEnd).count())));
}

void ServiceManager::feedWatchdog(async::Loop &loop, async::Duration pause)
{
    report("WATCHDOG=1");
    m_watchdog = loop.after(pause, [this, &loop, pause] { feedWatchdog(loop, pause); });
}

} // namespace drover::app
