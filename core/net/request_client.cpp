#include "net/request_client.h"

#include "async/or_timeout.h"
#include "net/frame.h"

namespace drover::net {

namespace {

// Not at once: it may be one of its own signals by which it is given up.
void giveUp(QSslSocket *socket)
{
    socket->disconnect();
    socket->abort();
    socket->deleteLater();
}

} // namespace

RequestClient::RequestClient(async::Loop &loop, Endpoint endpoint, SharedKey key, qint64 replyLimit)
    : m_loop(loop), m_endpoint(std::move(endpoint)), m_key(std::move(key)), m_replyLimit(replyLimit),
      m_socket(nullptr, giveUp)
{
}

RequestClient::~RequestClient() = default;

async::Task<QByteArray> RequestClient::request(QByteArray payload, async::Duration limit)
{
    std::exception_ptr late;
    try {
        co_return co_await async::orTimeout(m_loop, exchange(std::move(payload)), limit);
    } catch (const async::Timeout &) {
        late = std::current_exception();
    }
    drop();
    const auto seconds = std::chrono::duration<double>(limit).count();
    throw Unreachable(
        QStringLiteral("%1 has not answered within %2 s").arg(m_endpoint.toString(), QString::number(seconds)));
}

async::Task<QByteArray> RequestClient::exchange(QByteArray payload)
{
    if (m_socket && !m_socket->isEncrypted())
        drop(); // an earlier request was given up while it connected
    if (!m_socket) {
        connectSocket();
        const async::Future<bool> encrypted = m_encrypted.future();
        co_await encrypted;
    }
    m_reply = {};
    const async::Future<QByteArray> reply = m_reply.future();
    ++m_owed;
    m_socket->write(Frame{Frame::Kind::Request, payload}.encode());
    co_return co_await reply;
}

void RequestClient::connectSocket()
{
    m_encrypted = {};
    m_owed = 0;
    m_socket.reset(new QSslSocket);
    QSslSocket *const socket = m_socket.get();
    useKey(*socket, m_key);
    socket->setReadBufferSize(2 * (m_replyLimit + Frame::HeaderSize));
    QObject::connect(socket, &QSslSocket::encrypted, socket, [this] { m_encrypted.set(true); });
    QObject::connect(socket, &QSslSocket::readyRead, socket, [this] { onReadyRead(); });
    QObject::connect(socket, &QSslSocket::errorOccurred, socket, [this](auto error) { onError(error); });
    socket->connectToHostEncrypted(m_endpoint.host, m_endpoint.port);
}

// The reply resumes the waiting coroutine, which may destroy this object: do it last.
void RequestClient::onReadyRead()
{
    try {
        while (const std::optional<Frame> frame = Frame::take(*m_socket, m_replyLimit)) {
            if (frame->kind == Frame::Kind::Refusal) {
                drop();
                fail(std::make_exception_ptr(Refused(QString::fromUtf8(frame->payload))));
                return;
            }
            if (frame->kind != Frame::Kind::Reply || m_owed == 0)
                throw BadFrame(QStringLiteral("a reply without a request"));
            if (--m_owed == 0) {
                m_reply.set(frame->payload);
                return;
            }
        }
    } catch (const BadFrame &error) {
        drop();
        fail(std::make_exception_ptr(
            Unreachable(QStringLiteral("%1: %2").arg(m_endpoint.toString(), QString::fromUtf8(error.what())))));
    }
}

void RequestClient::onError(QAbstractSocket::SocketError error)
{
    const QString why = m_socket->errorString();
    drop();
    if (error == QAbstractSocket::SslHandshakeFailedError)
        fail(std::make_exception_ptr(WrongKey(QStringLiteral("%1 has not proved that it has the key of %2 (%3)")
                                                  .arg(m_endpoint.toString(), QString::fromUtf8(m_key.name), why))));
    else
        fail(std::make_exception_ptr(
            Unreachable(QStringLiteral("%1 cannot be reached: %2").arg(m_endpoint.toString(), why))));
}

void RequestClient::drop()
{
    m_socket.reset();
    m_owed = 0;
}

// Who waits may destroy us: last.
void RequestClient::fail(const std::exception_ptr &error)
{
    async::Promise<bool> encrypted = std::exchange(m_encrypted, {});
    async::Promise<QByteArray> reply = std::exchange(m_reply, {});
    encrypted.fail(error);
    reply.fail(error);
}

} // namespace drover::net
