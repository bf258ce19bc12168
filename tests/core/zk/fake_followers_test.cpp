#include "core/zk/transcript.h"
#include "support/cut_ensemble.h"
#include "support/requests/request_kinds.h"

// The answers to a client whose server lags behind the leader or does not reach it at all. The fake and three real
// servers run one script, as in fake_conformance_test. Where they differ the fake is wrong.

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using zk::Path;
using State = zk::Client::State;

namespace {

// No session ends by itself.
constexpr auto Forever = 30s;

enum class End {
    CatchesUp, // by itself
    Syncs, // at the client's wish
    Writes, // in the client's name
    Moves, // the client, to a server that is up to date
    Isolated, // not before the client has moved; a sync and what is behind it are not answered
};

// A server falls behind, or is cut off; what its client reads then; how that ends, and what is read after it.
struct Round {
    End end = End::CatchesUp;
    std::vector<zk::Request> before; // with watches
    std::vector<zk::Request> meanwhile; // of the other client, whose server leads
    std::vector<zk::Request> stale; // with watches
    std::vector<zk::Request> after; // with watches

    QByteArray toString() const
    {
        return "end " + QByteArray::number(static_cast<int>(end)) + "\nbefore" + describe(before) + "\nmeanwhile"
            + describe(meanwhile) + "\nstale" + describe(stale) + "\nafter" + describe(after);
    }
};

std::vector<zk::Request> someReads(RandomRequests &source, int most)
{
    std::vector<zk::Request> reads;
    for (int count = 1 + source.random().below(most); count > 0;) {
        zk::Request request = source.next();
        if (isWrite(request) || std::holds_alternative<zk::SyncRequest>(request)
            || std::holds_alternative<zk::AddAuthRequest>(request))
            continue;
        reads.push_back(std::move(request));
        --count;
    }
    return reads;
}

Round nextRound(RandomRequests &source)
{
    Round round;
    round.end = static_cast<End>(source.random().below(5));
    round.before = someRequests(source, 6);
    round.meanwhile = someRequests(source, 10);
    round.stale = someReads(source, 6);
    round.after = someReads(source, 4);
    return round;
}

// A side with several servers, of which one leads. Its own: the client whose server lags, and another at the leader.
class Servers
{
public:
    virtual ~Servers() = default;
    virtual Side &side() = 0;
    virtual void join(zk::Client &session) = 0; // the server that will lag
    virtual void lag(zk::Client &session) = 0;
    virtual void isolate(zk::Client &session) = 0;
    virtual void catchUp(zk::Client &session) = 0;
    virtual void move(zk::Client &session) = 0; // to the leader
    // To the server that lags behind what the session has seen; returns when that has refused it, or will.
    virtual void moveBack(zk::Client &session) = 0;
};

class FakeServers final : public Servers
{
public:
    FakeServers() : m_faults(refusing()), m_side(&m_faults) { }
    Side &side() override { return m_side; }
    void join(zk::Client &session) override { reconnect(session); }
    void lag(zk::Client &session) override { m_side.server().lag(session.sessionId(), 1h); }
    void isolate(zk::Client &session) override { m_side.server().isolate(session.sessionId(), 1h); }
    void catchUp(zk::Client &session) override
    {
        m_faults.heal();
        m_side.server().catchUp(session.sessionId());
    }
    void move(zk::Client &session) override { reconnect(session); }
    void moveBack(zk::Client &session) override
    {
        m_faults = FaultInjector(refusing());
        reconnect(session);
    }
    void trustAll() { m_faults.heal(); }

private:
    static FaultPlan refusing()
    {
        FaultPlan plan;
        plan.tooOld = 1;
        return plan;
    }
    static void reconnect(zk::Client &session)
    {
        auto &fake = static_cast<FakeSession &>(session);
        fake.disconnect();
        fake.reconnect();
    }

    FaultInjector m_faults;
    FakeSide m_side;
};

class RealServers final : public Servers, public RealSide
{
public:
    explicit RealServers(CutEnsemble &servers)
        : RealSide(0), m_servers(servers), m_leader(servers.leader()), m_follower((m_leader + 1) % 3)
    {
    }

