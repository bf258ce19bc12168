#include "async/or_timeout.h"
#include "support/cut_ensemble.h"
#include "support/session_fixture.h"

#include <QTest>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;
using test::CutEnsemble;
using Way = CutEnsemble::Way;
using State = Client::State;

namespace {

Task<void> noteEnd(Session &other, Path path, async::TimePoint &end)
{
    Watch watch;
    const Answer<Nothing> synced = co_await other.sync(path);
    const Answer<Stat> there = co_await other.exists(path, watch);
    if (there.ok())
        co_await watch.fired();
    end = async::BootClock::now();
}

Task<void> keepReading(Session &session)
{
    for (;;) {
        const Answer<Stat> answer = co_await session.exists(Path());
        co_await async::sleepFor(session.loop(), 10ms);
    }
}

// A session with a node of its own.
struct Holder {
    std::unique_ptr<Session> session;
    Path node;
    async::TimePoint end{}; // when another session saw the node go
};

constexpr auto HoldersTimeout = 4s;

} // namespace

// What a session may take for certain while its server is cut from the leader, which alone decides when it expires.
class CutFollowerTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;
    CutEnsemble m_servers;

    std::unique_ptr<Session> connected(const QString &servers, std::chrono::milliseconds timeout)
    {
        SessionOptions options;
        options.servers = servers;
        options.timeout = timeout;
        auto session = std::make_unique<Session>(m_loop, options);
        session->open();
        test::await(session->connected());
        return session;
    }

    Holder holding(const QByteArray &name, const QString &servers)
    {
        Holder holder{connected(servers, HoldersTimeout), Path("/" + name)};
        // A follower that was cut off may drop its clients once more when it has found the link of before broken.
        Code code = Code::ConnectionLoss;
        const auto isMade = [&] {
            code = test::await(test::outcome(holder.session->create(holder.node, {}, CreateMode::Ephemeral)));
            return code != Code::ConnectionLoss;
        };
        if (!QTest::qWaitFor(isMade, 20'000) || (code != Code::Ok && code != Code::NodeExists))
            throw std::runtime_error(zk::name(code));
        return holder;
    }

    // Until nothing passes any more.
    void growSlow(int server)
    {
        for (int round = 1; round <= 10; ++round) {
            m_servers.setRoundTrip(server, round * 150ms);
            QTest::qWait(100);
        }
        m_servers.cut(server, Way::Both);
    }

private Q_SLOTS:
    void initTestCase() { m_servers.start(); }
    void cleanup() { m_servers.heal(); }
    void cleanupTestCase() { m_servers.stop(); }

    void noSessionIsCertainOfItsLifeWhenItsNodesAreGone_data()
    {
        QTest::addColumn<std::optional<Way>>("way");
        QTest::newRow("cut both ways") << std::optional(Way::Both);
        QTest::newRow("cut to the leader") << std::optional(Way::Out);
        QTest::newRow("cut from the leader") << std::optional(Way::In);
        QTest::newRow("a link that grows slow") << std::optional<Way>();
    }
    void noSessionIsCertainOfItsLifeWhenItsNodesAreGone()
    {
        QFETCH(std::optional<Way>, way);
        const int leader = m_servers.leader();
        const int follower = m_servers.follower();
        const auto witness = connected(m_servers.connectString(leader), 20s);
        Holder idle = holding("idle", m_servers.connectString(follower));
        Holder reading = holding("reading", m_servers.connectString(follower));
        async::TaskGroup group([](const std::exception_ptr &) {}); // reads end with the session
        group.spawn(noteEnd(*witness, idle.node, idle.end));
        group.spawn(noteEnd(*witness, reading.node, reading.end));
        group.spawn(keepReading(*reading.session));
        const async::TimePoint began = async::BootClock::now();
        for (const Holder *holder : {&idle, &reading}) // a healthy session gets its proofs
            QTRY_VERIFY_WITH_TIMEOUT(holder->session->aliveUntil() > began + HoldersTimeout, 20'000);
        if (way)
            m_servers.cut(follower, *way);
        else
            growSlow(follower);
        QTRY_VERIFY_WITH_TIMEOUT(group.empty(), 30'000);
        for (const Holder *holder : {&idle, &reading}) {
            QCOMPARE(holder->session->state(), State::Lost);
            QVERIFY2(holder->session->aliveUntil() < holder->end, holder->node.c_str());
        }
    }

    // The next server reaches the leader: it saves the session, which the first would have let expire.
    void aSessionMovesToAServerThatReachesTheLeader()
    {
        const int leader = m_servers.leader();
        const int follower = m_servers.follower();
        const auto session = connected(m_servers.connectString(follower), 10s);
        session->setServers(m_servers.connectString(follower) + u',' + m_servers.connectString(leader));
        m_servers.cut(follower, Way::Both);
        QTRY_COMPARE_WITH_TIMEOUT(session->server(), m_servers.connectString(leader), 30'000);
        QCOMPARE(session->state(), State::Connected);
        QCOMPARE(test::await(test::existence(*session, Path())), Code::Ok);
        test::await(session->close());
    }
};

QTEST_GUILESS_MAIN(CutFollowerTest)
#include "cut_follower_test.moc"
