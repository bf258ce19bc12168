#include "async/qt_loop.h"
#include "net/frame.h"
#include "net/request_client.h"
#include "net/request_server.h"
#include "support/await.h"
#include "support/thread_count.h"

#include <QTcpSocket>
#include <QTest>

#include <atomic>

using namespace drover;
using namespace drover::net;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const SharedKey OurKey{"default", QByteArray(32, 'k')};
const SharedKey OtherKey{"default", QByteArray(32, 'x')};
constexpr qint64 ReplyLimit = 1024 * 1024;

std::optional<QByteArray> echo(const QByteArray &request, std::chrono::milliseconds)
{
    return "echo " + request;
}

// Has the key, and says what it likes.
class RawClient
{
public:
    explicit RawClient(const RequestServer &server)
    {
        useKey(m_socket, OurKey);
        m_socket.setReadBufferSize(ReplyLimit);
        m_socket.connectToHostEncrypted(QStringLiteral("127.0.0.1"), server.port());
    }
    QSslSocket &socket() { return m_socket; }
    bool encrypted() const { return m_socket.isEncrypted(); }
    bool ended() const { return m_socket.state() == QAbstractSocket::UnconnectedState; }

private:
    QSslSocket m_socket;
};

} // namespace

class RequestServerTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;
    qsizetype m_threads = 0; // before the first server

    static std::unique_ptr<RequestServer> serverWith(RequestServer::Handler handler,
                                                     const RequestServer::Limits &limits = {})
    {
        const QHostAddress here(QHostAddress::LocalHost);
        auto server = std::make_unique<RequestServer>(here, 0, std::move(handler), limits);
        server->setKey(OurKey);
        return server;
    }

    std::unique_ptr<RequestClient> clientOf(quint16 port, const SharedKey &key = OurKey)
    {
        return std::make_unique<RequestClient>(m_loop, Endpoint{QStringLiteral("127.0.0.1"), port}, key, ReplyLimit);
    }

