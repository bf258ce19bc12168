#include "core/recipes/queues/items.h"
#include "recipes/queues/locking_queue.h"
#include "recipes/queues/queue.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;
using async::Task;

// The queues on a real server, with several takers, and the server restarted under them.
class QueueRealTest : public QObject
{
    Q_OBJECT

    static constexpr int Takers = 4;
    static constexpr int Items = 600;

    TestServer m_server;
    async::QtLoop m_loop;
    std::vector<std::unique_ptr<zk::Session>> m_sessions;

    static Task<void> take(zk::Client &zk, QByteArrayList &taken)
    {
        Queue queue(zk, zk::Path("/real/queue"));
        for (;;) {
            const QByteArrayList items = co_await queue.takeSome(20);
            taken += items;
        }
    }

    static Task<void> offer(zk::Client &zk)
    {
        Queue queue(zk, zk::Path("/real/queue"));
        const QByteArrayList items = numbered(Items);
        for (int i = 0; i < Items; i += 10) {
            const QByteArrayList part = items.mid(i, 10);
            co_await queue.offerAll(part);
        }
    }

    static Task<void> work(zk::Client &zk, QByteArrayList &consumed)
    {
        LockingQueue queue(zk, zk::Path("/real/jobs"));
        for (;;) {
            std::vector<ClaimedItem> claims = co_await queue.getSome(10);
            for (ClaimedItem &claim : claims) {
                const QByteArray item = claim.data();
                auto consuming = claim.consume();
                const bool ours = co_await consuming;
                if (ours)
                    consumed.push_back(item);
            }
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_server.start();
        for (int i = 0; i <= Takers; ++i) {
            zk::SessionOptions options;
            options.servers = m_server.connectString();
            options.timeout = 30s;
            m_sessions.push_back(std::make_unique<zk::Session>(m_loop, options));
            m_sessions.back()->open();
            await(m_sessions.back()->connected());
        }
    }

    void everyItemGoesToOneTaker()
    {
        QByteArrayList taken;
        async::TaskGroup taking;
        for (int i = 1; i <= Takers; ++i)
            taking.spawn(take(*m_sessions[static_cast<std::size_t>(i)], taken));
        await(offer(*m_sessions[0]));
        QVERIFY(QTest::qWaitFor([&] { return taken.size() >= Items; }, 60'000));
        std::sort(taken.begin(), taken.end());
        QCOMPARE(taken, numbered(Items));
    }

    void everyItemIsConsumedOnceOverARestart()
    {
        LockingQueue producer(*m_sessions[0], zk::Path("/real/jobs"));
        QByteArrayList consumed;
        async::TaskGroup working;
        for (int i = 1; i <= Takers; ++i)
            working.spawn(work(*m_sessions[static_cast<std::size_t>(i)], consumed));
        await(producer.putAll(numbered(Items).mid(0, 300)));
        QVERIFY(QTest::qWaitFor([&] { return consumed.size() > 20; }, 60'000));
        m_server.kill9();
        m_server.restart();
        await(producer.putAll(numbered(Items).mid(300)));
        QVERIFY(QTest::qWaitFor([&] { return consumed.size() >= Items; }, 60'000));
        std::sort(consumed.begin(), consumed.end());
        QCOMPARE(consumed, numbered(Items));
        QCOMPARE(await(producer.size()), qsizetype(0));
    }

    void cleanupTestCase() { m_sessions.clear(); }
};

QTEST_GUILESS_MAIN(QueueRealTest)
#include "queue_real_test.moc"
