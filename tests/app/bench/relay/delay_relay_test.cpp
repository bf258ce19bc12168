#include "app/bench/relay/delay_relay.h"

#include <QTest>

#include <algorithm>
#include <cerrno>
#include <random>
#include <thread>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

using namespace drover::app;
using drover::posix::FileDescriptor;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Direction = DelayRelay::Direction;

namespace {

sockaddr_in loopback(quint16 port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// Blocking, but never for ever: a receive gives up after half a minute.
FileDescriptor prepared(FileDescriptor fd)
{
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval limit{30, 0};
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return fd;
}

// A listening socket: what the relay relays to.
class Target
{
public:
    Target() : m_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        if (bind(m_fd.get(), reinterpret_cast<sockaddr *>(&address), size) < 0 || listen(m_fd.get(), 16) < 0
            || getsockname(m_fd.get(), reinterpret_cast<sockaddr *>(&address), &size) < 0)
            qFatal("no listening socket");
        m_port = ntohs(address.sin_port);
        const timeval limit{30, 0};
        setsockopt(m_fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit); // of accept, too
    }
    quint16 port() const { return m_port; }
    FileDescriptor accept() const { return prepared(FileDescriptor(::accept(m_fd.get(), nullptr, nullptr))); }

private:
    FileDescriptor m_fd;
    quint16 m_port = 0;
};

FileDescriptor connectTo(quint16 port) // none if refused
{
    FileDescriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(port);
    if (connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) < 0)
        return {};
    return prepared(std::move(fd));
}

bool sendAll(const FileDescriptor &fd, const QByteArray &bytes)
{
    return send(fd.get(), bytes.data(), static_cast<size_t>(bytes.size()), MSG_NOSIGNAL) == bytes.size();
}

// What has come when `size` bytes have, or the connection ended, or half a minute passed.
QByteArray receive(const FileDescriptor &fd, qsizetype size)
{
    QByteArray bytes(size, '\0');
    qsizetype got = 0;
    while (got < size) {
        const ssize_t n = recv(fd.get(), bytes.data() + got, static_cast<size_t>(size - got), 0);
        if (n <= 0)
            break;
        got += n;
    }
    return bytes.left(got);
}

