#include "core/zk/transcript.h"
#include "support/zk_server.h"
#include "zk/server/four_letter_word.h"

#include <QThreadPool>

// The reports to a client when its connection breaks, when it comes back, and when its session ends. The fake and a
// real server run one script, as in fake_conformance_test. Where they differ the fake is wrong.

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Code;
using zk::Path;
using State = zk::Client::State;

namespace {

enum class Lost { Nothing, Requests, Replies };

// One client sends, its connection breaks, the other writes, the first sends more and comes back.
struct Round {
    std::size_t who = 0;
    std::vector<zk::Request> before; // with watches
    Lost lost = Lost::Nothing;
    std::vector<zk::Request> underWay;
    std::vector<zk::Request> meanwhile; // the other's
    std::vector<zk::Request> waiting; // with watches too
    Path last; // made by the last request under way

    QByteArray toString() const
    {
        return "client " + QByteArray::number(who) + " loses " + QByteArray::number(static_cast<int>(lost)) + "\nbefore"
            + describe(before) + "\nunder way" + describe(underWay) + "\nmeanwhile" + describe(meanwhile) + "\nwaiting"
            + describe(waiting);
    }
};

Round nextRound(RandomRequests &source, const Path &last)
{
    Round round;
    round.last = last;
    round.who = static_cast<std::size_t>(source.random().below(2));
    round.lost = static_cast<Lost>(source.random().below(3));
    round.before = someRequests(source, 8);
    if (round.lost != Lost::Nothing) {
        round.underWay = someRequests(source, 4);
        round.underWay.push_back(zk::CreateRequest{last, {}});
    }
    round.meanwhile = someRequests(source, 8);
    round.waiting = someRequests(source, 4);
    return round;
}

QByteArray differing(const Round &round, const QByteArray &fake, const QByteArray &real)
{
    return round.toString() + "\nfake: " + fake + "\nreal: " + real;
}

// Runs rounds against one side.
class ScriptRunner
{
public:
    static constexpr auto Forever = 30s; // no session ends by itself

    ScriptRunner(Side &side, const Path &base)
        : m_side(side), m_clients{std::make_unique<ScriptedClient>(side, m_printer, Forever),
                                  std::make_unique<ScriptedClient>(side, m_printer, Forever)},
          m_clock(base.bytes() + "-clock")
    {
        ask(0, zk::CreateRequest{m_clock, {}});
        m_printer.setStart(ask(0, zk::ExistsRequest{m_clock}).stat.czxid);
        ask(0, zk::CreateRequest{base, {}});
    }

    QByteArray run(const Round &round)
    {
        ScriptedClient &one = *m_clients[round.who];
        ScriptedClient &other = *m_clients[1 - round.who];
        one.send(round.before, true);
        m_side.until([&] { return one.answered(); });
        const auto send = [&] { one.send(round.underWay, true); };
        if (round.lost == Lost::Nothing)
            m_side.cut(one.session());
        else if (round.lost == Lost::Requests)
            m_side.cutRequests(one.session(), send);
        else
            m_side.cutReplies(one.session(), send, other.session(), round.last);
        m_side.until([&] { return one.is(State::Suspended) && one.answered(); });
        m_side.ask(other.session(), zk::ExistsRequest{}); // it knows what was done under way
        other.send(round.meanwhile, true);
        m_side.until([&] { return other.answered(); });
        one.send(round.waiting, true);
        m_side.mend(one.session());
        m_side.until([&] { return one.is(State::Connected) && one.answered(); });
        return takeLines();
    }

    // The session of client 0 ends while it is cut off.
    QByteArray end(const Round &round, std::chrono::milliseconds timeout)
    {
        ScriptedClient mortal(m_side, m_printer, timeout);
        ScriptedClient &other = *m_clients[1];
        mortal.send(zk::CreateRequest{round.last, {}, zk::CreateMode::Ephemeral}, false);
        mortal.send(round.before, true);
        m_side.until([&] { return mortal.answered(); });
        other.send(round.meanwhile, true);
        other.send(zk::ExistsRequest{round.last}, true);
        m_side.until([&] { return other.answered(); });
        m_side.cut(mortal.session());
        m_side.until([&] { return mortal.is(State::Suspended); });
        mortal.send(round.waiting, true);
        m_side.until([&] { return mortal.is(State::Lost) && mortal.answered(); });
        mortal.send(round.underWay, true); // too late
        m_side.until([&] { return mortal.answered(); });
        m_side.untilNode(other.session(), round.last, Code::NoNode);
        return "mortal:\n    " + mortal.takeLines() + '\n' + takeLines();
    }

