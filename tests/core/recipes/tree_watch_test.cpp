#include "recipes/tree_watch.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

async::Task<void> write(zk::Coordinator &zk, zk::Path path, QByteArray data)
{
    const zk::Answer<zk::Stat> written = co_await zk.set(path, data);
    if (written.ok())
        co_return;
    co_await zk.ensurePath(path.parent());
    const zk::Answer<zk::Created> created = co_await zk.create(path, data);
    created.require();
}

async::Task<void> remove(zk::Coordinator &zk, zk::Path path)
{
    const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
    removed.require();
}

QByteArray describe(const TreeWatch::Change &change)
{
    using Kind = TreeWatch::Change::Kind;
    switch (change.kind) {
    case Kind::Added:
        return "+" + change.path.bytes() + "=" + change.node.data;
    case Kind::Changed:
        return "*" + change.path.bytes() + "=" + change.node.data;
    case Kind::Removed:
        return "-" + change.path.bytes() + "=" + change.node.data;
    case Kind::Initialized:
        return "!";
    }
    return {};
}

} // namespace

class TreeWatchTest : public QObject
{
    Q_OBJECT

    const zk::Path m_root{"/tree"};

    QByteArrayList m_told;
    std::function<void(const TreeWatch::Change &)> note()
    {
        m_told.clear();
        return [this](const TreeWatch::Change &change) { m_told.push_back(describe(change)); };
    }
    QByteArrayList told() { return std::exchange(m_told, {}); }

