#include "async/qt_loop.h"
#include "async/task_group.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/semaphore.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// Who is inside at the same time, as all contenders of one program see it.
struct Inside {
    int readers = 0;
    int writers = 0;
    int mostReaders = 0;
    int leases = 0;
    int mostLeases = 0;
    bool overlap = false;
    int rounds = 0;
};

// The rw lock and the semaphore on a real server.
class ReadWriteRealTest : public QObject
{
    Q_OBJECT

    static constexpr int Contenders = 6;
    static constexpr int Rounds = 20;

    const zk::Path m_lock{"/test/rw"};
    const zk::Path m_semaphore{"/test/semaphore"};

    // Reads, or writes and then goes on as a reader, as the downgrade allows.
    async::Task<void> contend(zk::Client &zk, int who, Inside &inside)
    {
        ReadWriteLock lock(zk, m_lock);
        const Owner me;
        for (int i = 0; i < Rounds; ++i) {
            const bool writes = (i + who) % 3 == 0;
            std::optional<Lock> write;
            if (writes) {
                Lock acquired = co_await lock.writer().acquire(QByteArray(), me);
                write.emplace(std::move(acquired));
                inside.overlap |= inside.writers++ > 0 || inside.readers > 0;
                co_await async::sleepFor(zk.loop(), 1ms);
            }
            const Lock read = co_await lock.reader().acquire(QByteArray(), me);
            if (writes) {
                inside.writers--;
                write.reset();
            }
            inside.overlap |= inside.writers > 0;
            inside.mostReaders = std::max(inside.mostReaders, ++inside.readers);
            co_await async::sleepFor(zk.loop(), 2ms);
            --inside.readers;
            ++inside.rounds;
        }
    }

    async::Task<void> borrow(zk::Client &zk, Inside &inside)
    {
        Semaphore semaphore(zk, m_semaphore, 3);
        for (int i = 0; i < Rounds; ++i) {
            const int n = 1 + i % 2;
            const std::vector<Lease> leases = co_await semaphore.acquire(n);
            inside.leases += n;
            inside.mostLeases = std::max(inside.mostLeases, inside.leases);
            co_await async::sleepFor(zk.loop(), 2ms);
            inside.leases -= n;
            ++inside.rounds;
        }
    }

    async::Task<QByteArrayList> children(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Children> list = co_await zk.children(path);
        co_return list.value().names;
    }

private Q_SLOTS:
    void contendersOnARealServer()
    {
        TestServer server;
        server.start();
        async::QtLoop loop;
        std::vector<std::unique_ptr<zk::Session>> sessions;
        for (int i = 0; i < Contenders; ++i) {
            zk::SessionOptions options;
            options.servers = server.connectString();
            sessions.push_back(std::make_unique<zk::Session>(loop, options));
            sessions.back()->open();
            await(sessions.back()->connected());
        }
        Inside inside;
        std::exception_ptr error;
        async::TaskGroup contenders([&](const std::exception_ptr &e) { error = e; });
        for (int i = 0; i < Contenders; ++i) {
            contenders.spawn(contend(*sessions[static_cast<std::size_t>(i)], i, inside));
            contenders.spawn(borrow(*sessions[static_cast<std::size_t>(i)], inside));
        }
        QVERIFY(QTest::qWaitFor([&] { return contenders.empty(); }, 90000));
        QVERIFY(!error);
        QCOMPARE(inside.rounds, 2 * Contenders * Rounds);
        QVERIFY(!inside.overlap);
        QVERIFY(inside.mostReaders > 1);
        QVERIFY(inside.mostLeases <= 3);
        QVERIFY(inside.mostLeases > 1);
        for (const zk::Path &path : {m_lock, m_semaphore / "locks", m_semaphore / "leases"})
            QTRY_COMPARE_WITH_TIMEOUT(await(children(*sessions.front(), path)).size(), 0, 10000);
    }
};

QTEST_GUILESS_MAIN(ReadWriteRealTest)
#include "read_write_real_test.moc"
