#include "support/session_fixture.h"

#include <QMetaEnum>
#include <QTest>
#include <QThread>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;
using test::existence;
using test::outcome;
using State = Client::State;

namespace {

using Log = std::vector<QByteArray>;

Task<void> noteOutcome(Reply<Node> reply, Log &log)
{
    const Code code = co_await outcome(std::move(reply));
    log.push_back(name(code));
}

Task<void> noteEvent(Watch &watch, Log &log)
{
    try {
        const WatchEvent event = co_await watch.fired();
        log.push_back("event at " + event.path.bytes());
    } catch (const SessionLost &) {
        log.push_back("watch lost");
    }
}

void noteStates(Session &session, Log &log)
{
    QObject::connect(&session, &Session::stateChanged, &session, [&log](State state) {
        log.push_back(QMetaEnum::fromType<State>().valueToKey(static_cast<int>(state)));
    });
}

Task<void> arm(Session &session, Path path, Watch &watch)
{
    const Answer<Stat> answer = co_await session.exists(path, watch);
}

// Takes a handle through its life until it has nothing more to say, without a Session.
void drive(ClientHandle &handle, const std::function<bool()> &done)
{
    const auto turn = [&] {
        if (handle.interest().fd >= 0)
            handle.process(true, true);
        return done();
    };
    QVERIFY(QTest::qWaitFor(turn, 30'000));
}

} // namespace

// Each fault of the C client that Drover defends itself against (core/zk/README.md), and of servers and networks.
class SessionFaultsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_fixture.server.start(); }

    // zoo_amulti() on a handle beyond recovery frees memory twice.
    void aTransactionOnAnExpiredHandleIsNotSent()
    {
        ClientId unknown;
        unknown.session = 0x42;
        ClientHandle handle(parseConnectString(m_fixture.server.connectString()), 4s, unknown);
        drive(handle, [&] { return handle.link() == ClientHandle::Link::Expired; });
        handle.takeEvents();
        auto call = std::make_unique<Call>();
        call->request = MultiRequest{Transaction().check(Path("/")).create(Path("/n"), "x").remove(Path("/n"))};
        handle.send(std::move(call));
        auto events = handle.takeEvents();
        QCOMPARE(events.size(), 1u);
        QCOMPARE(std::get<ClientHandle::Answered>(events.front()).call->response.code, Code::SessionExpired);
    }

    // A failed send closes the socket and cleans up nothing: without a repair the calls in flight never end, and what
    // is left of a request goes out on the next connection.
    void aSendThatFailsBreaksTheConnectionCleanly()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto session = m_fixture.connected(m_fixture.options(relay));
        Log log;
        noteStates(*session, log);
        async::TaskGroup group;
        relay.silence(app::DelayRelay::Direction::FromTarget);
        group.spawn(noteOutcome(session->get(Path("/")), log));
        relay.dropConnections(); // we have not noticed
        for (int i = 0; i < 3; ++i)
            group.spawn(noteOutcome(session->get(Path("/")), log));
        relay.resume();
        QTRY_COMPARE_WITH_TIMEOUT(log.size(), 6u, 30'000);
        const QByteArray lost = name(Code::ConnectionLoss);
        QCOMPARE(log[0], QByteArray("Suspended"));
        QCOMPARE(log[1], lost);
        QCOMPARE(log[2], lost);
        // The others were made after the loss and waited.
        QCOMPARE(std::count(log.begin(), log.end(), "Connected"), 1);
        QCOMPARE(std::count(log.begin(), log.end(), name(Code::Ok)), 2);
        test::await(session->close());
    }

