#include "recipes/blocks/tree_watch.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

async::Task<void> write(zk::Client &zk, zk::Path path, QByteArray data)
{
    const zk::Answer<zk::Stat> written = co_await zk.set(path, data);
    if (written.ok())
        co_return;
    co_await zk.ensurePath(path.parent());
    const zk::Answer<zk::Created> created = co_await zk.create(path, data);
    created.require();
}

async::Task<void> remove(zk::Client &zk, zk::Path path)
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
    // It counts its transactions from the beginning again.
    void anEmptiedEnsembleMayRepeatTransactionNumbers()
    {
        FakeCluster old(1);
        FakeCluster emptied(1);
        old.run(write(old[0], m_root, "a"));
        emptied.run(write(emptied[0], m_root, "b"));
        QCOMPARE(emptied.server.tree().find(m_root)->stat, old.server.tree().find(m_root)->stat);
        TreeWatch watch(m_root, 0, note());
        for (FakeCluster *fake : {&old, &emptied}) {
            async::TaskGroup following;
            following.spawn(watch.run((*fake)[0]));
            fake->settle();
        }
        QCOMPARE(told(), (QByteArrayList{"+/tree=a", "!", "*/tree=b"}));
    }

    void reportsTheStateAndItsChanges()
    {
        FakeCluster fake(2);
        fake.run(write(fake[1], m_root, "r"));
        fake.run(write(fake[1], m_root / "a", "1"));
        fake.run(write(fake[1], m_root / "a/b", "2"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        QVERIFY(!watch.initialized());
        fake.settle();
        QVERIFY(watch.initialized());
        QCOMPARE(told(), (QByteArrayList{"+/tree=r", "+/tree/a=1", "+/tree/a/b=2", "!"}));
        QCOMPARE(watch.size(), 3);
        fake.run(write(fake[1], m_root / "a/b", "3"));
        fake.run(write(fake[1], m_root / "c", "4"));
        fake.settle();
        QCOMPARE(told(), (QByteArrayList{"*/tree/a/b=3", "+/tree/c=4"}));
        fake.run(remove(fake[1], m_root / "a/b"));
        fake.run(remove(fake[1], m_root / "a"));
        fake.settle();
        QCOMPARE(told(), (QByteArrayList{"-/tree/a/b=3", "-/tree/a=1"}));
        compare(watch, fake.server.tree(), m_root, 9);
        QCOMPARE(fake.server.watches().size(), 4u); // two a node
        running.cancelAll();
        fake.settle();
        QVERIFY(fake.server.watches().empty());
        QCOMPARE(watch.size(), 2); // the copy stays
    }

    void aLevelIsOneRoundTrip()
    {
        FakeCluster fake(2, {.latency = 5ms});
        for (int i = 0; i < 50; ++i)
            fake.run(write(fake[1], m_root / QByteArray::number(i) / "leaf", "x"));
        TreeWatch watch(m_root, TreeWatch::AllLevels);
        const async::TimePoint before = fake.world.now();
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        QVERIFY(fake.world.runUntil([&] { return watch.initialized(); }));
        QCOMPARE(fake.world.now() - before, async::Duration(40ms)); // the sync and three levels
        QCOMPARE(fake[0].counters().requests, 1u + 2 * 101);
        const quint64 requests = fake[0].counters().requests;
        fake.run(write(fake[1], m_root / "7/leaf", "y"));
        fake.settle();
        QCOMPARE(fake[0].counters().requests - requests, 1u);
        QCOMPARE(fake[0].counters().watchEvents, 1u);
    }

    void aDepthIsKeptTo()
    {
        FakeCluster fake(2);
        fake.run(write(fake[1], m_root / "a/b/c", "x"));
        TreeWatch whole(m_root, 1);
        TreeWatch node(m_root / "a", 0);
        async::TaskGroup running;
        running.spawn(whole.run(fake[0]));
        running.spawn(node.run(fake[0]));
        fake.settle();
        QCOMPARE(whole.size(), 2);
        QCOMPARE(node.size(), 1);
        QCOMPARE(fake.server.watches().size(), 3u); // data and children of the root, data of a: one for both
        fake.run(write(fake[1], m_root / "a/d", "x"));
        fake.run(write(fake[1], m_root / "a", "seen"));
        fake.settle();
        QCOMPARE(whole.find(m_root / "a")->data, QByteArray("seen"));
        QCOMPARE(node.find(m_root / "a")->data, QByteArray("seen"));
        compare(whole, fake.server.tree(), m_root, 1);
    }

    void aMissingRootIsWaitedFor()
    {
        FakeCluster fake(2);
        TreeWatch watch(m_root, 1, note());
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        fake.settle();
        QCOMPARE(told(), QByteArrayList{"!"});
        fake.run(write(fake[1], m_root / "a", "1"));
        fake.settle();
        QCOMPARE(told(), (QByteArrayList{"+/tree=", "+/tree/a=1"}));
    }

    void aNodeMadeAnewIsAChange()
    {
        FakeCluster fake(2, {.latency = 5ms});
        fake.run(write(fake[1], m_root / "a", "1"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        fake.settle();
        const auto replace = [&]() -> async::Task<void> {
            zk::Transaction transaction;
            transaction.remove(m_root / "a").create(m_root / "a", "2").create(m_root / "a/b", "3");
            const zk::Answer<zk::Committed> committed = co_await fake[1].commit(transaction);
            committed.require();
        };
        told();
        fake.run(replace());
        fake.settle();
        QCOMPARE(told(), (QByteArrayList{"*/tree/a=2", "+/tree/a/b=3"}));
        compare(watch, fake.server.tree(), m_root, 9);
    }

    // A new session may meet a server that lags behind.
    void itNeverGoesBackInTime()
    {
        FakeCluster fake(3);
        fake.run(write(fake[1], m_root / "a", "1"));
        fake.lag(2);
        TreeWatch watch(m_root, 1, note());
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        fake.run(write(fake[1], m_root / "a", "2"));
        fake.settle();
        running.cancelAll();
        told();
        running.spawn(watch.run(fake[2]));
        fake.settle();
        QCOMPARE(told(), QByteArrayList());
        QCOMPARE(watch.find(m_root / "a")->data, QByteArray("2"));
    }

    // Its zxids are lower than those that the copy has seen.
    void aRestoredEnsembleIsShownAsItIs()
    {
        FakeCluster fake(2);
        FakeCluster restored(2);
        restored.run(write(restored[1], m_root / "a", "0"));
        fake.run(write(fake[1], m_root / "a", "0"));
        fake.run(write(fake[1], m_root / "b", "0"));
        fake.run(write(fake[1], m_root / "a", "1"));
        TreeWatch watch(m_root, 1, note());
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        fake.settle();
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

    void aRootDeletedUnderItIsAwaitedAnew()
    {
        FakeCluster fake(2);
        const zk::Path root = m_root / "deep";
        fake.run(write(fake[1], root / "a", "1"));
        TreeWatch watch(root, 5, note());
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        fake.settle();
        fake.run(remove(fake[1], root / "a"));
        fake.run(remove(fake[1], root));
        fake.run(remove(fake[1], m_root));
        fake.settle();
        QCOMPARE(watch.size(), 0);
        fake.run(write(fake[1], root / "b", "2"));
        fake.settle();
        compare(watch, fake.server.tree(), root, 5);
        QCOMPARE(told().back(), QByteArray("+/tree/deep/b=2"));
    }

    void changesDuringADisconnectionAreReportedAfterwards()
    {
        FakeCluster fake(2);
        fake.run(write(fake[1], m_root / "a", "1"));
        fake.run(write(fake[1], m_root / "b/c", "1"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        async::TaskGroup running;
        running.spawn(watch.run(fake[0]));
        fake.settle();
        told();
        fake.session(0).disconnect();
        fake.run(write(fake[1], m_root / "a", "2"));
        fake.run(remove(fake[1], m_root / "b/c"));
        fake.run(remove(fake[1], m_root / "b"));
        fake.run(write(fake[1], m_root / "d/e", "3"));
        fake.settle(1s);
        QCOMPARE(told(), QByteArrayList());
        fake.session(0).reconnect();
        fake.settle(1s);
        compare(watch, fake.server.tree(), m_root, 9);
        const QByteArrayList changes = told();
        QVERIFY(changes.contains("*/tree/a=2") && changes.contains("-/tree/b/c=1") && changes.contains("+/tree/d/e=3"));
        QCOMPARE(changes.size(), 5);
    }

    // The watch reports the end of a session to its caller, and not from within one of its own tasks.
    void theCallerMayDestroyItWhenItFails()
    {
        FakeCluster fake(2);
        fake.run(write(fake[1], m_root / "a/b", "1"));
        auto watch = std::make_unique<TreeWatch>(m_root, TreeWatch::AllLevels);
        async::TaskGroup running;
        const auto runAndDestroy = [&]() -> async::Task<void> {
            try {
                co_await watch->run(fake[0]);
            } catch (const zk::SessionLost &) {
            }
            watch.reset();
        };
        running.spawn(runAndDestroy());
        fake.settle();
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QVERIFY(!watch);
        QVERIFY(running.empty());
    }

    void theNextSessionReportsTheDifferences()
    {
        FakeCluster fake(3);
        fake.run(write(fake[1], m_root / "a/x", "1"));
        fake.run(write(fake[1], m_root / "b", "1"));
        TreeWatch watch(m_root, TreeWatch::AllLevels, note());
        std::exception_ptr error;
        async::TaskGroup running([&](const std::exception_ptr &e) { error = e; });
        running.spawn(watch.run(fake[0]));
        fake.settle();
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
        QCOMPARE(watch.size(), 4);
        told();
        fake.run(write(fake[1], m_root / "a/x", "2"));
        fake.run(remove(fake[1], m_root / "b"));
        running.spawn(watch.run(fake[2]));
        fake.settle();
        QCOMPARE(told(), (QByteArrayList{"-/tree/b=1", "*/tree/a/x=2"}));
        fake.run(write(fake[1], m_root / "a/y", "3"));
        fake.settle();
        QCOMPARE(told(), QByteArrayList{"+/tree/a/y=3"});
    }

    // Random writes under random faults. In the end the copy equals the tree, and the reported changes add up to it.
    void seededSchedules()
    {
        quint64 bites = 0;
        for (quint64 seed = 1; seed <= 200; ++seed) {
            FaultPlan plan = FaultPlan::everything(seed, 0.2);
            plan.expire = plan.isolate = plan.pause = plan.disconnect = 0;
            FaultInjector faults(plan);
            FakeCluster fake(1);
            fake.add({.latency = 3ms, .faults = &faults});
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
            running.spawn(watch.run(fake[1]));
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
                    fake.run(write(fake[0], path, QByteArray::number(i)));
                else if (const FakeTree::Znode *node = fake.server.tree().find(path); node && node->children.empty())
                    fake.run(remove(fake[0], path));
                fake.settle(std::chrono::milliseconds(random.below(20)));
            }
            faults.heal();
            fake.settle(10s);
            bites += faults.log().total();
            QVERIFY(watch.initialized());
            compare(watch, fake.server.tree(), m_root, 3);
            QCOMPARE(static_cast<int>(shadow.size()), watch.size());
            if (QTest::currentTestFailed())
                qFatal("seed %llu", static_cast<unsigned long long>(seed));
        }
        QVERIFY2(bites > 1000, "the faults did not bite");
    }
};

QTEST_GUILESS_MAIN(TreeWatchTest)
#include "tree_watch_test.moc"
