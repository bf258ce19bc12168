#include "support/send_signal.h"
#include "support/session_fixture.h"

#include <QProcess>
#include <QTest>

#include <signal.h>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;
using test::existence;
using test::outcome;
using test::sendSignal;
using State = Client::State;

namespace {

Task<void> countOutcome(Reply<Node> reply, std::map<Code, int> &outcomes)
{
    const Code code = co_await outcome(std::move(reply));
    ++outcomes[code];
}

Task<void> expectWatchLost(Watch &watch, int &lost)
{
    try {
        co_await watch.fired();
    } catch (const SessionLost &) {
        ++lost;
    }
}

Task<void> destroyAfterReply(std::unique_ptr<Session> &session, int &outcomes)
{
    const Code code = co_await outcome(session->get(Path("/")));
    if (code == Code::Ok)
        session.reset();
    ++outcomes;
}

Task<void> destroyAfterEvent(std::unique_ptr<Session> &session, Watch &watch)
{
    co_await watch.fired();
    session.reset();
}

Task<void> arm(Session &session, Path path, Watch &watch)
{
    const Answer<Stat> answer = co_await session.exists(path, watch);
}

// The child of the pause test: says what happens to it, in order, and only from its own loop.
int pausedChild(int argc, char *argv[])
{
    QCoreApplication application(argc, argv);
    const auto say = [](const char *line) {
        std::puts(line);
        std::fflush(stdout);
    };
    async::QtLoop loop;
    Session session(loop, SessionOptions{QString::fromLocal8Bit(argv[2]), 4s, {}, {}});
    session.open();
    test::await(session.connected());
    test::await(outcome(session.create(Path("/paused"), {}, CreateMode::Ephemeral)));
    const Reply<Node> unread = session.get(Path("/"));
    say("ready");
    while (session.aliveUntil() > async::BootClock::now()) // stopped here, with an answer in the socket
        ;
    const Reply<Committed> zombie = session.commit(Transaction().check(Path("/")).create(Path("/zombie"), {}));
    QObject::connect(&session, &Session::stateChanged, [&](State state) {
        say(state == State::Lost ? "lost" : "other state");
        say(unread.ready() || zombie.ready() ? "had an answer" : "had no answer");
    });
    try {
        const Node node = test::await([](const Reply<Node> &reply) -> Task<Node> {
            const Answer<Node> answer = co_await reply;
            co_return answer.value();
        }(unread));
        say("read");
    } catch (const SessionLost &) {
        say("the read is lost");
    }
    try {
        test::await([](const Reply<Committed> &reply) -> Task<void> { co_await reply; }(zombie));
        say("committed");
    } catch (const SessionLost &) {
        say("the transaction is lost");
    }
    return 0;
}

} // namespace

class SessionEndTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_fixture.server.start(); }

    void everyCallInFlightIsAnsweredOnceAtClose()
    {
        auto session = m_fixture.connected(m_fixture.options());
        std::map<Code, int> outcomes;
        async::TaskGroup group;
        for (int i = 0; i < 2000; ++i)
            group.spawn(countOutcome(session->get(Path("/")), outcomes));
        test::await(session->close());
        QVERIFY(group.empty());
        QCOMPARE(outcomes[Code::Ok] + outcomes[Code::SessionExpired], 2000);
        QVERIFY(outcomes[Code::SessionExpired] > 0);
        QCOMPARE(test::await(outcome(session->get(Path("/")))), Code::SessionExpired);
    }

    void everyCallInFlightIsAnsweredOnceWhenDestroyed()
    {
        auto session = m_fixture.connected(m_fixture.options());
        std::map<Code, int> outcomes;
        async::TaskGroup group;
        for (int i = 0; i < 2000; ++i)
            group.spawn(countOutcome(session->get(Path("/")), outcomes));
        session.reset();
        QVERIFY(group.empty());
        QCOMPARE(outcomes[Code::SessionExpired], 2000);
    }

    void watchesEndWithTheSession()
    {
        auto session = m_fixture.connected(m_fixture.options());
        std::array<Watch, 3> watches;
        int lost = 0;
        async::TaskGroup group;
        for (Watch &watch : watches) {
            test::await(arm(*session, Path("/"), watch));
            group.spawn(expectWatchLost(watch, lost));
        }
        test::await(session->close());
        QCOMPARE(lost, 3);
        QVERIFY(!watches[0].armed());
    }

    void aWatchMayOutliveItsSession()
    {
        Watch watch;
        auto session = m_fixture.connected(m_fixture.options());
        test::await(arm(*session, Path("/"), watch));
        session.reset();
        QVERIFY(!watch.armed());
    }

    void theSessionMayBeDestroyedByAReply()
    {
        auto session = m_fixture.connected(m_fixture.options());
        int outcomes = 0;
        async::TaskGroup group;
        for (int i = 0; i < 50; ++i)
            group.spawn(destroyAfterReply(session, outcomes));
        QTRY_COMPARE_WITH_TIMEOUT(outcomes, 50, 30'000);
        QVERIFY(!session);
    }

    void theSessionMayBeDestroyedByAWatch()
    {
        auto session = m_fixture.connected(m_fixture.options());
        std::array<Watch, 2> watches;
        async::TaskGroup group;
        int lost = 0;
        for (Watch &watch : watches)
            test::await(arm(*session, Path("/byWatch"), watch));
        group.spawn(destroyAfterEvent(session, watches[0]));
        auto other = m_fixture.connected(m_fixture.options());
        Watch unrelated;
        test::await(arm(*session, Path("/other"), unrelated));
        group.spawn(expectWatchLost(unrelated, lost));
        QCOMPARE(test::await(outcome(other->create(Path("/byWatch"), {}, CreateMode::Ephemeral))), Code::Ok);
        QTRY_VERIFY_WITH_TIMEOUT(!session, 30'000);
        QVERIFY(watches[1].hasFired()); // it was the same event's
        QCOMPARE(lost, 1);
        test::await(other->close());
    }

    void theSessionMayBeDestroyedByItsState()
    {
        auto session = std::make_unique<Session>(m_fixture.loop, m_fixture.options());
        std::map<Code, int> outcomes;
        async::TaskGroup group;
        for (int i = 0; i < 3; ++i)
            group.spawn(countOutcome(session->get(Path("/")), outcomes));
        int changes = 0;
        connect(session.get(), &Session::stateChanged, this, [&](State state) {
            if (++changes == 1 && state == State::Connected)
                session.reset();
        });
        session->open();
        QTRY_VERIFY_WITH_TIMEOUT(!session, 30'000);
        QCOMPARE(changes, 2); // Connected, and Lost from the destructor
        QVERIFY(group.empty());
        QCOMPARE(outcomes, (std::map<Code, int>{{Code::SessionExpired, 3}}));
    }

    void closingBeforeTheConnectionEnds()
    {
        SessionOptions dead = m_fixture.options();
        dead.servers = QStringLiteral("127.0.0.1:1");
        Session session(m_fixture.loop, dead);
        const Reply<Node> waiting = session.get(Path("/"));
        session.open();
        test::await(session.close());
        QVERIFY(waiting.ready());
        QCOMPARE(session.state(), State::Lost);
    }

    void expiryEndsEverything()
    {
        app::DelayRelay relay(m_fixture.server.port(), 0ms);
        auto session = m_fixture.connected(m_fixture.options(relay));
        Watch watch;
        int lost = 0;
        async::TaskGroup group;
        test::await(arm(*session, Path("/"), watch));
        group.spawn(expectWatchLost(watch, lost));
        relay.refuse();
        relay.dropConnections();
        SessionOptions duplicate = m_fixture.options();
        duplicate.resume = session->clientId();
        test::await(m_fixture.connected(duplicate)->close()); // the server ends the session that both share
        const Reply<Node> waiting = session->get(Path("/"));
        relay.resume();
        test::await(session->lost());
        QTRY_COMPARE_WITH_TIMEOUT(lost, 1, 30'000);
        QCOMPARE(
            test::await([](const Reply<Node> &reply) -> Task<Code> { co_return co_await outcome(reply); }(waiting)),
            Code::SessionExpired);
        QCOMPARE(test::await(outcome(session->commit(Transaction().check(Path("/")).remove(Path("/none"))))),
                 Code::SessionExpired);
    }

    void refusedCredentialsEndTheSession()
    {
        auto session = m_fixture.connected(m_fixture.options());
        QCOMPARE(test::await(outcome(session->addAuth("no-such-scheme", "x"))), Code::AuthFailed);
        QCOMPARE(session->state(), State::Lost);
        QCOMPARE(test::await(outcome(session->get(Path("/")))), Code::SessionExpired);
    }

    void aStoppedProcessLearnsThatItIsLostBeforeAnythingElse()
    {
        QProcess child;
        child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        child.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("--paused"), m_fixture.server.connectString()});
        QTRY_VERIFY_WITH_TIMEOUT(child.canReadLine(), 60'000);
        QCOMPARE(child.readLine().trimmed(), QByteArray("ready"));
        auto other = m_fixture.connected(m_fixture.options());
        QVERIFY(sendSignal(child, SIGSTOP));
        QTRY_COMPARE_WITH_TIMEOUT(test::await(existence(*other, Path("/paused"))), Code::NoNode, 60'000);
        QVERIFY(sendSignal(child, SIGCONT));
        QTRY_COMPARE_WITH_TIMEOUT(child.state(), QProcess::NotRunning, 60'000);
        QCOMPARE(child.readAll().split('\n'),
                 (QByteArrayList{"lost", "had no answer", "the read is lost", "the transaction is lost", ""}));
        QCOMPARE(child.exitCode(), 0);
        QCOMPARE(test::await(existence(*other, Path("/zombie"))), Code::NoNode);
        test::await(other->close());
    }

private:
    test::SessionFixture m_fixture;
};

int main(int argc, char *argv[])
{
    if (argc == 3 && qstrcmp(argv[1], "--paused") == 0)
        return pausedChild(argc, argv);
    QCoreApplication application(argc, argv);
    SessionEndTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "session_end_test.moc"