    // Credentials jump the queue, in front of a request that is half sent.
    void credentialsDoNotTearARequestApart()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto session = m_fixture.connected(m_fixture.options(relay));
        const Path node("/big");
        QCOMPARE(test::await(outcome(session->create(node, {}, CreateMode::Ephemeral))), Code::Ok);
        Log log;
        noteStates(*session, log);
        relay.silence(app::DelayRelay::Direction::ToTarget);
        std::vector<Reply<Stat>> sets;
        for (int i = 0; i < 12; ++i)
            sets.push_back(session->set(node, QByteArray(900'000, 'x')));
        const Reply<Nothing> added = session->addAuth("digest", "me:secret");
        const Reply<Created> after = session->create(Path("/mine"), {}, CreateMode::Ephemeral, {Acl{31, "auth", ""}});
        QTest::qWait(100);
        relay.resume();
        QTRY_VERIFY_WITH_TIMEOUT(after.ready(), 30'000);
        QCOMPARE(test::await(outcome(added)), Code::Ok);
        QCOMPARE(test::await(outcome(after)), Code::Ok);
        for (const Reply<Stat> &set : sets)
            QCOMPARE(test::await(outcome(set)), Code::Ok);
        QVERIFY(log.empty()); // never disconnected
        test::await(session->close());
    }

    // Session events go to every armed watcher; they are no watch events. The C client re-arms after a reconnection.
    void watchesOutliveAConnection()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto session = m_fixture.connected(m_fixture.options(relay));
        auto other = m_fixture.connected(m_fixture.options());
        Log log;
        Watch missed;
        Watch later;
        test::await(arm(*session, Path("/missed"), missed));
        test::await(arm(*session, Path("/later"), later));
        async::TaskGroup group;
        noteStates(*session, log);
        group.spawn(noteEvent(missed, log));
        group.spawn(noteEvent(later, log));
        relay.refuse();
        relay.dropConnections();
        QTRY_COMPARE_WITH_TIMEOUT(session->state(), State::Suspended, 30'000);
        QCOMPARE(test::await(outcome(other->create(Path("/missed"), {}, CreateMode::Ephemeral))), Code::Ok);
        const Reply<Stat> seen = session->exists(Path("/missed"));
        relay.resume();
        QCOMPARE(test::await(outcome(seen)), Code::Ok);
        QCOMPARE(log, (Log{"Suspended", "Connected", "event at /missed"})); // before the reply that shows it
        QCOMPARE(test::await(outcome(other->create(Path("/later"), {}, CreateMode::Ephemeral))), Code::Ok);
        QTRY_COMPARE_WITH_TIMEOUT(log.size(), 4u, 30'000);
        test::await(other->close());
        test::await(session->close());
    }

    // All watches are re-armed with one packet, and a server drops a connection that sends one of over a megabyte.
    void watchesAreLimitedToWhatAReconnectionCanRearm()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto session = m_fixture.connected(m_fixture.options(relay));
        const QByteArray filler(10'000, 'x');
        std::deque<Watch> watches;
        bool refused = false;
        while (!refused && watches.size() < 200) {
            try {
                const Path path("/" + filler + QByteArray::number(watches.size()));
                test::await(arm(*session, path, watches.emplace_back()));
            } catch (const TooManyWatches &) {
                refused = true;
            }
        }
        QVERIFY(refused);
        QCOMPARE(watches.size(), 90u);
        relay.refuse();
        relay.dropConnections();
        QTRY_COMPARE_WITH_TIMEOUT(session->state(), State::Suspended, 30'000);
        relay.resume();
        test::await(session->connected());
        QCOMPARE(test::await(existence(*session, Path("/"))), Code::Ok);
        QTRY_COMPARE_WITH_TIMEOUT(m_fixture.server.watches(), 89, 30'000);
        test::await(session->close());
    }

    void aWatchAbandonedWithoutAConnectionIsNotRearmed()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto session = m_fixture.connected(m_fixture.options(relay));
        Watch kept;
        auto abandoned = std::make_unique<Watch>();
        test::await(arm(*session, Path("/kept"), kept));
        test::await(arm(*session, Path("/abandoned"), *abandoned));
        QTRY_COMPARE_WITH_TIMEOUT(m_fixture.server.watches(), 2, 30'000);
        relay.refuse();
        relay.dropConnections();
        QTRY_COMPARE_WITH_TIMEOUT(session->state(), State::Suspended, 30'000);
        abandoned.reset();
        relay.resume();
        test::await(session->connected());
        QCOMPARE(test::await(existence(*session, Path("/"))), Code::Ok);
        QTRY_COMPARE_WITH_TIMEOUT(m_fixture.server.watches(), 1, 30'000);
        test::await(session->close());
    }

    // The C client forgets a watch when the server has answered its removal, and re-arms it until then.
    void aRemovalWhoseAnswerIsLostIsRepeated()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto session = m_fixture.connected(m_fixture.options(relay));
        for (int round = 0; round < 3; ++round) {
            auto abandoned = std::make_unique<Watch>();
            test::await(arm(*session, Path("/abandoned" + QByteArray::number(round)), *abandoned));
            relay.silence(app::DelayRelay::Direction::FromTarget);
            abandoned.reset();
            const Reply<Stat> after = session->exists(Path("/")); // sends what waits, the removal too
            QTRY_COMPARE_WITH_TIMEOUT(m_fixture.server.watches(), 0, 30'000);
            relay.refuse();
            relay.dropConnections();
            QTRY_COMPARE_WITH_TIMEOUT(session->state(), State::Suspended, 30'000);
            relay.resume();
            test::await(session->connected());
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_fixture.server.watches(), 0, 30'000);
        test::await(session->close());
    }

    // Expiry is otherwise unknown until a server can be reached again.
    void aDeadServerEndsTheSessionByOurOwnClock()
    {
        test::SessionFixture own;
        own.server.start();
        auto session = own.connected(own.mortal());
        Log log;
        noteStates(*session, log);
        async::TaskGroup group;
        Watch watch;
        test::await(arm(*session, Path("/"), watch));
        group.spawn(noteEvent(watch, log));
        own.server.pause();
        group.spawn(noteOutcome(session->get(Path("/")), log));
        own.server.kill9();
        QTRY_COMPARE_WITH_TIMEOUT(session->state(), State::Suspended, 30'000);
        group.spawn(noteOutcome(session->get(Path("/")), log)); // waits
        QVERIFY(session->lastTrouble().contains(own.server.connectString()));
        test::await(session->lost());
        QVERIFY(session->aliveUntil() <= async::BootClock::now());
        QTRY_VERIFY_WITH_TIMEOUT(group.empty(), 30'000);
        QCOMPARE(log, (Log{"Suspended", name(Code::ConnectionLoss), "Lost", "watch lost", name(Code::SessionExpired)}));
    }

    void aServerThatHangsEndsTheSessionByOurOwnClock()
    {
        test::SessionFixture own;
        own.server.start();
        auto session = own.connected(own.mortal());
        Log log;
        noteStates(*session, log);
        own.server.pause();
        test::await(session->lost());
        QCOMPARE(log, (Log{"Suspended", "Lost"}));
        own.server.resume();
    }

    void aServerThatHangsBrieflyDoesNot()
    {
        auto session = m_fixture.connected(m_fixture.options());
        m_fixture.server.pause();
        QTest::qWait(500);
        const Reply<Stat> reply = session->exists(Path("/"));
        m_fixture.server.resume();
        QCOMPARE(test::await(outcome(reply)), Code::Ok);
        QCOMPARE(session->state(), State::Connected);
        test::await(session->close());
    }

    // The C client gives a server that does not answer two thirds of the session time-out.
    void aSilentServerDoesNotUseUpTheSession()
    {
        app::DelayRelay first(m_fixture.server.port(), 0ms);
        SessionOptions both = m_fixture.options(first);
        both.servers += QStringLiteral(",") + m_fixture.server.connectString();
        auto session = m_fixture.connected(both);
        QVERIFY(session->server() != m_fixture.server.connectString());
        Log log;
        noteStates(*session, log);
        // It comes back to the first server after the second, which is the one that is silent now.
        app::DelayRelay silent(m_fixture.server.port(), 0ms);
        silent.silence(app::DelayRelay::Direction::Both);
        session->setServers(QStringLiteral("127.0.0.1:%1,%2").arg(silent.port()).arg(m_fixture.server.connectString()));
        QTRY_COMPARE_WITH_TIMEOUT(session->server(), m_fixture.server.connectString(), 30'000);
        QCOMPARE(log, (Log{"Suspended", "Connected"}));
        QVERIFY(silent.counters().accepted > 0);
        test::await(session->close());
    }

    // With an even number of servers the C client returns to the last one before it tries the first; with a new list it
    // may begin with the one that it leaves. A second attempt there would use up the session.
    void aServerThatFallsSilentIsNotTriedNext_data()
    {
        QTest::addColumn<bool>("last");
        QTest::addColumn<bool>("replaced");
        QTest::newRow("the first of two") << false << false;
        QTest::newRow("the last of two") << true << false;
        QTest::newRow("the first of a new list") << false << true;
        QTest::newRow("the last of a new list") << true << true;
    }
    void aServerThatFallsSilentIsNotTriedNext()
    {
        QFETCH(bool, last);
        QFETCH(bool, replaced);
        app::DelayRelay silent(m_fixture.server.port(), 0ms);
        app::DelayRelay other(m_fixture.server.port(), 0ms);
        SessionOptions both = m_fixture.options();
        both.timeout = 12s; // of which a third passes
        const QString one = m_fixture.options(silent).servers;
        const QString two = m_fixture.options(other).servers;
        const QString list = last ? two + u',' + one : one + u',' + two;
        both.servers = replaced ? one : list;
        other.refuse();
        auto session = m_fixture.connected(both);
        other.resume();
        if (replaced)
            session->setServers(list);
        QCOMPARE(test::await(existence(*session, Path("/"))), Code::Ok);
        QCOMPARE(session->server(), one);
        const int before = silent.counters().accepted;
        silent.silence(app::DelayRelay::Direction::Both);
        QTRY_COMPARE_WITH_TIMEOUT(session->server(), two, 30'000);
        QCOMPARE(silent.counters().accepted, before);
        test::await(session->close());
    }

    // The C client skips every second server.
    void everyServerIsTried()
    {
        std::deque<app::DelayRelay> relays;
        SessionOptions four = m_fixture.options();
        QStringList servers;
        for (int i = 0; i < 4; ++i)
            servers.append(m_fixture.options(relays.emplace_back(m_fixture.server.port(), 0ms)).servers);
        four.servers = servers.join(u',');
        auto session = m_fixture.connected(four);
        for (app::DelayRelay &only : relays) {
            for (app::DelayRelay &relay : relays) {
                relay.refuse();
                relay.dropConnections();
            }
            QTRY_COMPARE_WITH_TIMEOUT(session->state(), State::Suspended, 30'000);
            only.resume();
            test::await(session->connected());
            QCOMPARE(session->server(), QStringLiteral("127.0.0.1:%1").arg(only.port()));
        }
        test::await(session->close());
    }

    void aStalledThreadIsReported()
    {
        auto session = m_fixture.connected(m_fixture.mortal());
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("this thread stood still for")));
        QThread::msleep(3000);
        test::await(session->close());
    }

    void aProgramThatSleptTooLongIsLost()
    {
        auto session = m_fixture.connected(m_fixture.mortal());
        Log log;
        noteStates(*session, log);
        async::TaskGroup group;
        group.spawn(noteOutcome(session->get(Path("/")), log));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("this thread stood still for")));
        QThread::msleep(6200);
        group.spawn(noteOutcome(session->get(Path("/")), log)); // is not even sent
        QTRY_COMPARE_WITH_TIMEOUT(log.size(), 3u, 30'000);
        QCOMPARE(log, (Log{"Lost", name(Code::SessionExpired), name(Code::SessionExpired)}));
        test::await(session->close());
    }

    void aRequestThatIsTooLargeIsNotSent()
    {
        auto session = m_fixture.connected(m_fixture.options());
        Log log;
        noteStates(*session, log);
        QVERIFY_THROWS_EXCEPTION(RequestTooLarge, (void)session->create(Path("/n"), QByteArray(1'100'000, 'x')));
        QCOMPARE(test::await(existence(*session, Path("/n"))), Code::NoNode);
        QVERIFY(log.empty());
        test::await(session->close());
    }

private:
    test::SessionFixture m_fixture;
};

QTEST_GUILESS_MAIN(SessionFaultsTest)
#include "session_faults_test.moc"
