#include "async/or_timeout.h"
#include "async/qt_loop.h"
#include "support/await.h"
#include "zk/server/four_letter_word.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr qint64 Most = 1024 * 1024;

// Answers every client with so many bytes, and then closes the connection.
class Server
{
public:
    explicit Server(qint64 bytes) : m_bytes(bytes)
    {
        m_server.listen(QHostAddress::LocalHost);
        QObject::connect(&m_server, &QTcpServer::newConnection, [this] {
            m_client = m_server.nextPendingConnection();
            QObject::connect(m_client, &QTcpSocket::bytesWritten, [this] { send(); });
            send();
        });
    }
    quint16 port() const { return m_server.serverPort(); }
    qint64 sent() const { return m_sent; }

private:
    void send()
    {
        const QByteArray some(std::min<qint64>(m_bytes - m_sent, 64 * 1024), 'x');
        m_sent += some.size();
        if (!some.isEmpty())
            m_client->write(some);
        else if (m_client->bytesToWrite() == 0)
            m_client->disconnectFromHost();
    }

    qint64 m_bytes;
    qint64 m_sent = 0;
    QTcpServer m_server;
    QTcpSocket *m_client = nullptr;
};

} // namespace

// What other programs than ZooKeeper say to its administrative commands.
class FourLetterWordTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;

    QByteArray ask(const Server &server)
    {
        return await(async::orTimeout(
            m_loop, zk::fourLetterWord(QStringLiteral("127.0.0.1"), server.port(), QByteArrayLiteral("srvr")), 30s));
    }

private Q_SLOTS:
    void aWholeAnswerIsRead()
    {
        const Server server(Most);
        QCOMPARE(ask(server).size(), Most);
    }

    // Whatever listens at a port of the connect string must not fill our memory.
    void aFloodIsNoAnswer()
    {
        const Server server(512 * Most);
        QVERIFY_THROWS_EXCEPTION(zk::NoAnswer, ask(server));
        QVERIFY2(server.sent() < 64 * Most, qPrintable(QString::number(server.sent()))); // most of it is in buffers
    }
};

QTEST_GUILESS_MAIN(FourLetterWordTest)
#include "four_letter_word_test.moc"