    Side &side() override { return *this; }
    std::unique_ptr<zk::Client> connect(std::chrono::milliseconds timeout) override
    {
        return open(m_servers.connectString(m_leader), timeout);
    }
    void join(zk::Client &session) override { use(session, m_follower); }
    void lag(zk::Client &) override { m_servers.cut(m_follower, CutEnsemble::Way::In); }
    void isolate(zk::Client &) override { m_servers.cut(m_follower, CutEnsemble::Way::Both); }
    void catchUp(zk::Client &) override { m_servers.heal(); }
    void move(zk::Client &session) override { use(session, m_leader); }
    void moveBack(zk::Client &session) override
    {
        use(session, m_follower);
        const QString closed = QStringLiteral("%1: closed the connection").arg(m_servers.connectString(m_follower));
        const auto refused = [&] { return of(session).lastTrouble().contains(closed); };
        until(refused);
    }

private:
    void use(zk::Client &session, int server) { of(session).setServers(m_servers.connectString(server)); }

    CutEnsemble &m_servers;
    int m_leader;
    int m_follower;
};

// Runs rounds against one side.
class ScriptRunner
{
public:
    ScriptRunner(Servers &servers, const Path &base)
        : m_servers(servers), m_side(servers.side()), m_one(m_side, m_printer, Forever),
          m_other(m_side, m_printer, Forever), m_clock(base.bytes() + "-clock")
    {
        ask(m_other, zk::CreateRequest{m_clock, {}});
        m_printer.setStart(ask(m_other, zk::ExistsRequest{m_clock}).stat.czxid);
        ask(m_other, zk::CreateRequest{base, {}});
        travel([&] { m_servers.join(m_one.session()); });
    }

    QByteArray run(const Round &round)
    {
        // A real client's keep-alive has come and gone: reads would wait behind one that is not answered.
        travel([&] { m_servers.move(m_one.session()); });
        travel([&] { m_servers.join(m_one.session()); });
        tell(m_one, round.before);
        ask(m_one, zk::SyncRequest{});
        if (round.end == End::Isolated)
            m_servers.isolate(m_one.session());
        else
            m_servers.lag(m_one.session());
        tell(m_other, round.meanwhile);
        tell(m_one, round.stale);
        if (round.end == End::Syncs)
            m_one.send(zk::SyncRequest{}, false);
        else if (round.end == End::Writes)
            m_one.send(zk::SetRequest{m_clock, "written"}, false);
        else if (round.end == End::Isolated)
            m_one.send(zk::SyncRequest{}, false);
        m_one.send(round.after, true);
        endOf(round);
        m_side.until([&] { return m_one.answered(); });
        return takeLines();
    }

    // Returns the answers to a client that comes from a server ahead of the next one.
    QByteArray refuse(const Round &round)
    {
        tell(m_one, round.before);
        m_servers.lag(m_one.session()); // its server
        travel([&] { m_servers.move(m_one.session()); });
        tell(m_other, round.meanwhile);
        ask(m_one, zk::SyncRequest{});
        tell(m_one, round.stale);
        m_servers.moveBack(m_one.session());
        m_side.until([&] { return m_one.is(State::Suspended); });
        m_one.send(round.after, true);
        for (int i = 0; i < 20; ++i)
            ask(m_other, zk::SyncRequest{});
        const bool stayedAway = m_one.is(State::Suspended) && !m_one.answered();
        m_servers.catchUp(m_one.session());
        m_side.until([&] { return m_one.answered(); });
        return QByteArray(stayedAway ? "refused " : "accepted ") + takeLines();
    }

