#include "net/request_server.h"

#include "net/frame.h"
#include "net/greeting.h"
#include "net/making_room.h"
#include "posix/file_descriptor.h"

#include <QDeadlineTimer>
#include <QLoggingCategory>
#include <QMutex>
#include <QSocketNotifier>
#include <QSslSocket>
#include <QTcpServer>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace drover::net {

Q_LOGGING_CATEGORY(lcServer, "drover.net.server")

using std::chrono::milliseconds;

namespace {

constexpr int Backlog = 4'096; // connections that wait to be accepted, if the kernel allows as many
constexpr int AcceptedAtOnce = 64; // then the requests of others have a turn
constexpr milliseconds AcceptPause{1'000};
constexpr milliseconds WarningPause{10'000};

} // namespace

// Lives on the server's thread, as do its connections.
class RequestServer::Listener : public QObject
{
public:
    Listener(Handler handler, const Limits &limits) : m_handler(std::move(handler)), m_limits(limits) { }
    ~Listener() override;

    bool listen(const QHostAddress &address, quint16 port);
    const QTcpServer &socket() const { return m_server; }

    const Handler &handler() const { return m_handler; }
    const Limits &limits() const { return m_limits; }
    SharedKey key() const;
    void setKey(SharedKey key); // from any thread
    int connections() const { return m_count; } // from any thread
    void forget(Connection *connection);
    void noteIdle(Connection *connection); // from now on
    bool mayWarn(); // of a client without the key: now and then

private:
    void accept();
    void admit(posix::FileDescriptor client, const QHostAddress &peer);
    bool makeRoom();
    void tryAgainLater(const char *why);

    const Handler m_handler;
    const Limits m_limits;
    QTcpServer m_server{this};
    QSocketNotifier *m_arrivals = nullptr; // null: not listening
    mutable QMutex m_keyMutex;
    SharedKey m_key;
    std::vector<Connection *> m_connections; // the one that has waited longest comes first
    QDeadlineTimer m_nextWarning; // has expired: at once
    std::atomic<int> m_count = 0; // of the connections
    bool m_failing = false; // to accept more
};

// One client. Ends by itself, with its socket.
class RequestServer::Connection : public QObject
{
public:
    Connection(Listener &listener, posix::FileDescriptor client, const QHostAddress &peer);
    ~Connection() override;

    Occupant occupant() const;

private:
    void greet();
    void begin();
    void serve();
    void answer();
    void refuse(const QString &why);
    void noteWritten();
    void cutOff(const char *why);
    bool replyIsUnderWay() const { return m_socket.bytesToWrite() > 0 || m_socket.encryptedBytesToWrite() > 0; }

    Listener &m_listener;
    const QHostAddress m_network;
    posix::FileDescriptor m_silent; // until the client's greeting is there; then m_socket owns it
    QSocketNotifier m_arrival; // of the greeting
    QSslSocket m_socket;
    QTimer m_limit; // of the handshake, of idleness, of a reply that is not taken
    QTimer m_again; // asks the handler again
    std::optional<QByteArray> m_request; // in work
    milliseconds m_waited{}; // by it
    bool m_closing = false;
};

RequestServer::Listener::~Listener()
{
    for (Connection *const connection : std::exchange(m_connections, {}))
        delete connection;
}

// QTcpServer would accept all that have arrived before anything else is done.
bool RequestServer::Listener::listen(const QHostAddress &address, quint16 port)
{
    m_server.setListenBacklogSize(Backlog);
    if (!m_server.listen(address, port))
        return false;
    m_server.pauseAccepting();
    m_arrivals = new QSocketNotifier(m_server.socketDescriptor(), QSocketNotifier::Read, this);
    connect(m_arrivals, &QSocketNotifier::activated, this, &Listener::accept);
    return true;
}

void RequestServer::Listener::accept()
{
    for (int i = 0; i < AcceptedAtOnce; ++i) {
        sockaddr_storage storage{};
        auto *const peer = reinterpret_cast<sockaddr *>(&storage);
        socklen_t size = sizeof storage;
        posix::FileDescriptor client(
            ::accept4(static_cast<int>(m_server.socketDescriptor()), peer, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (client) {
            m_failing = false;
            admit(std::move(client), QHostAddress(peer));
        } else if (errno == EAGAIN) {
            return;
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            tryAgainLater(std::strerror(errno));
            return;
        }
    }
}

SharedKey RequestServer::Listener::key() const
{
    const QMutexLocker lock(&m_keyMutex);
    return m_key;
}

void RequestServer::Listener::setKey(SharedKey key)
{
    const QMutexLocker lock(&m_keyMutex);
    m_key = std::move(key);
}

void RequestServer::Listener::tryAgainLater(const char *why)
{
    if (!std::exchange(m_failing, true))
        qCWarning(lcServer, "cannot accept connections at present: %s", why);
    m_arrivals->setEnabled(false);
    QTimer::singleShot(AcceptPause, this, [this] { m_arrivals->setEnabled(true); });
}

void RequestServer::Listener::admit(posix::FileDescriptor client, const QHostAddress &peer)
{
    if (key().secret.isEmpty() || (m_count >= m_limits.connections && !makeRoom())) {
        qCDebug(lcServer, "a connection too many, or one before there is a key");
        return;
    }
    ++m_count;
    m_connections.push_back(new Connection(*this, std::move(client), peer));
}

bool RequestServer::Listener::makeRoom()
{
    std::vector<Occupant> occupants;
    for (const Connection *const connection : m_connections)
        occupants.push_back(connection->occupant());
    const std::optional<std::size_t> goes = leastNeeded(occupants);
    if (goes)
        delete m_connections[*goes];
    return goes.has_value();
}

void RequestServer::Listener::forget(Connection *connection)
{
    std::erase(m_connections, connection);
    --m_count;
}

void RequestServer::Listener::noteIdle(Connection *connection)
{
    std::erase(m_connections, connection);
    m_connections.push_back(connection);
}

bool RequestServer::Listener::mayWarn()
{
    if (!m_nextWarning.hasExpired())
        return false;
    m_nextWarning.setRemainingTime(WarningPause);
    return true;
}

RequestServer::Connection::Connection(Listener &listener, posix::FileDescriptor client, const QHostAddress &peer)
    : m_listener(listener), m_network(networkOf(peer)), m_silent(std::move(client)),
      m_arrival(m_silent.get(), QSocketNotifier::Read)
{
    m_limit.setSingleShot(true);
    m_again.setInterval(PollInterval);
    connect(&m_arrival, &QSocketNotifier::activated, this, &Connection::greet);
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
    m_limit.start(listener.limits().handshake);
}

RequestServer::Connection::~Connection()
{
    m_arrival.setEnabled(false);
    m_listener.forget(this);
}

Occupant RequestServer::Connection::occupant() const
{
    if (m_silent)
        return {m_network, Occupant::Stage::Silent};
    if (!m_socket.isEncrypted())
        return {m_network, Occupant::Stage::Greeting};
    const bool isAtWork = m_request || replyIsUnderWay();
    return {m_network, isAtWork ? Occupant::Stage::AtWork : Occupant::Stage::Idle};
}

// TLS costs most of what a connection costs, and begins only here.
void RequestServer::Connection::greet()
{
    if (!hasGreeted(m_silent.get()))
        return;
    m_arrival.setEnabled(false);
    if (!m_socket.setSocketDescriptor(m_silent.get())) {
        deleteLater();
        return;
    }
    m_silent.release();
    m_socket.setReadBufferSize(2 * (m_listener.limits().requestSize + Frame::HeaderSize));
    useKey(m_socket, m_listener.key());
    m_socket.startServerEncryption();
}

void RequestServer::Connection::begin()
{
    m_listener.noteIdle(this);
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
    if (!underWay) {
        m_listener.noteIdle(this);
        serve(); // what has come meanwhile
    }
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
    qCDebug(lcServer, "cut off %s: %s", qPrintable(m_network.toString()), why);
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
        const QString why = m_listener->socket().errorString();
        delete m_listener;
        throw CannotListen(QStringLiteral("cannot listen on port %1 of %2: %3").arg(port).arg(address.toString(), why));
    }
    m_port = m_listener->socket().serverPort();
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
    m_listener->setKey(std::move(key));
}

int RequestServer::connections() const
{
    return m_listener->connections();
}

} // namespace drover::net
