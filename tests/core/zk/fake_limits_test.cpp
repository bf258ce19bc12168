#include "core/zk/transcript.h"
#include "support/zk_server.h"

// What a server does with requests that are too large for it, or too many: the fake and a real server are asked the
// same, as in fake_conformance_test. Where they differ the fake is wrong.

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;
using State = zk::Client::State;

namespace {

constexpr qsizetype LargestRequest = 20'000; // a server's with a jute.maxbuffer of its own

Path longPath(int number)
{
    return Path("/" + QByteArray(9000, 'x') + QByteArray::number(number));
}

TestServer serverWith(const QString &flag)
{
    zk::LocalServerOptions options = testServerOptions();
    options.jvmFlags.append(flag);
    return TestServer(options);
}

} // namespace

class FakeLimitsTest : public QObject
{
    Q_OBJECT

    // Both clients notice that the connection broke, and both come back.
    static QByteArray tooLargeARequest(Side &side)
    {
        Printer printer;
        ScriptedClient client(side, printer, 30s);
        client.send(zk::CreateRequest{Path("/large"), QByteArray(LargestRequest + 1, 'x')}, false);
        side.until([&] { return client.answered() && client.is(State::Connected); });
        client.send(zk::ExistsRequest{Path("/large")}, false);
        side.until([&] { return client.answered(); });
        return client.takeLines();
    }

    // As often as it connects the server breaks the connection, until there is less to be watched.
    static QByteArray tooMuchToWatch(Side &side)
    {
        Printer printer;
        ScriptedClient client(side, printer, 30s);
        for (int i = 0; i < 3; ++i)
            client.send(zk::ExistsRequest{longPath(i)}, true);
        side.until([&] { return client.answered(); });
        client.takeLines();
        side.cut(client.session());
        side.until([&] { return client.is(State::Suspended); });
        side.mend(client.session());
        for (int i = 0; i < 2; ++i) {
            side.until([&] { return client.is(State::Connected); });
            side.until([&] { return client.is(State::Suspended); });
        }
        client.forgetWatches();
        for (Code code = Code::ConnectionLoss; code == Code::ConnectionLoss;)
            code = side.ask(client.session(), zk::ExistsRequest{Path()}).code;
        client.takeLines();
        side.untilNode(client.session(), Path("/large"), Code::NoNode);
        return client.takeLines();
    }

private Q_SLOTS:
    void sameLimitOfARequest()
    {
        TestServer server = serverWith(QStringLiteral("-Djute.maxbuffer=%1").arg(LargestRequest));
        server.start();
        RealSide real(server.port());
        FakeSide fake;
        fake.server().setLargestRequest(LargestRequest);
        const QByteArray told = tooLargeARequest(real);
        QVERIFY(told.contains(": -4 ") && told.contains(": -101 "));
        QCOMPARE(tooLargeARequest(fake), told);
        QCOMPARE(tooMuchToWatch(fake), QByteArray());
        QCOMPARE(tooMuchToWatch(real), QByteArray());
    }

    void sameLimitOfWatches()
    {
        TestServer server;
        server.start();
        RealSide real(server.port());
        FakeSide fake;
        for (Side *side : std::initializer_list<Side *>{&real, &fake}) {
            Printer printer;
            ScriptedClient client(*side, printer, 30s);
            int watches = 0;
            const auto watchMore = [&] {
                for (; watches < 200; ++watches)
                    client.send(zk::ExistsRequest{longPath(1000 + watches)}, true);
            };
            QVERIFY_THROWS_EXCEPTION(zk::TooManyWatches, watchMore());
            QCOMPARE(watches, 99);
            client.send(zk::ExistsRequest{longPath(1000)}, true); // one that it has
            side->until([&] { return client.answered(); });
        }
    }

    // One that takes no more while it has something to do.
    void sameAnswersOfABusyServer()
    {
        const Path base("/busy");
        zk::LocalServerOptions options = testServerOptions();
        options.containerCheckInterval = std::chrono::hours(24);
        options.extraConfig.append(QStringLiteral("globalOutstandingLimit=1"));
        TestServer server(options);
        server.start();
        RealSide real(server.port());
        FakeSide fake;
        fake.server().setServiceTime(2ms);
        Printer printers[2];
        ScriptedClient here(fake, printers[0], 30s);
        ScriptedClient there(real, printers[1], 30s);
        const auto run = [&](Side &side, ScriptedClient &client, const std::vector<zk::Request> &requests) {
            client.send(requests, true);
            side.until([&] { return client.answered(); });
            side.ask(client.session(), zk::ExistsRequest{Path()});
            return client.takeLines();
        };
        printers[0].setStart(fake.ask(here.session(), zk::CreateRequest{base, {}}).stat.czxid);
        printers[1].setStart(real.ask(there.session(), zk::CreateRequest{base, {}}).stat.czxid);
        RandomRequests source(31, base);
        for (int round = 0; round < 5; ++round) {
            const std::vector<zk::Request> requests = someRequests(source, 150);
            const QByteArray told = run(fake, here, requests);
            for (const Path &path : here.takeCreated())
                source.noteCreated(path);
            QCOMPARE(told, run(real, there, requests));
        }
    }

    // A server that has more to do than it wants to says so of some requests, and carries out what comes behind them.
    void aThrottledRequestIsNotCarriedOut()
    {
        constexpr int Requests = 300;
        zk::LocalServerOptions options = testServerOptions();
        options.jvmFlags << QStringLiteral("-Dzookeeper.request_throttle_max_requests=1")
                         << QStringLiteral("-Dzookeeper.request_throttle_stall_time=5")
                         << QStringLiteral("-Dzookeeper.throttled_op_wait_time=20");
        TestServer server(options);
        server.start();
        RealSide real(server.port());
        FaultPlan plan;
        plan.throttle = 0.5;
        FaultInjector faults(plan);
        FakeSide fake(&faults);
        for (Side *side : std::initializer_list<Side *>{&real, &fake}) {
            const std::unique_ptr<zk::Client> session = side->connect(30s);
            std::vector<async::Future<zk::Response>> answers;
            for (int i = 0; i < Requests; ++i)
                answers.push_back(session->send(zk::CreateRequest{Path("/n" + QByteArray::number(i)), {}}, nullptr));
            std::vector<Code> codes;
            for (async::Future<zk::Response> &answer : answers)
                codes.push_back(side->wait(std::move(answer)).code);
            QVERIFY(std::count(codes.begin(), codes.end(), Code::Throttled) > 0);
            for (int i = 0; i < Requests; ++i) {
                const Code code = codes[static_cast<std::size_t>(i)];
                QVERIFY(code == Code::Ok || code == Code::Throttled);
                Code there = Code::Throttled;
                while (there == Code::Throttled)
                    there = side->ask(*session, zk::ExistsRequest{Path("/n" + QByteArray::number(i))}).code;
                QCOMPARE(there, code == Code::Ok ? Code::Ok : Code::NoNode);
            }
            QCOMPARE(session->state(), State::Connected);
        }
    }
};

QTEST_GUILESS_MAIN(FakeLimitsTest)
#include "fake_limits_test.moc"
