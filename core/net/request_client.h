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

// No answer: nobody listens, the connection broke, or time is up. What was asked may have been done.
class Unreachable : public std::runtime_error
{
public:
    explicit Unreachable(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// Who answers does not have our key, or is no RequestServer at all.
class WrongKey : public std::runtime_error
{
public:
    explicit WrongKey(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The server does not answer this; what() is what it says.
class Refused : public std::runtime_error
{
public:
    explicit Refused(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// Asks one RequestServer. Of the thread of `loop`, which is a Qt event loop and is never blocked. It connects with the
// first request (three round trips) and again after a connection has broken; each request is one round trip.
class RequestClient
{
public:
    // Replies of more than `replyLimit` bytes are taken for garbage.
    RequestClient(async::Loop &loop, Endpoint endpoint, SharedKey key, qint64 replyLimit);
    RequestClient(const RequestClient &) = delete;
    RequestClient &operator=(const RequestClient &) = delete;
    ~RequestClient();

    const Endpoint &endpoint() const { return m_endpoint; }

    // The reply, within `limit`, connecting included. One at a time; a task that is destroyed before its end leaves
    // the connection usable: the server answers at once when it is asked something else, and that reply is passed over.
    // Requests are repeatable or know by themselves whether they have been done. Throws Unreachable, WrongKey, Refused.
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
    std::unique_ptr<QSslSocket, void (*)(QSslSocket *)> m_socket; // none: not connected
    async::Promise<bool> m_encrypted;
    async::Promise<QByteArray> m_reply;
    int m_owed = 0; // replies that the server has not sent yet; all but the last belong to nobody
};

} // namespace drover::net