    std::vector<Path> takeCreated()
    {
        std::vector<Path> created = m_one.takeCreated();
        for (Path &path : m_other.takeCreated())
            created.push_back(std::move(path));
        return created;
    }

private:
    zk::Response ask(ScriptedClient &client, const zk::Request &request)
    {
        return m_side.ask(client.session(), request);
    }
    void tell(ScriptedClient &client, const std::vector<zk::Request> &requests)
    {
        client.send(requests, true);
        m_side.until([&] { return client.answered(); });
    }
    void travel(const std::function<void()> &leave)
    {
        leave();
        m_side.until([&] { return m_one.is(State::Suspended); });
        m_side.until([&] { return m_one.is(State::Connected); });
        ask(m_one, zk::ExistsRequest{}); // the server has reported what was missed
    }

    void endOf(const Round &round)
    {
        const bool moves = round.end == End::Moves || round.end == End::Isolated;
        if (round.end == End::Moves || round.end == End::CatchesUp) // what is behind a sync or a write waits for it
            m_side.until([&] { return m_one.answered(); });
        if (moves)
            travel([&] { m_servers.move(m_one.session()); });
        m_servers.catchUp(m_one.session());
        if (moves)
            travel([&] { m_servers.join(m_one.session()); });
    }

    // The server that lagged sends the events of what it has carried out since before its answer to a sync.
    QByteArray takeLines()
    {
        QByteArray text;
        for (ScriptedClient *client : {&m_one, &m_other}) {
            ask(*client, zk::SyncRequest{});
            ask(*client, zk::ExistsRequest{Path()});
            text += (client == &m_one ? "one:\n    " : "other:\n    ") + client->takeLines() + '\n';
        }
        return text + "zxid " + m_printer.zxid(ask(m_other, zk::SetRequest{m_clock, {}}).stat.mzxid);
    }

    Servers &m_servers;
    Side &m_side;
    Printer m_printer;
    ScriptedClient m_one;
    ScriptedClient m_other;
    Path m_clock;
};

QByteArray differing(const Round &round, const QByteArray &fake, const QByteArray &real)
{
    return round.toString() + "\nfake: " + fake + "\nreal: " + real;
}

} // namespace

class FakeFollowersTest : public QObject
{
    Q_OBJECT

    CutEnsemble m_servers{10s, Forever};

private Q_SLOTS:
    void initTestCase() { m_servers.start(); }
    void cleanup() { m_servers.heal(); }
    void cleanupTestCase() { m_servers.stop(); }

    void sameLags_data()
    {
        QTest::addColumn<quint64>("seed");
        for (quint64 seed = 2; seed <= 3; ++seed)
            QTest::addRow("seed %d", static_cast<int>(seed)) << seed;
    }
    void sameLags()
    {
        constexpr int Rounds = 20;
        QFETCH(quint64, seed);
        const Path base("/lags" + QByteArray::number(seed));
        RandomRequests source(seed, base);
        FakeServers fakeServers;
        fakeServers.trustAll();
        RealServers realServers(m_servers);
        ScriptRunner fake(fakeServers, base);
        ScriptRunner real(realServers, base);
        QByteArray seen;
        for (int i = 0; i < Rounds; ++i) {
            const Round round = nextRound(source);
            const QByteArray here = fake.run(round);
            for (const Path &path : fake.takeCreated())
                source.noteCreated(path);
            const QByteArray there = real.run(round);
            if (here != there)
                QFAIL(("round " + QByteArray::number(i) + ": " + differing(round, here, there)).constData());
            seen += here;
        }
        for (const char *what : {": -4 ", "event created", "event deleted", "event changed", "event children"})
            QVERIFY2(seen.contains(what), what);
    }

    void sameRefusalOfASessionThatHasSeenMore()
    {
        const Path base("/refusals");
        RandomRequests source(21, base);
        FakeServers fakeServers;
        RealServers realServers(m_servers);
        fakeServers.trustAll();
        ScriptRunner fake(fakeServers, base);
        ScriptRunner real(realServers, base);
        const Round round = nextRound(source);
        const QByteArray here = fake.refuse(round);
        const QByteArray there = real.refuse(round);
        if (here != there)
            QFAIL(differing(round, here, there).constData());
        QVERIFY(here.startsWith("refused "));
    }
};

QTEST_GUILESS_MAIN(FakeFollowersTest)
#include "fake_followers_test.moc"
