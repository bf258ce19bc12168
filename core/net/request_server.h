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

// The server cannot listen on the address and port; what() is one line that says why.
class CannotListen : public std::runtime_error
{
public:
    explicit CannotListen(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// A handler throws this to refuse a request. The client gets the reason, and the server closes the connection.
class RefusedRequest : public std::runtime_error
{
public:
    explicit RefusedRequest(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// Answers requests over TCP of clients that have the key (shared_key.h). It runs on a thread of its own, so neither
// slow disks nor slow clients delay the owner's thread.
//
//     1  A connection must prove its key within `handshake`; no request is read before that.
//     2  A connection has one request in work and one reply in transit. The server reads the next request when the
//        client has taken the reply, so a connection costs one request and one reply of memory.
//     3  The server closes a connection that takes no byte of a reply for `stalled`, sends no request for `idle`, or
//        sends an invalid one. A connection beyond `connections` takes the place of one that is not at work
//        (making_room.h); if all are, the server closes the new one. TLS begins with a whole greeting (greeting.h).
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

    // Returns the reply, or nothing if there is none yet. Then the server calls it again every PollInterval, with how
    // long the request has waited. `waited` is WaitNoLonger once the client sends another request. Runs on the server's
    // thread and may read files. Throws RefusedRequest.
    using Handler =
        std::function<std::optional<QByteArray>(const QByteArray &request, std::chrono::milliseconds waited)>;

    // Begins to listen; port 0 takes a free one. Clients can connect only after setKey(). Throws CannotListen.
    RequestServer(const QHostAddress &address, quint16 port, Handler handler);
    RequestServer(const QHostAddress &address, quint16 port, Handler handler, Limits limits);
    RequestServer(const RequestServer &) = delete;
    RequestServer &operator=(const RequestServer &) = delete;
    ~RequestServer(); // closes all connections; waits for the handler

    quint16 port() const { return m_port; }
    // Sets the key of all connections that arrive from now on; existing ones stay open.
    void setKey(SharedKey key);
    int connections() const;

private:
    class Listener;
    class Connection;

    QThread m_thread;
    Listener *m_listener = nullptr; // lives on the server's thread
    quint16 m_port = 0;
};

} // namespace drover::net
