#pragma once

#include "net/shared_key.h"

#include <QHostAddress>
#include <QThread>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

namespace drover::net {

// The address or port cannot be had; what() is one line.
class CannotListen : public std::runtime_error
{
public:
    explicit CannotListen(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// What a handler throws for a request that it does not answer: the client is told why, and its connection closed.
class RefusedRequest : public std::runtime_error
{
public:
    explicit RefusedRequest(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// Answers requests of clients that have the key (shared_key.h), over TCP, on a thread of its own, so that neither slow
// disks nor slow clients are felt by whoever owns it.
//
//     1  Before its key is proven a connection can say nothing, and has `handshake` to prove it.
//     2  A connection has one request in work and one reply under way; the next request is read when the client has
//        taken the reply. So a connection costs a request and a reply of memory, whatever the client does.
//     3  Who takes nothing of a reply for `stalled`, or asks nothing for `idle`, is cut off; so is who sends what is no
//        request. A connection over `connections` takes the place of the oldest that has not proven its key;
//        if all have, it is closed at once.
class RequestServer
{
public:
    struct Limits {
        int connections = 128;
        qint64 requestSize = 1024; // bytes
        std::chrono::milliseconds handshake{5'000};
        std::chrono::milliseconds idle{60'000};
        std::chrono::milliseconds stalled{30'000};
    };

    static constexpr std::chrono::milliseconds PollInterval{50};
    static constexpr std::chrono::milliseconds WaitNoLonger = std::chrono::milliseconds::max();

    // The reply; or nothing while there is nothing to say yet: then it is asked again every PollInterval, with how long
    // the request has waited, and with WaitNoLonger once the client asks for something else. May read files, on the
    // server's thread. Throws RefusedRequest.
    using Handler =
        std::function<std::optional<QByteArray>(const QByteArray &request, std::chrono::milliseconds waited)>;

    // Listens from now on; port 0 takes a free one. Nobody is let in before setKey(). Throws CannotListen.
    RequestServer(const QHostAddress &address, quint16 port, Handler handler);
    RequestServer(const QHostAddress &address, quint16 port, Handler handler, Limits limits);
    RequestServer(const RequestServer &) = delete;
    RequestServer &operator=(const RequestServer &) = delete;
    ~RequestServer(); // closes the connections, and waits for the handler to return

    quint16 port() const { return m_port; }
    // For connections that come from now on.
    void setKey(SharedKey key);
    int connections() const;

private:
    class Listener;
    class Connection;

    QThread m_thread;
    Listener *m_listener = nullptr; // lives on the thread
    quint16 m_port = 0;
};

} // namespace drover::net