    static void compare(const TreeWatch &watch, const FakeTree &tree, const zk::Path &path, int depth)
    {
        const FakeTree::Znode *node = tree.find(path);
        QCOMPARE(watch.find(path) != nullptr, node != nullptr && depth >= 0);
        if (!node || depth < 0)
            return;
        QCOMPARE(watch.find(path)->data, node->data);
        QCOMPARE(watch.find(path)->stat.mzxid, node->stat.mzxid);
        if (depth > 0)
            QCOMPARE(watch.children(path), QByteArrayList(node->children.begin(), node->children.end()));
        for (const QByteArray &child : node->children)
            compare(watch, tree, path / child, depth - 1);
    }

private Q_SLOTS:
    void tellsWhatIsThereAndWhatChanges()
    {
        FakeParty party(2);
        party.run(write(party[1], m_root, "r"));
        party.run(write(party[1], m_root / "a", "1"));
        party.run(write(party[1], m_root / "a/b", "2"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        QVERIFY(!watch.initialized());
        party.settle();
        QVERIFY(watch.initialized());
        QCOMPARE(told(), (QByteArrayList{"+/tree=r", "+/tree/a=1", "+/tree/a/b=2", "!"}));
        QCOMPARE(watch.size(), 3);
        party.run(write(party[1], m_root / "a/b", "3"));
        party.run(write(party[1], m_root / "c", "4"));
        party.settle();
        QCOMPARE(told(), (QByteArrayList{"*/tree/a/b=3", "+/tree/c=4"}));
        party.run(remove(party[1], m_root / "a/b"));
        party.run(remove(party[1], m_root / "a"));
        party.settle();
        QCOMPARE(told(), (QByteArrayList{"-/tree/a/b=3", "-/tree/a=1"}));
        compare(watch, party.server.tree(), m_root, 9);
        QCOMPARE(party.server.watches().size(), 4u); // two a node
        running.cancelAll();
        party.settle();
        QVERIFY(party.server.watches().empty());
        QCOMPARE(watch.size(), 2); // the copy stays
    }

    void aLevelIsOneRoundTrip()
    {
        FakeParty party(2, {.latency = 5ms});
        for (int i = 0; i < 50; ++i)
            party.run(write(party[1], m_root / QByteArray::number(i) / "leaf", "x"));
        TreeWatch watch(m_root, TreeWatch::AllLevels);
        const async::TimePoint before = party.world.now();
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        QVERIFY(party.world.runUntil([&] { return watch.initialized(); }));
        QCOMPARE(party.world.now() - before, async::Duration(40ms)); // the sync and three levels
        QCOMPARE(party[0].counters().requests, 1u + 2 * 101);
        const quint64 requests = party[0].counters().requests;
        party.run(write(party[1], m_root / "7/leaf", "y"));
        party.settle();
        QCOMPARE(party[0].counters().requests - requests, 1u);
        QCOMPARE(party[0].counters().watchEvents, 1u);
    }

    void aDepthIsKeptTo()
    {
        FakeParty party(2);
        party.run(write(party[1], m_root / "a/b/c", "x"));
        TreeWatch whole(m_root, 1);
        TreeWatch node(m_root / "a", 0);
        async::TaskGroup running;
        running.spawn(whole.run(party[0]));
        running.spawn(node.run(party[0]));
        party.settle();
        QCOMPARE(whole.size(), 2);
        QCOMPARE(node.size(), 1);
        QCOMPARE(party.server.watches().size(), 3u); // data and children of the root, data of a: one for both
        party.run(write(party[1], m_root / "a/d", "x"));
        party.run(write(party[1], m_root / "a", "seen"));
        party.settle();
        QCOMPARE(whole.find(m_root / "a")->data, QByteArray("seen"));
        QCOMPARE(node.find(m_root / "a")->data, QByteArray("seen"));
        compare(whole, party.server.tree(), m_root, 1);
    }

    void aMissingRootIsWaitedFor()
    {
        FakeParty party(2);
        TreeWatch watch(m_root, 1, note());
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        party.settle();
        QCOMPARE(told(), QByteArrayList{"!"});
        party.run(write(party[1], m_root / "a", "1"));
        party.settle();
        QCOMPARE(told(), (QByteArrayList{"+/tree=", "+/tree/a=1"}));
    }

    void aNodeMadeAnewIsAChange()
    {
        FakeParty party(2, {.latency = 5ms});
        party.run(write(party[1], m_root / "a", "1"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        party.settle();
        const auto replace = [&]() -> async::Task<void> {
            zk::Transaction transaction;
            transaction.remove(m_root / "a").create(m_root / "a", "2").create(m_root / "a/b", "3");
            const zk::Answer<zk::Committed> committed = co_await party[1].commit(transaction);
            committed.require();
        };
        told();
        party.run(replace());
        party.settle();
        QCOMPARE(told(), (QByteArrayList{"*/tree/a=2", "+/tree/a/b=3"}));
        compare(watch, party.server.tree(), m_root, 9);
    }

    // A new session may meet a server that lags behind.
    void itNeverGoesBackInTime()
    {
        FakeParty party(3);
        party.run(write(party[1], m_root / "a", "1"));
        party.lag(2);
        TreeWatch watch(m_root, 1, note());
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        party.run(write(party[1], m_root / "a", "2"));
        party.settle();
        running.cancelAll();
        told();
        running.spawn(watch.run(party[2]));
        party.settle();
        QCOMPARE(told(), QByteArrayList());
        QCOMPARE(watch.find(m_root / "a")->data, QByteArray("2"));
    }

    // Its zxids are lower than those that the copy has seen.
    void aRestoredEnsembleIsShownAsItIs()
    {
        FakeParty party(2);
        FakeParty restored(2);
        restored.run(write(restored[1], m_root / "a", "0"));
        party.run(write(party[1], m_root / "a", "0"));
        party.run(write(party[1], m_root / "b", "0"));
        party.run(write(party[1], m_root / "a", "1"));
        TreeWatch watch(m_root, 1, note());
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        party.settle();
        running.cancelAll();
        told();
        running.spawn(watch.run(restored[0]));
        restored.settle();
        QCOMPARE(told(), (QByteArrayList{"-/tree/b=0", "*/tree/a=0"}));
        restored.run(write(restored[1], m_root / "a", "2"));
        restored.settle();
        QCOMPARE(watch.find(m_root / "a")->data, QByteArray("2"));
        running.cancelAll();
    }

    void lesson09_aRootDeletedUnderItIsAwaitedAnew()
    {
        FakeParty party(2);
        const zk::Path root = m_root / "deep";
        party.run(write(party[1], root / "a", "1"));
        TreeWatch watch(root, 5, note());
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        party.settle();
        party.run(remove(party[1], root / "a"));
        party.run(remove(party[1], root));
        party.run(remove(party[1], m_root));
        party.settle();
        QCOMPARE(watch.size(), 0);
        party.run(write(party[1], root / "b", "2"));
        party.settle();
        compare(watch, party.server.tree(), root, 5);
        QCOMPARE(told().back(), QByteArray("+/tree/deep/b=2"));
    }

    void lesson11_whatWasMissedWhileDisconnectedIsMadeUpFor()
    {
        FakeParty party(2);
        party.run(write(party[1], m_root / "a", "1"));
        party.run(write(party[1], m_root / "b/c", "1"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        async::TaskGroup running;
        running.spawn(watch.run(party[0]));
        party.settle();
        told();
        party.session(0).disconnect();
        party.run(write(party[1], m_root / "a", "2"));
        party.run(remove(party[1], m_root / "b/c"));
        party.run(remove(party[1], m_root / "b"));
        party.run(write(party[1], m_root / "d/e", "3"));
        party.settle(1s);
        QCOMPARE(told(), QByteArrayList());
        party.session(0).reconnect();
        party.settle(1s);
        compare(watch, party.server.tree(), m_root, 9);
        const QByteArrayList changes = told();
        QVERIFY(changes.contains("*/tree/a=2") && changes.contains("-/tree/b/c=1") && changes.contains("+/tree/d/e=3"));
        QCOMPARE(changes.size(), 5);
    }

    // The end of a session is told to whoever runs the watch, not from within one of its own tasks.
    void lesson13_whoeverRunsItMayDestroyItWhenItFails()
    {
        FakeParty party(2);
        party.run(write(party[1], m_root / "a/b", "1"));
        auto watch = std::make_unique<TreeWatch>(m_root, TreeWatch::AllLevels);
        async::TaskGroup running;
        const auto runAndDestroy = [&]() -> async::Task<void> {
            try {
                co_await watch->run(party[0]);
            } catch (const zk::SessionLost &) {
            }
            watch.reset();
        };
        running.spawn(runAndDestroy());
        party.settle();
        party.server.expire(party[0].sessionId());
        party.settle(10s);
        QVERIFY(!watch);
        QVERIFY(running.empty());
    }

    void lesson14_theNextSessionTellsTheDifferences()
    {
        FakeParty party(3);
        party.run(write(party[1], m_root / "a/x", "1"));
        party.run(write(party[1], m_root / "b", "1"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        std::exception_ptr error;
        async::TaskGroup running([&](const std::exception_ptr &e) { error = e; });
        running.spawn(watch.run(party[0]));
        party.settle();
        party.server.expire(party[0].sessionId());
        party.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
        QCOMPARE(watch.size(), 4);
        told();
        party.run(write(party[1], m_root / "a/x", "2"));
        party.run(remove(party[1], m_root / "b"));
        running.spawn(watch.run(party[2]));
        party.settle();
        QCOMPARE(told(), (QByteArrayList{"-/tree/b=1", "*/tree/a/x=2"}));
        party.run(write(party[1], m_root / "a/y", "3"));
        party.settle();
        QCOMPARE(told(), QByteArrayList{"+/tree/a/y=3"});
    }

    // Random writes under random faults: when the dust settles the copy is the tree, and what was told adds up to it.
    void seededSchedules()
    {
        quint64 bites = 0;
        for (quint64 seed = 1; seed <= 200; ++seed) {
            FaultPlan plan = FaultPlan::everything(seed, 0.2);
            plan.expire = plan.isolate = plan.pause = plan.disconnect = 0;
            FaultInjector faults(plan);
            FakeParty party(1);
            party.add({.latency = 3ms, .faults = &faults});
            std::map<zk::Path, QByteArray> shadow;
            TreeWatch watch(m_root, 3, [&](const TreeWatch::Change &change) {
                using Kind = TreeWatch::Change::Kind;
                if (change.kind == Kind::Removed)
                    QCOMPARE(shadow.erase(change.path), 1u);
                else if (change.kind != Kind::Initialized)
                    QCOMPARE(!shadow.insert_or_assign(change.path, change.node.data).second,
                             change.kind == Kind::Changed);
            });
            async::TaskGroup running;
            running.spawn(watch.run(party[1]));
            SeededRandom random(seed);
            const auto somewhere = [&] {
                zk::Path path = m_root;
                for (int levels = random.below(4); levels > 0; --levels)
                    path = path / QByteArray(1, static_cast<char>('a' + random.below(3)));
                return path;
            };
            for (int i = 0; i < 120; ++i) {
                const zk::Path path = somewhere();
                if (!random.chance(0.4))
                    party.run(write(party[0], path, QByteArray::number(i)));
                else if (const FakeTree::Znode *node = party.server.tree().find(path); node && node->children.empty())
                    party.run(remove(party[0], path));
                party.settle(std::chrono::milliseconds(random.below(20)));
            }
            faults.heal();
            party.settle(10s);
            bites += faults.log().total();
            QVERIFY(watch.initialized());
            compare(watch, party.server.tree(), m_root, 3);
            QCOMPARE(static_cast<int>(shadow.size()), watch.size());
            if (QTest::currentTestFailed())
                qFatal("seed %llu", static_cast<unsigned long long>(seed));
        }
        QVERIFY2(bites > 1000, "the faults did not bite");
    }
};

QTEST_GUILESS_MAIN(TreeWatchTest)
#include "tree_watch_test.moc"
