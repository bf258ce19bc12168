#include "interop/arena.h"
#include "recipes/mutex.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// Drover, Curator and kazoo at one lock.
class LocksTest : public QObject
{
    Q_OBJECT

    static constexpr int Rounds = 20;
    std::unique_ptr<Arena> m_arena;

private Q_SLOTS:
    void initTestCase() { m_arena = std::make_unique<Arena>(); }
    void cleanupTestCase() { m_arena.reset(); }

    void oneMutexForAll()
    {
        const zk::Path path("/mutex");
        const auto gatekeeper = m_arena->session();
        const auto first = m_arena->session();
        const auto second = m_arena->session();
        FencedLog log;

        // All stand in line before the first may begin, so that they really meet.
        Mutex gate(*gatekeeper, path);
        Lock shut = await(gate.acquire());
        const QByteArray command = "lock contend " + path.bytes() + ' ' + QByteArray::number(Rounds) + ' ' + log.path();
        for (const char *const client : {"a", "b"}) {
            m_arena->curator().tell(client, command);
            m_arena->kazoo().tell(client, command);
        }
        Mutex ours(*first, path);
        Mutex oursToo(*second, path);
        Party party;
        party.spawn(contend(ours, *first, log, "drover-a", "lock", Rounds));
        party.spawn(contend(oursToo, *second, log, "drover-b", "lock", Rounds));
        QVERIFY(m_arena->hasChildren(*gatekeeper, path, 1 + 6));
        shut.release();

        party.join();
        for (const char *const client : {"a", "b"}) {
            await(m_arena->curator().answer(client));
            await(m_arena->kazoo().answer(client));
        }
        QCOMPARE(faults(log.entries()), QStringList());
        std::map<QByteArray, int> all;
        for (const char *const who : {"curator-a", "curator-b", "drover-a", "drover-b", "kazoo-a", "kazoo-b"})
            all[who] = Rounds;
        QCOMPARE(rounds(log.entries()), all);
        QVERIFY(handOvers(log.entries()) > Rounds);
        QVERIFY(m_arena->hasChildren(*gatekeeper, path, 0));
    }
};

QTEST_GUILESS_MAIN(LocksTest)
#include "locks_test.moc"
