#include "zk/client/socket_watch.h"

#include <QPointer>

#include <fcntl.h>

namespace drover::zk {

SocketWatch::SocketWatch(async::Loop &loop, std::function<void(const Pass &)> pass)
    : m_loop(loop), m_pass(std::move(pass))
{
    connect(m_readable.get(), &QSocketNotifier::activated, this, [this] { begin({.readable = true}); });
    connect(m_writable.get(), &QSocketNotifier::activated, this, [this] { begin({.writable = true}); });
}

void SocketWatch::arm(int socket, bool write, async::Duration wait)
{
    listen(socket, write);
    m_deadline = m_loop.now() + wait;
    m_timer = m_loop.after(wait, [this] { begin({}); });
}

void SocketWatch::wake()
{
    if (std::exchange(m_awake, true))
        return;
    m_loop.post([watch = QPointer(this)] {
        if (watch)
            watch->begin({});
    });
}

void SocketWatch::stop()
{
    forget();
    m_timer.cancel();
}

void SocketWatch::listen(int socket, bool write)
{
    if (socket >= 0 && socket != m_readable->socket())
        ::fcntl(socket, F_SETFD, FD_CLOEXEC); // libzookeeper does not; no program that we start may hold our connection
    for (QSocketNotifier *notifier : {m_readable.get(), m_writable.get()}) {
        if (notifier->socket() != socket) {
            notifier->setEnabled(false);
            notifier->setSocket(socket);
        }
    }
    m_readable->setEnabled(socket >= 0);
    m_writable->setEnabled(socket >= 0 && write);
}

void SocketWatch::begin(Pass pass)
{
    m_awake = false;
    if (m_deadline != async::TimePoint{})
        pass.late = std::max<async::Duration>(m_loop.now() - m_deadline, async::Duration{0});
    m_deadline = {};
    const auto callback = m_pass; // outlives this
    callback(pass);
}

} // namespace drover::zk