private Q_SLOTS:
    void initTestCase() { m_threads = threadCount(); }
    void cleanupTestCase() { QTRY_COMPARE_WITH_TIMEOUT(threadCount(), m_threads, 30'000); }

    void requestsShareAConnection()
    {
        const auto server = serverWith(echo);
        const auto client = clientOf(server->port());
        for (int i = 0; i < 100; ++i)
            QCOMPARE(await(client->request(QByteArray::number(i), 10s)), "echo " + QByteArray::number(i));
        QCOMPARE(server->connections(), 1);
    }

    void aHandlerWithoutAnAnswerIsAskedAgain()
    {
        std::atomic<int> calls = 0;
        const auto server = serverWith([&](const QByteArray &request, auto waited) -> std::optional<QByteArray> {
            if (++calls < 5)
                return std::nullopt;
            return request + ' ' + QByteArray::number(qint64(waited.count()));
        });
        const auto client = clientOf(server->port());
        const qint64 waited = (4 * RequestServer::PollInterval).count();
        QCOMPARE(await(client->request("now", 10s)), "now " + QByteArray::number(waited));
    }

    void theReplyToAnAbandonedRequestIsPassedOver()
    {
        std::atomic<int> hurried = 0;
        const auto server = serverWith([&](const QByteArray &request, auto waited) -> std::optional<QByteArray> {
            if (request == "slow" && waited != RequestServer::WaitNoLonger)
                return std::nullopt;
            hurried += request == "slow" ? 1 : 0;
            return request;
        });
        const auto client = clientOf(server->port());
        QCOMPARE(await(client->request("first", 10s)), QByteArray("first"));
        for (int i = 0; i < 3; ++i) {
            async::TaskGroup group;
            const auto ask = [&client]() -> async::Task<void> { co_await client->request("slow", 10s); };
            group.spawn(ask());
            QCOMPARE(group.size(), 1); // it waits
            group.cancelAll();
        }
        QCOMPARE(await(client->request("last", 10s)), QByteArray("last"));
        QCOMPARE(hurried.load(), 3);
        QCOMPARE(server->connections(), 1);
    }

    void aWrongKeyIsSeenByBothSides()
    {
        std::atomic<int> calls = 0;
        const auto server = serverWith([&](const QByteArray &request, auto) -> std::optional<QByteArray> {
            ++calls;
            return request;
        });
        const auto client = clientOf(server->port(), OtherKey);
        QVERIFY_THROWS_EXCEPTION(WrongKey, await(client->request("secret", 10s)));
        QTRY_COMPARE_WITH_TIMEOUT(server->connections(), 0, 30'000);

        server->setKey(OtherKey); // and now it is the server whose key is wrong
        const auto ours = clientOf(server->port());
        QVERIFY_THROWS_EXCEPTION(WrongKey, await(ours->request("secret", 10s)));
        QCOMPARE(calls.load(), 0);
        QCOMPARE(await(client->request("told", 10s)), QByteArray("told"));
    }

    void withoutAKeyNoClientIsLetIn()
    {
        RequestServer server(QHostAddress(QHostAddress::LocalHost), 0, echo);
        const auto client = clientOf(server.port());
        QVERIFY_THROWS_EXCEPTION(Unreachable, await(client->request("x", 10s)));
        server.setKey(OurKey);
        QCOMPARE(await(client->request("x", 10s)), QByteArray("echo x"));
    }

    void bytesThatAreNotTlsEndTheConnection()
    {
        const auto server = serverWith(echo);
        QTcpSocket socket;
        socket.connectToHost(QHostAddress::LocalHost, server->port());
        socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QTRY_COMPARE_WITH_TIMEOUT(socket.state(), QAbstractSocket::UnconnectedState, 30'000);
        const auto client = clientOf(server->port());
        QCOMPARE(await(client->request("x", 10s)), QByteArray("echo x"));
    }

    void malformedRequestsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("a frame of 4 GiB") << QByteArray::fromHex("ffffffff51") + "x";
        QTest::newRow("one byte too many") << QByteArray::fromHex("0000040151");
        QTest::newRow("no frame") << QByteArray("GET / HTTP/1.1\r\n");
        QTest::newRow("a reply") << Frame{Frame::Kind::Reply, "x"}.encode();
        QTest::newRow("refused by the handler") << Frame{Frame::Kind::Request, "bad"}.encode();
    }
    void malformedRequestsAreRefused()
    {
        QFETCH(QByteArray, bytes);
        const auto server = serverWith(
            [](const QByteArray &, auto) -> std::optional<QByteArray> { throw RefusedRequest(QStringLiteral("no")); });
        RawClient client(*server);
        client.socket().write(bytes);
        QTRY_VERIFY_WITH_TIMEOUT(client.ended(), 30'000);
        const std::optional<Frame> answer = Frame::take(client.socket(), ReplyLimit);
        QVERIFY(answer);
        QCOMPARE(answer->kind, Frame::Kind::Refusal);
        QVERIFY(!answer->payload.isEmpty() && !answer->payload.contains('\n'));
        QTRY_COMPARE_WITH_TIMEOUT(server->connections(), 0, 30'000);

        const auto told = clientOf(server->port());
        QVERIFY_THROWS_EXCEPTION(Refused, await(told->request("x", 10s)));
    }

    // None of them can hold a connection for ever.
    void aClientThatStopsSendingIsCutOff_data()
    {
        QTest::addColumn<bool>("handshake");
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("no handshake") << false << QByteArray();
        QTest::newRow("half a handshake") << false << QByteArray::fromHex("16030102");
        QTest::newRow("no request") << true << QByteArray();
        QTest::newRow("half a request") << true << Frame{Frame::Kind::Request, "0123456789"}.encode().chopped(3);
    }
    void aClientThatStopsSendingIsCutOff()
    {
        QFETCH(bool, handshake);
        QFETCH(QByteArray, bytes);
        const auto server = serverWith(echo, {.handshake = 4s, .idle = 4s, .stalled = 4s});
        RawClient secured(*server);
        QTRY_VERIFY_WITH_TIMEOUT(secured.encrypted(), 30'000);
        QTcpSocket plain;
        QTcpSocket &socket = handshake ? secured.socket() : plain;
        if (!handshake)
            plain.connectToHost(QHostAddress::LocalHost, server->port());
        socket.write(bytes);
        QTRY_COMPARE_WITH_TIMEOUT(server->connections(), 0, 30'000);
        QTRY_COMPARE_WITH_TIMEOUT(socket.state(), QAbstractSocket::UnconnectedState, 30'000);
        QCOMPARE(socket.bytesAvailable(), 0);
    }

    void aSlowReaderCostsOneReply()
    {
        std::atomic<int> calls = 0;
        const auto server = serverWith(
            [&](const QByteArray &, auto) -> std::optional<QByteArray> {
                ++calls;
                return QByteArray(qsizetype(32) * 1024 * 1024, 'x'); // more than the kernel keeps on the way
            },
            {.stalled = 1s});
        RawClient client(*server);
        for (int i = 0; i < 50; ++i)
            client.socket().write(Frame{Frame::Kind::Request, "more"}.encode());
        QTRY_COMPARE_WITH_TIMEOUT(calls.load(), 1, 30'000);
        QTRY_COMPARE_WITH_TIMEOUT(server->connections(), 0, 90'000); // it has taken nothing for too long
        QCOMPARE(calls.load(), 1);
    }

    void thereAreOnlySoManyConnectionsAtWork()
    {
        std::atomic<bool> over = false;
        std::atomic<int> calls = 0;
        const auto server = serverWith(
            [&](const QByteArray &request, auto) -> std::optional<QByteArray> {
                ++calls;
                return over || request == "3" ? std::optional("echo " + request) : std::nullopt;
            },
            {.connections = 2});
        const auto first = clientOf(server->port());
        const auto second = clientOf(server->port());
        const auto third = clientOf(server->port());
        QByteArrayList answers;
        async::TaskGroup working;
        const auto ask = [&](RequestClient *client, QByteArray what) -> async::Task<void> {
            const QByteArray answer = co_await client->request(what, 60s);
            answers.append(answer);
        };
        working.spawn(ask(first.get(), "1"));
        working.spawn(ask(second.get(), "2"));
        QTRY_VERIFY_WITH_TIMEOUT(server->connections() == 2 && calls >= 2, 30'000);
        QVERIFY_THROWS_EXCEPTION(Unreachable, await(third->request("3", 10s)));
        QCOMPARE(server->connections(), 2);
        over = true;
        await(working.drained());
        QCOMPARE(answers.size(), 2);
        QCOMPARE(await(third->request("3", 10s)), QByteArray("echo 3"));
        QCOMPARE(server->connections(), 2); // in the place of one that has nothing to do
        QCOMPARE(await(first->request("4", 10s)), QByteArray("echo 4")); // which comes again
    }

    // Who does not have the key cannot keep out those who have it.
    void silentConnectionsMakeRoom()
    {
        const auto server = serverWith(echo, {.connections = 3, .handshake = 60s});
        const auto early = clientOf(server->port());
        QCOMPARE(await(early->request("1", 10s)), QByteArray("echo 1"));
        QTcpSocket silent;
        QTcpSocket another;
        silent.connectToHost(QHostAddress::LocalHost, server->port());
        another.connectToHost(QHostAddress::LocalHost, server->port());
        QTRY_COMPARE_WITH_TIMEOUT(server->connections(), 3, 30'000);
        const auto late = clientOf(server->port());
        QCOMPARE(await(late->request("2", 10s)), QByteArray("echo 2"));
        QCOMPARE(server->connections(), 3);
        const auto isOut = [](const QTcpSocket &socket) { return socket.state() == QAbstractSocket::UnconnectedState; };
        QTRY_VERIFY_WITH_TIMEOUT(isOut(silent) != isOut(another), 30'000);
        QCOMPARE(await(early->request("3", 10s)), QByteArray("echo 3")); // not the one that has proven its key
    }

    // Until its greeting is whole, a client costs no TLS, and makes room for others.
    void halfAGreetingIsSilence()
    {
        const auto server = serverWith(echo, {.connections = 1, .handshake = 60s});
        QTcpSocket half;
        half.connectToHost(QHostAddress::LocalHost, server->port());
        half.write(QByteArray::fromHex("160301"));
        QVERIFY(half.waitForBytesWritten(30'000));
        QTRY_COMPARE_WITH_TIMEOUT(server->connections(), 1, 30'000);
        half.write(QByteArray::fromHex("0200010001fc0303"));
        QVERIFY(half.waitForBytesWritten(30'000));
        QCOMPARE(await(clientOf(server->port())->request("1", 10s)), QByteArray("echo 1"));
        QTRY_COMPARE_WITH_TIMEOUT(half.state(), QAbstractSocket::UnconnectedState, 30'000);
    }

    void aClientConnectsAgain()
    {
        auto server = serverWith(echo);
        const quint16 port = server->port();
        const auto client = clientOf(port);
        QCOMPARE(await(client->request("1", 10s)), QByteArray("echo 1"));
        server.reset();
        QVERIFY_THROWS_EXCEPTION(Unreachable, await(client->request("2", 10s)));
        server = std::make_unique<RequestServer>(QHostAddress(QHostAddress::LocalHost), port, echo);
        server->setKey(OurKey);
        QCOMPARE(await(client->request("3", 10s)), QByteArray("echo 3"));
    }

    void aServerThatDoesNotAnswerIsGivenUp()
    {
        const auto server = serverWith([](const QByteArray &, auto) { return std::optional<QByteArray>(); });
        const auto client = clientOf(server->port());
        QVERIFY_THROWS_EXCEPTION(Unreachable, await(client->request("x", 200ms)));
        QTRY_COMPARE_WITH_TIMEOUT(server->connections(), 0, 30'000);
    }

    void aTakenPortIsSaid()
    {
        const auto server = serverWith(echo);
        const QHostAddress here(QHostAddress::LocalHost);
        QVERIFY_THROWS_EXCEPTION(CannotListen, RequestServer(here, server->port(), echo));
    }

    void endpoints()
    {
        QCOMPARE(Endpoint::parse(QStringLiteral("host:1")), (Endpoint{QStringLiteral("host"), 1}));
        QCOMPARE(Endpoint::parse(QStringLiteral("[::1]:65535")), (Endpoint{QStringLiteral("::1"), 65535}));
        for (const char *const text :
             {"", "host", "host:", ":1", "host:0", "host:65536", "host:x", "::1:1", "[]:1", "[host]:1"})
            QVERIFY2(!Endpoint::parse(QLatin1String(text)), text);
        QCOMPARE((Endpoint{QStringLiteral("::1"), 7}).toString(), QStringLiteral("[::1]:7"));
        QCOMPARE(addressTowards({QStringLiteral("127.0.0.1"), 1}), QStringLiteral("127.0.0.1"));
    }
};

QTEST_GUILESS_MAIN(RequestServerTest)
#include "request_server_test.moc"
