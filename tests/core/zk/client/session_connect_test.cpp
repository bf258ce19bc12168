#include "support/session_test_case.h"

#include <QTest>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using test::existence;
using test::outcome;

class SessionConnectTest : public test::SessionTestCase
{
    Q_OBJECT

private Q_SLOTS:
    void callsBeforeTheConnectionWait()
    {
        Session early(m_fixture.loop, m_fixture.options());
        const Reply<Stat> reply = early.exists(Path("/"));
        early.open();
        QCOMPARE(early.state(), Client::State::Connecting);
        QTRY_VERIFY_WITH_TIMEOUT(reply.ready(), 30'000);
        QVERIFY(early.sessionId() != 0);
        test::await(early.close());
    }

    void closingDeletesEphemerals()
    {
        auto other = m_fixture.connected(m_fixture.options());
        QCOMPARE(test::await(outcome(other->create(m_root / "mine", {}, CreateMode::Ephemeral))), Code::Ok);
        test::await(other->close());
        QCOMPARE(other->state(), Client::State::Lost);
        QCOMPARE(test::await(existence(*m_session, m_root / "mine")), Code::NoNode);
    }

    void destroyingDeletesEphemeralsSoon()
    {
        auto other = m_fixture.connected(m_fixture.options());
        QCOMPARE(test::await(outcome(other->create(m_root / "mine", {}, CreateMode::Ephemeral))), Code::Ok);
        other.reset();
        QTRY_COMPARE_WITH_TIMEOUT(test::await(existence(*m_session, m_root / "mine")), Code::NoNode,
                                  15'000); // it times out later
    }

    void aSessionIsResumedByItsId()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto first = m_fixture.connected(m_fixture.options(relay));
        QCOMPARE(test::await(outcome(first->create(m_root / "kept", {}, CreateMode::Ephemeral))), Code::Ok);
        relay.refuse();
        relay.dropConnections();
        SessionOptions resumed = m_fixture.options();
        resumed.resume = first->clientId();
        auto second = m_fixture.connected(resumed);
        QCOMPARE(second->sessionId(), first->sessionId());
        QCOMPARE(test::await(existence(*second, m_root / "kept")), Code::Ok);
        test::await(second->close());
        relay.resume();
        test::await(first->lost());
    }

    void anUnknownSessionIdIsLost()
    {
        SessionOptions unknown = m_fixture.options();
        unknown.resume.session = 0x1234567;
        Session session(m_fixture.loop, unknown);
        session.open();
        test::await(session.lost());
    }

    void theFirstServerMayBeDead()
    {
        SessionOptions several = m_fixture.options();
        several.servers = QStringLiteral("127.0.0.1:1,") + m_fixture.server.connectString();
        auto session = m_fixture.connected(several);
        QCOMPARE(session->server(), m_fixture.server.connectString());
        test::await(session->close());
    }

    void namesAreLookedUp()
    {
        SessionOptions named = m_fixture.options();
        named.servers = QStringLiteral("no-such-host.invalid,localhost:%1").arg(m_fixture.server.port());
        auto session = m_fixture.connected(named);
        QVERIFY2(session->lastTrouble().contains(QStringLiteral("cannot resolve no-such-host.invalid")),
                 qPrintable(session->lastTrouble()));
        test::await(session->close());
    }

    // Its server may well run while the name server does not.
    void aNameThatCannotBeResolvedNowKeepsItsAddresses()
    {
        const ServerList names = parseConnectString(QStringLiteral("no-such-host.invalid,127.0.0.1:7"));
        Resolved last;
        last.addresses[QStringLiteral("no-such-host.invalid:2181")] = {{QStringLiteral("192.0.2.7"), 2181}};
        const Resolved now = resolve(names, last);
        QCOMPARE(now.servers, (ServerList{{QStringLiteral("192.0.2.7"), 2181}, {QStringLiteral("127.0.0.1"), 7}}));
        QVERIFY(now.trouble.contains(QStringLiteral("cannot resolve no-such-host.invalid")));
        QCOMPARE(now.addresses, last.addresses);
        QCOMPARE(resolve(names).servers.size(), 1u);
    }

    // Name servers rotate their answers.
    void anAttemptSurvivesTheSameServersInAnotherOrder()
    {
        app::DelayRelay silent(m_fixture.server.port(), 0ms);
        silent.silence(app::DelayRelay::Direction::Both);
        SessionOptions slow = m_fixture.options(silent);
        slow.timeout = 40s;
        const QString other = QStringLiteral("127.0.0.1:1");
        const QString own = slow.servers;
        slow.servers = own + u',' + other;
        Session session(m_fixture.loop, slow);
        session.open();
        QTRY_COMPARE_WITH_TIMEOUT(silent.counters().open, 1, 30'000);
        session.setServers(other + u',' + own);
        QTest::qWait(200);
        QCOMPARE(silent.counters().accepted, 1);
        silent.resume();
        test::await(session.connected());
        QCOMPARE(silent.counters().accepted, 1);
        test::await(session.close());
    }

    void serversCanBeChanged()
    {
        SessionOptions dead = m_fixture.options();
        dead.servers = QStringLiteral("127.0.0.1:1");
        Session session(m_fixture.loop, dead);
        session.open();
        QTRY_VERIFY_WITH_TIMEOUT(
            session.lastTrouble().contains(QStringLiteral("127.0.0.1:1: connection refused: no server runs there")),
            30'000);
        session.setServers(m_fixture.server.connectString());
        test::await(session.connected());
        test::await(session.close());
    }

    void aConnectionSurvivesNewServersThatIncludeItsOwn()
    {
        int changes = 0;
        const QObject here; // no longer than this
        connect(m_session.get(), &Session::stateChanged, &here, [&changes] { ++changes; });
        const QString own = m_session->server();
        m_session->setServers(QStringLiteral("127.0.0.1:1,") + own);
        QCOMPARE(test::await(existence(*m_session, m_root)), Code::Ok);
        QCOMPARE(m_session->server(), own);
        QCOMPARE(changes, 0);
    }

    void wrongServersAreRefusedInOneLine()
    {
        for (const char *wrong : {"", "host:", "host:0", "host:70000", "host:x", "a:1,,b:2", "/app", "host:2181/app/",
                                  "host:2181//app", "host:2181/a/../b", "a:1/app,b:2/app",
                                  "host:2181/0123456789012345678901234567890123456789012345678901234567890", "::1:2181",
                                  "[::1:2181", "[host]:1", "[::1]2181", "a b:1"}) {
            try {
                parseConnectString(QString::fromLatin1(wrong));
                QFAIL(wrong);
            } catch (const InvalidConnectString &error) {
                QVERIFY2(!QByteArray(error.what()).contains('\n'), error.what());
            }
        }
        const ServerList right = parseConnectString(QStringLiteral("a, b-2.c:1 ,[::1],[fe80::1]:7,10.0.0.1:2"));
        QCOMPARE(right.size(), 5u);
        QCOMPARE(right[0], (ServerAddress{QStringLiteral("a"), 2181}));
        QCOMPARE(right[1].toString(), QStringLiteral("b-2.c:1"));
        QCOMPARE(right[2].toString(), QStringLiteral("[::1]:2181"));
        QCOMPARE(right[3], (ServerAddress{QStringLiteral("fe80::1"), 7}));
        QVERIFY(right[4].isNumeric() && right[3].isNumeric() && !right[0].isNumeric());
        Session session(m_fixture.loop, SessionOptions{QStringLiteral("host:2181/chroot/")});
        QVERIFY_THROWS_EXCEPTION(InvalidConnectString, session.open());
    }

    void aPathAfterTheServersIsTheRoot()
    {
        for (const char *const none : {"a", "a:1,b:2", "a:1/", "[::1]:1,b:2/"})
            QVERIFY(chrootOf(QString::fromLatin1(none)).isRoot());
        QCOMPARE(chrootOf(QStringLiteral("a:1,[::1]:2/team/app")), Path("/team/app"));
        QCOMPARE(parseConnectString(QStringLiteral("a:1,[::1]:2/team/app")),
                 parseConnectString(QStringLiteral("a:1,[::1]:2")));
    }

    void onlyRealRequestsAreCounted()
    {
        const quint64 before = m_session->counters().requests;
        QTest::qWait(1500); // several heartbeats
        QCOMPARE(m_session->counters().requests, before);
        QVERIFY(m_session->aliveUntil() > async::BootClock::now());
    }
};

QTEST_GUILESS_MAIN(SessionConnectTest)
#include "session_connect_test.moc"