bool nothingCame(const FileDescriptor &fd)
{
    char byte = 0;
    return recv(fd.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

// What has been sent would be passed on by now, if it were: the relay has read it, all delays are over, and it has gone
// through its connections again.
void letPass(const DelayRelay &relay, std::chrono::milliseconds roundTrip)
{
    relay.counters();
    std::this_thread::sleep_for(roundTrip);
    relay.counters();
    relay.counters();
}

bool ended(const FileDescriptor &fd) // waits for it
{
    char byte = 0;
    return recv(fd.get(), &byte, 1, 0) == 0 || errno == ECONNRESET;
}

QByteArray noise(qsizetype size, unsigned seed)
{
    QByteArray bytes(size, '\0');
    std::mt19937 random(seed);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    return bytes;
}

void sendInSmallWrites(const FileDescriptor &fd, const QByteArray &bytes, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_int_distribution<qsizetype> sizes(1, 700);
    for (qsizetype at = 0; at < bytes.size();) {
        const qsizetype size = std::min(sizes(random), bytes.size() - at);
        sendAll(fd, bytes.mid(at, size));
        at += size;
    }
}

void echo(const FileDescriptor &fd)
{
    char byte = 0;
    while (recv(fd.get(), &byte, 1, 0) == 1)
        send(fd.get(), &byte, 1, MSG_NOSIGNAL);
}

Clock::duration pingPong(const FileDescriptor &fd)
{
    const auto start = Clock::now();
    char byte = 'x';
    if (send(fd.get(), &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd.get(), &byte, 1, 0) != 1)
        qFatal("no echo");
    return Clock::now() - start;
}

// Both ends of one connection through the relay.
struct Link {
    Link(const Target &target, const DelayRelay &relay) : client(connectTo(relay.port())), server(target.accept()) { }
    FileDescriptor client;
    FileDescriptor server;
};

} // namespace

class DelayRelayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsContentAndOrderBothWays()
    {
        constexpr qsizetype size = 10 << 20;
        const Target target;
        const DelayRelay relay(target.port(), 2ms);
        const Link link(target, relay);
        const QByteArray up = noise(size, 1);
        const QByteArray down = noise(size, 2);
        QByteArray gotUp;
        QByteArray gotDown;
        std::thread upWriter([&] { sendInSmallWrites(link.client, up, 3); });
        std::thread downWriter([&] { sendInSmallWrites(link.server, down, 4); });
        std::thread upReader([&] { gotUp = receive(link.server, size); });
        std::thread downReader([&] { gotDown = receive(link.client, size); });
        for (std::thread *thread : {&upWriter, &downWriter, &upReader, &downReader})
            thread->join();
        QVERIFY(gotUp == up);
        QVERIFY(gotDown == down);
        QCOMPARE(relay.counters().bytesToTarget, size);
        QCOMPARE(relay.counters().bytesFromTarget, size);
    }

    void delaysByTheRoundTripAndNeverLess()
    {
        const Target target;
        const DelayRelay relay(target.port(), 10ms);
        Link link(target, relay);
        std::thread server([&] { echo(link.server); });
        std::vector<Clock::duration> times;
        for (int i = 0; i < 100; ++i)
            times.push_back(pingPong(link.client));
        link.client.reset();
        server.join();
        std::sort(times.begin(), times.end());
        QVERIFY(times.front() >= 10ms);
        const auto milliseconds = [&](size_t i) { return std::chrono::duration<double, std::milli>(times[i]).count(); };
        qInfo("a round trip of 10 ms: fastest %.3f ms, median %.3f ms, 95th percentile %.3f ms", milliseconds(0),
              milliseconds(50), milliseconds(95));
    }

    void pipelines()
    {
        constexpr int messages = 200;
        const Target target;
        const DelayRelay relay(target.port(), 400ms);
        const Link link(target, relay);
        const auto start = Clock::now();
        for (int i = 0; i < messages; ++i)
            QVERIFY(sendAll(link.client, QByteArray::number(i) + ' '));
        QByteArray expected;
        for (int i = 0; i < messages; ++i)
            expected += QByteArray::number(i) + ' ';
        QCOMPARE(receive(link.server, expected.size()), expected);
        QVERIFY(Clock::now() - start >= 200ms);
        QVERIFY(Clock::now() - start < messages * 200ms); // one by one would take this long
    }

    void relaysSeveralConnections()
    {
        const Target target;
        const DelayRelay relay(target.port(), 4ms);
        std::vector<Link> links;
        for (int i = 0; i < 8; ++i)
            links.emplace_back(target, relay);
        for (int i = 0; i < 8; ++i)
            QVERIFY(sendAll(links[i].client, QByteArray(100, static_cast<char>('a' + i))));
        for (int i = 0; i < 8; ++i)
            QCOMPARE(receive(links[i].server, 100), QByteArray(100, static_cast<char>('a' + i)));
        QCOMPARE(relay.counters().open, 8);
        QCOMPARE(relay.counters().accepted, 8);
        links.clear();
        QVERIFY(QTest::qWaitFor([&] { return relay.counters().open == 0; }, 30000));
        QCOMPARE(relay.counters().accepted, 8);
        QCOMPARE(relay.counters().bytesToTarget, 800);
    }

    void passesTheEndOfEachDirectionOn()
    {
        const Target target;
        const DelayRelay relay(target.port(), 4ms);
        const Link link(target, relay);
        QVERIFY(sendAll(link.client, "request"));
        QCOMPARE(shutdown(link.client.get(), SHUT_WR), 0);
        QCOMPARE(receive(link.server, 100), QByteArray("request")); // ended before 100
        QVERIFY(sendAll(link.server, "answer"));
        QCOMPARE(shutdown(link.server.get(), SHUT_WR), 0);
        QCOMPARE(receive(link.client, 100), QByteArray("answer"));
    }

    void dropsConnectionsAndTakesNewOnes()
    {
        const Target target;
        DelayRelay relay(target.port(), 4ms);
        const Link first(target, relay);
        const Link second(target, relay);
        relay.dropConnections();
        QCOMPARE(relay.counters().open, 0);
        QVERIFY(ended(first.client) && ended(first.server));
        QVERIFY(ended(second.client) && ended(second.server));
        const Link third(target, relay);
        QVERIFY(sendAll(third.client, "hello"));
        QCOMPARE(receive(third.server, 5), QByteArray("hello"));
    }

    void refusesUntilResumed()
    {
        const Target target;
        DelayRelay relay(target.port(), 4ms);
        const Link link(target, relay);
        relay.refuse();
        QVERIFY(!connectTo(relay.port()));
        QVERIFY(sendAll(link.client, "still here"));
        QCOMPARE(receive(link.server, 10), QByteArray("still here"));
        relay.resume();
        const Link again(target, relay);
        QVERIFY(sendAll(again.server, "hello"));
        QCOMPARE(receive(again.client, 5), QByteArray("hello"));
    }

    void closesAClientWhoseTargetIsGone()
    {
        auto target = std::make_unique<Target>();
        const DelayRelay relay(target->port(), 4ms);
        target.reset();
        const FileDescriptor client = connectTo(relay.port());
        QVERIFY(!client || ended(client));
        QVERIFY(QTest::qWaitFor([&] { return relay.counters().open == 0; }, 30000));
    }

    void silenceHoldsOneDirectionAndLosesNothing()
    {
        const Target target;
        DelayRelay relay(target.port(), 4ms);
        const Link link(target, relay);
        relay.silence(Direction::ToTarget);
        QVERIFY(sendAll(link.client, "up"));
        QVERIFY(sendAll(link.server, "down"));
        QCOMPARE(receive(link.client, 4), QByteArray("down")); // sent later, and here
        QVERIFY(nothingCame(link.server));
        relay.silence(Direction::FromTarget);
        QVERIFY(sendAll(link.server, "more"));
        letPass(relay, 4ms);
        QVERIFY(nothingCame(link.client));
        relay.resume();
        QCOMPARE(receive(link.server, 2), QByteArray("up"));
        QCOMPARE(receive(link.client, 4), QByteArray("more"));
    }

    void silenceHidesTheEndOfAConnection()
    {
        const Target target;
        DelayRelay relay(target.port(), 4ms);
        Link link(target, relay);
        relay.silence(Direction::Both);
        const Link late(target, relay); // new ones are taken, and hear nothing
        QVERIFY(sendAll(late.client, "hello"));
        link.client.reset();
        letPass(relay, 4ms);
        QVERIFY(nothingCame(link.server));
        QVERIFY(nothingCame(late.server));
        QCOMPARE(relay.counters().open, 2);
        relay.resume();
        QVERIFY(ended(link.server));
        QCOMPARE(receive(late.server, 5), QByteArray("hello"));
    }

    void aShorterDelayOvertakesNothing()
    {
        const Target target;
        DelayRelay relay(target.port(), 400ms);
        const Link link(target, relay);
        const auto start = Clock::now();
        QVERIFY(sendAll(link.client, "first "));
        QCOMPARE(relay.counters().open, 1); // the turn that answers this has read and stamped what was there
        QTest::qWait(20);
        relay.setRoundTrip(0ms);
        QVERIFY(sendAll(link.client, "second"));
        QCOMPARE(receive(link.server, 12), QByteArray("first second"));
        QVERIFY(Clock::now() - start >= 200ms);
        QVERIFY(sendAll(link.client, "third"));
        QCOMPARE(receive(link.server, 5), QByteArray("third"));
    }
};

QTEST_GUILESS_MAIN(DelayRelayTest)
#include "delay_relay_test.moc"
