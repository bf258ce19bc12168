#include "interop/contention_run.h"
#include "interop/interop_fixture.h"
#include "recipes/barriers/barrier.h"
#include "recipes/barriers/double_barrier.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// Clients of all libraries wait for each other.
class BarriersTest : public QObject
{
    Q_OBJECT

    enum Library { Drover, Curator, Kazoo };

    std::unique_ptr<InteropFixture> m_fixture;

    ForeignPeer &curator() { return m_fixture->curator(); }
    ForeignPeer &kazoo() { return m_fixture->kazoo(); }
    ForeignPeer &peer(Library library) { return library == Curator ? curator() : kazoo(); }
    zk::Client &ours(std::size_t index) { return m_fixture->ours(index); }

    // `verb` of a barrier, done by that library's client "b" and finished when this returns.
    void have(Library library, const char *verb, const zk::Path &path)
    {
        Barrier barrier(ours(2), path);
        if (library == Drover)
            await(verb == QByteArray("set") ? barrier.close() : barrier.open());
        else
            peer(library).ask("b", QByteArray("barrier ") + verb + ' ' + path.bytes());
    }

private Q_SLOTS:
    void initTestCase() { m_fixture = std::make_unique<InteropFixture>(); }
    void cleanupTestCase() { m_fixture.reset(); }

    void oneBarrierForAll_data()
    {
        QTest::addColumn<int>("closes");
        QTest::addColumn<int>("opens");
        QTest::newRow("Drover closes, Curator opens") << int(Drover) << int(Curator);
        QTest::newRow("Curator closes, kazoo opens") << int(Curator) << int(Kazoo);
        QTest::newRow("kazoo closes, Drover opens") << int(Kazoo) << int(Drover);
    }

    void oneBarrierForAll()
    {
        QFETCH(int, closes);
        QFETCH(int, opens);
        const zk::Path path("/barrier");
        have(Library(closes), "set", path);
        curator().tell("a", "barrier wait " + path.bytes());
        kazoo().tell("a", "barrier wait " + path.bytes());
        Barrier barrier(ours(1), path);
        OurTasks us;
        us.spawn(barrier.wait());
        QVERIFY(m_fixture->hasWatchers(path, 3));
        QVERIFY(!curator().hasAnswered("a") && !kazoo().hasAnswered("a") && !us.hasFinished());

        have(Library(opens), "remove", path);
        us.finish();
        await(curator().answer("a"));
        await(kazoo().answer("a"));
    }

    void oneDoubleBarrierForAll_data()
    {
        QTest::addColumn<int>("last");
        QTest::newRow("Drover is the last") << int(Drover);
        QTest::newRow("Curator is the last") << int(Curator);
        QTest::newRow("kazoo is the last") << int(Kazoo);
    }

    void oneDoubleBarrierForAll()
    {
        QFETCH(int, last);
        const zk::Path path("/double-" + QByteArray::number(last)); // a library may still be leaving the last one
        const std::vector<Library> order = {Library((last + 1) % 3), Library((last + 2) % 3), Library(last)};
        std::optional<BarrierEntry> inside;
        DoubleBarrier barrier(ours(1), path, 3);
        const auto weEnter = [&]() -> async::Task<void> {
            BarrierEntry entry = co_await barrier.enter("drover-a");
            inside.emplace(std::move(entry));
        };
        OurTasks us;
        const auto enter = [&](Library library) {
            if (library == Drover)
                us.spawn(weEnter());
            else
                peer(library).tell("a", "double enter " + path.bytes() + " 3");
        };
        const auto leave = [&](Library library) {
            if (library == Drover)
                us.spawn(inside->leave());
            else
                peer(library).tell("a", "double leave " + path.bytes());
        };
        const auto isThrough = [&](Library library) {
            if (library == Drover)
                return us.hasFinished();
            return peer(library).hasAnswered("a");
        };
        const auto finish = [&] {
            us.finish();
            await(curator().answer("a"));
            await(kazoo().answer("a"));
        };

        enter(order[0]);
        QVERIFY(m_fixture->hasChildren(path, 1));
        enter(order[1]);
        QVERIFY(m_fixture->hasChildren(path, 2));
        QVERIFY(m_fixture->hasWatchers(path / "ready", 2));
        QVERIFY(!isThrough(order[0]) && !isThrough(order[1]));
        enter(order[2]);
        finish();

        leave(order[0]);
        leave(order[1]);
        // Of the two at least one does not have the lowest name and deletes its node at once.
        QVERIFY(m_fixture->childrenBecome(
            path, [](const QByteArrayList &names) { return names.size() - names.count("ready") <= 2; }));
        QVERIFY(!isThrough(order[0]) && !isThrough(order[1]));
        leave(order[2]);
        finish();
        QVERIFY(m_fixture->hasChildren(path, 0));
    }
};

QTEST_GUILESS_MAIN(BarriersTest)
#include "barriers_test.moc"
