#include "net/request_server.h"

#include "net/frame.h"
#include "posix/file_descriptor.h"

#include <QDeadlineTimer>
#include <QLoggingCategory>
#include <QSet>
#include <QSslSocket>
#include <QTcpServer>
#include <QTimer>

#include <atomic>

namespace drover::net {

Q_LOGGING_CATEGORY(lcServer, "drover.net.server")

using std::chrono::milliseconds;

namespace {

constexpr milliseconds AcceptPause{1'000};
constexpr milliseconds WarningPause{10'000};

} // namespace

// Lives on the server's thread, as do its connections.
class RequestServer::Listener : public QTcpServer
{
public:
    Listener(Handler handler, const Limits &limits);
    ~Listener() override;

    const Handler &handler() const { return m_handler; }
    const Limits &limits() const { return m_limits; }
    void setKey(SharedKey key) { m_key = std::move(key); }
    int connections() const { return m_count; } // from any thread
    void forget(Connection *connection);
    void noteProven(Connection *connection) { m_unproven.removeOne(connection); }
    bool mayWarn(); // of a client without the key: now and then

protected:
    void incomingConnection(qintptr descriptor) override;

private:
    void tryAgainLater();

    const Handler m_handler;
    const Limits m_limits;
    SharedKey m_key;
    QSet<Connection *> m_connections;
    QList<Connection *> m_unproven; // of them, the oldest first: have not proven that they have the key
    QDeadlineTimer m_nextWarning; // has expired: at once
    std::atomic<int> m_count = 0; // of the connections
    bool m_failing = false; // to accept more
};

// One client. Ends by itself, with its socket.
class RequestServer::Connection : public QObject
{
public:
    Connection(Listener &listener, qintptr descriptor, const SharedKey &key);
    ~Connection() override { m_listener.forget(this); }

private:
    void begin();
    void serve();
    void answer();
    void refuse(const QString &why);
    void noteWritten();
    void cutOff(const char *why);
    bool replyIsUnderWay() const { return m_socket.bytesToWrite() > 0 || m_socket.encryptedBytesToWrite() > 0; }

    Listener &m_listener;
    QSslSocket m_socket;
    QTimer m_limit; // of the handshake, of idleness, of a reply that is not taken
    QTimer m_again; // asks the handler again
    std::optional<QByteArray> m_request; // in work
    milliseconds m_waited{}; // by it
    bool m_closing = false;
};

RequestServer::Listener::Listener(Handler handler, const Limits &limits)
    : m_handler(std::move(handler)), m_limits(limits)
{
    connect(this, &QTcpServer::acceptError, this, &Listener::tryAgainLater);
}

// QTcpServer has stopped accepting, for good if nothing is done: no descriptors are left, or no memory.
void RequestServer::Listener::tryAgainLater()
{
    if (!std::exchange(m_failing, true))
        qCWarning(lcServer, "cannot accept connections at present: %s", qPrintable(errorString()));
    QTimer::singleShot(AcceptPause, this, [this] { resumeAccepting(); });
}

RequestServer::Listener::~Listener()
{
    qDeleteAll(std::exchange(m_connections, {}));
}

void RequestServer::Listener::forget(Connection *connection)
{
    m_connections.remove(connection);
    m_unproven.removeOne(connection);
    --m_count;
}

bool RequestServer::Listener::mayWarn()
{
    if (!m_nextWarning.hasExpired())
        return false;
    m_nextWarning.setRemainingTime(WarningPause);
    return true;
}

void RequestServer::Listener::incomingConnection(qintptr descriptor)
{
    m_failing = false;
    if (m_count >= m_limits.connections && !m_unproven.isEmpty())
        delete m_unproven.takeFirst(); // who says nothing does not keep out those who have the key
    if (m_count >= m_limits.connections || m_key.secret.isEmpty()) {
        qCDebug(lcServer, "a connection too many, or one before there is a key");
        const posix::FileDescriptor closed(static_cast<int>(descriptor));
        return;
    }
    ++m_count;
    auto *const connection = new Connection(*this, descriptor, m_key);
    m_connections.insert(connection);
    m_unproven.append(connection);
}

RequestServer::Connection::Connection(Listener &listener, qintptr descriptor, const SharedKey &key)
    : m_listener(listener)
{
    m_limit.setSingleShot(true);
    m_again.setInterval(PollInterval);
    connect(&m_limit, &QTimer::timeout, this, [this] { cutOff("it takes too long"); });
    connect(&m_again, &QTimer::timeout, this, [this] {
        m_waited += PollInterval;
        answer();
    });
    connect(&m_socket, &QSslSocket::encrypted, this, &Connection::begin);
    connect(&m_socket, &QSslSocket::readyRead, this, &Connection::serve);
    connect(&m_socket, &QSslSocket::encryptedBytesWritten, this, &Connection::noteWritten);
    connect(&m_socket, &QSslSocket::errorOccurred, this, [this](QAbstractSocket::SocketError error) {
        if (error == QAbstractSocket::SslHandshakeFailedError && m_listener.mayWarn())
            qCWarning(lcServer, "refused %s: it does not have this worker's key (%s)",
                      qPrintable(m_socket.peerAddress().toString()), qPrintable(m_socket.errorString()));
        deleteLater();
    });
    connect(&m_socket, &QSslSocket::disconnected, this, &QObject::deleteLater);
    if (!m_socket.setSocketDescriptor(descriptor)) {
        deleteLater();
        return;
    }
    m_socket.setReadBufferSize(2 * (listener.limits().requestSize + Frame::HeaderSize));
    useKey(m_socket, key);
    m_limit.start(listener.limits().handshake);
    m_socket.startServerEncryption();
}

void RequestServer::Connection::begin()
{
    m_listener.noteProven(this);
    m_limit.start(m_listener.limits().idle);
    serve(); // what has come with the end of the handshake
}

void RequestServer::Connection::serve()
{
    if (m_closing || !m_socket.isEncrypted() || replyIsUnderWay())
        return;
    if (m_request) {
        answer();
        return;
    }
    try {
        const std::optional<Frame> frame = Frame::take(m_socket, m_listener.limits().requestSize);
        if (!frame)
            return;
        if (frame->kind != Frame::Kind::Request)
            throw BadFrame(QStringLiteral("a reply, where a request is expected"));
        m_request = frame->payload;
        m_waited = {};
        m_limit.stop(); // it is we who take our time
    } catch (const BadFrame &error) {
        refuse(QString::fromUtf8(error.what()));
        return;
    }
    answer();
}

void RequestServer::Connection::answer()
{
    // Who asks for something else no longer waits for this.
    const milliseconds waited = m_socket.bytesAvailable() > 0 ? WaitNoLonger : m_waited;
    std::optional<QByteArray> reply;
    try {
        reply = m_listener.handler()(*m_request, waited);
    } catch (const std::exception &error) {
        refuse(QString::fromUtf8(error.what()));
        return;
    }
    if (!reply) {
        if (!m_again.isActive())
            m_again.start();
        return;
    }
    m_again.stop();
    m_request.reset();
    m_limit.start(m_listener.limits().stalled);
    m_socket.write(Frame{Frame::Kind::Reply, *reply}.encode());
}

void RequestServer::Connection::noteWritten()
{
    const bool underWay = replyIsUnderWay();
    if (m_closing || m_request || !m_socket.isEncrypted())
        return;
    m_limit.start(underWay ? m_listener.limits().stalled : m_listener.limits().idle);
    if (!underWay)
        serve(); // what has come meanwhile
}

void RequestServer::Connection::refuse(const QString &why)
{
    qCWarning(lcServer, "refused a request of %s: %s", qPrintable(m_socket.peerAddress().toString()), qPrintable(why));
    m_closing = true;
    m_again.stop();
    m_request.reset();
    m_limit.start(m_listener.limits().handshake);
    m_socket.write(Frame{Frame::Kind::Refusal, why.toUtf8()}.encode());
    m_socket.disconnectFromHost(); // once that is written
}

void RequestServer::Connection::cutOff(const char *why)
{
    qCDebug(lcServer, "cut off %s: %s", qPrintable(m_socket.peerAddress().toString()), why);
    m_socket.abort();
    deleteLater();
}

RequestServer::RequestServer(const QHostAddress &address, quint16 port, Handler handler)
    : RequestServer(address, port, std::move(handler), Limits{})
{
}

RequestServer::RequestServer(const QHostAddress &address, quint16 port, Handler handler, Limits limits)
    : m_listener(new Listener(std::move(handler), limits))
{
    if (!m_listener->listen(address, port)) {
        const QString why = m_listener->errorString();
        delete m_listener;
        throw CannotListen(QStringLiteral("cannot listen on port %1 of %2: %3").arg(port).arg(address.toString(), why));
    }
    m_port = m_listener->serverPort();
    m_listener->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_listener, &QObject::deleteLater); // there: see QThread::finished
    m_thread.setObjectName(QStringLiteral("drover-net"));
    m_thread.start();
}

RequestServer::~RequestServer()
{
    m_thread.quit();
    m_thread.wait();
}

void RequestServer::setKey(SharedKey key)
{
    QMetaObject::invokeMethod(
        m_listener, [listener = m_listener, key = std::move(key)] { listener->setKey(key); }, Qt::QueuedConnection);
}

int RequestServer::connections() const
{
    return m_listener->connections();
}

} // namespace drover::net
