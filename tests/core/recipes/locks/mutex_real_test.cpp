#include "app/bench/relay/delay_relay.h"
#include "recipes/locks/mutex.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// The lock on a real server: what the in-memory one shows in virtual time holds there as well.
class MutexRealTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/locks/real"};
    const zk::Path m_counter{"/counter"};

    // Reads, then writes what it read plus one: right only if no other process does so in between.
    async::Task<void> count(zk::Client &zk, int rounds)
    {
        Mutex mutex(zk, m_path);
        for (int i = 0; i < rounds; ++i) {
            const Lock lock = co_await mutex.acquire();
            const zk::Answer<zk::Node> node = co_await zk.get(m_counter);
            zk::Transaction transaction;
            lock.fence().guard(transaction).set(m_counter, QByteArray::number(node->data.toInt() + 1));
            const zk::Answer<zk::Committed> committed = co_await zk.commit(transaction);
            committed.require();
        }
    }

    static std::unique_ptr<zk::Session> connect(async::Loop &loop, const QString &servers)
    {
        zk::SessionOptions options;
        options.servers = servers;
        auto session = std::make_unique<zk::Session>(loop, options);
        session->open();
        await(session->connected());
        return session;
    }

private Q_SLOTS:
    void eightContendersLoseNoUpdate()
    {
        constexpr int Contenders = 8;
        constexpr int Rounds = 25;
        TestServer server;
        server.start();
        app::DelayRelay relay(server.port(), 2ms);
        async::QtLoop loop;
        std::vector<std::unique_ptr<zk::Session>> sessions;
        for (int i = 0; i < Contenders; ++i)
            sessions.push_back(connect(loop, QStringLiteral("127.0.0.1:%1").arg(relay.port())));
        await(sessions[0]->ensurePath(m_counter));
        await(sessions[0]->ensurePath(m_path));
        quint64 eventsBefore = 0;
        for (const auto &session : sessions)
            eventsBefore += session->counters().watchEvents;

        std::exception_ptr error;
        async::TaskGroup contenders([&](const std::exception_ptr &e) { error = e; });
        for (const auto &session : sessions)
            contenders.spawn(count(*session, Rounds));
        QVERIFY(QTest::qWaitFor([&] { return contenders.empty(); }, 60000));
        QVERIFY(!error);

        const auto read = [&]() -> async::Task<QByteArray> {
            const zk::Answer<zk::Node> node = co_await sessions[0]->get(m_counter);
            co_return node->data;
        };
        QCOMPARE(await(read()), QByteArray::number(Contenders * Rounds));
        quint64 events = 0;
        for (const auto &session : sessions)
            events += session->counters().watchEvents;
        QVERIFY(events - eventsBefore <= 2 * Contenders * Rounds);
    }

    void theLockPassesOnWhenItsHolderVanishes()
    {
        TestServer server;
        server.start();
        app::DelayRelay relay(server.port(), 0ms);
        async::QtLoop loop;
        const auto holder = connect(loop, QStringLiteral("127.0.0.1:%1").arg(relay.port()));
        const auto heir = connect(loop, server.connectString());
        Mutex first(*holder, m_path);
        Mutex second(*heir, m_path);
        const Lock zombie = await(first.acquire());
        relay.silence(app::DelayRelay::Direction::Both);
        const Lock lock = await(second.acquire(), 60s); // once the server has given the holder up
        QVERIFY(lock.fence().czxid > zombie.fence().czxid);
        QVERIFY(QTest::qWaitFor([&] { return holder->state() == zk::Client::State::Lost; }, 60000));
    }
};

QTEST_GUILESS_MAIN(MutexRealTest)
#include "mutex_real_test.moc"