    std::vector<Path> takeCreated()
    {
        std::vector<Path> created;
        for (const auto &client : m_clients) {
            for (Path &path : client->takeCreated())
                created.push_back(std::move(path));
        }
        return created;
    }

private:
    zk::Response ask(std::size_t who, const zk::Request &request)
    {
        return m_side.ask(m_clients[who]->session(), request);
    }

    // An event is sent before the answer to anything later, so a round trip of each session brings them all.
    QByteArray takeLines()
    {
        QByteArray text;
        for (std::size_t who = 0; who < m_clients.size(); ++who) {
            ask(who, zk::ExistsRequest{Path()});
            text += "client " + QByteArray::number(who) + ":\n    " + m_clients[who]->takeLines() + '\n';
        }
        return text + "zxid " + m_printer.zxid(ask(0, zk::SetRequest{m_clock, {}}).stat.mzxid);
    }

    Side &m_side;
    Printer m_printer;
    std::array<std::unique_ptr<ScriptedClient>, 2> m_clients;
    Path m_clock; // written to after each round, so that its mzxid shows the server's
};

} // namespace

class FakeReconnectionTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> m_server;

private Q_SLOTS:
    void initTestCase()
    {
        zk::LocalServerOptions options = testServerOptions();
        options.containerCheckInterval = std::chrono::hours(24);
        m_server = std::make_unique<TestServer>(options);
        m_server->start();
    }

    // The real sessions say good-bye on the pool, or expire if that takes too long: their end takes a zxid, which must
    // not fall into the next run.
    void cleanup()
    {
        QThreadPool::globalInstance()->waitForDone();
        const auto sessions = [this] { return zk::fieldOf(m_server->ask("mntr"), "zk_global_sessions"); };
        QTRY_COMPARE_WITH_TIMEOUT(sessions(), QByteArray("0"), 60'000);
    }

    void sameBreaks_data()
    {
        QTest::addColumn<quint64>("seed");
        for (quint64 seed = 1; seed <= 3; ++seed)
            QTest::addRow("seed %d", static_cast<int>(seed)) << seed;
    }
    void sameBreaks()
    {
        constexpr int Rounds = 30;
        QFETCH(quint64, seed);
        const Path base("/breaks" + QByteArray::number(seed));
        RandomRequests source(seed, base);
        FakeSide fakeSide;
        RealSide realSide(m_server->port());
        ScriptRunner fake(fakeSide, base);
        ScriptRunner real(realSide, base);
        QByteArray seen;
        for (int i = 0; i < Rounds; ++i) {
            const Round round = nextRound(source, Path(base.bytes() + "-last" + QByteArray::number(i)));
            const QByteArray here = fake.run(round);
            for (const Path &path : fake.takeCreated())
                source.noteCreated(path);
            const QByteArray there = real.run(round);
            if (here != there)
                QFAIL(differing(round, here, there).constData());
            seen += here;
        }
        for (const char *what : {": -4 ", "event created", "event deleted", "event changed", "event children"})
            QVERIFY2(seen.count(what) > 2, what);
    }

    void sameEndOfASession_data()
    {
        QTest::addColumn<quint64>("seed");
        for (quint64 seed = 11; seed <= 12; ++seed)
            QTest::addRow("seed %d", static_cast<int>(seed)) << seed;
    }
    void sameEndOfASession()
    {
        QFETCH(quint64, seed);
        const Path base("/ends" + QByteArray::number(seed));
        RandomRequests source(seed, base);
        FakeSide fakeSide;
        RealSide realSide(m_server->port());
        ScriptRunner fake(fakeSide, base);
        ScriptRunner real(realSide, base);
        Round round = nextRound(source, Path(base.bytes() + "-last"));
        for (int i = 0; i < 3; ++i) {
            for (zk::Request &request : someRequests(source, 8))
                round.before.push_back(std::move(request));
        }
        const QByteArray here = fake.end(round, 4s);
        const QByteArray there = real.end(round, 4s);
        if (here != there)
            QFAIL(differing(round, here, there).constData());
        for (const char *what : {": -112 ", "none will come", "event deleted"})
            QVERIFY2(here.contains(what), what);
    }
};

QTEST_GUILESS_MAIN(FakeReconnectionTest)
#include "fake_reconnection_test.moc"
