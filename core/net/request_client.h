#pragma once

#include "async/future.h"
#include "async/loop.h"
#include "async/task.h"
#include "net/endpoint.h"
#include "net/shared_key.h"

#include <QSslSocket>

#include <memory>
#include <stdexcept>

namespace drover::net {

// No answer: no listener, a broken connection, or a time-out. The server may have carried out the request.
class Unreachable : public std::runtime_error
{
public:
    explicit Unreachable(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The peer does not have the client's key, or is not a RequestServer.
class WrongKey : public std::runtime_error
{
public:
    explicit WrongKey(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The server refuses the request; what() is the reason that it sent.
class Refused : public std::runtime_error
{
public:
    explicit Refused(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// Sends requests to one RequestServer. It lives on the thread of `loop`, a Qt event loop, and never blocks it. It
// connects with the first request (three round trips), and again after a connection has broken. Each request is one
// round trip.
class RequestClient
{
public:
    // A reply of more than `replyLimit` bytes breaks the connection.
    RequestClient(async::Loop &loop, Endpoint endpoint, SharedKey key, qint64 replyLimit);
    RequestClient(const RequestClient &) = delete;
    RequestClient &operator=(const RequestClient &) = delete;
    ~RequestClient();

    const Endpoint &endpoint() const { return m_endpoint; }

    // Returns the reply. `limit` includes connecting; after it Unreachable is thrown. One request at a time. A task may
    // be destroyed before its end: the connection stays usable, and the client skips the late reply.
    //
    // A request whose reply was lost may have been carried out. So it must be repeatable, or the server must recognise
    // a repeated one. Throws Unreachable, WrongKey, Refused.
    async::Task<QByteArray> request(QByteArray payload, async::Duration limit);

private:
    async::Task<QByteArray> exchange(QByteArray payload);
    void connectSocket();
    void onReadyRead();
    void onError(QAbstractSocket::SocketError error);
    void drop();
    void fail(const std::exception_ptr &error);

    async::Loop &m_loop;
    const Endpoint m_endpoint;
    const SharedKey m_key;
    const qint64 m_replyLimit;
    std::unique_ptr<QSslSocket, void (*)(QSslSocket *)> m_socket; // null: not connected
    async::Promise<bool> m_encrypted;
    async::Promise<QByteArray> m_reply;
    int m_owed = 0; // replies still to come; all but the last are dropped
};

} // namespace drover::net
