#include "app/support/drover_program.h"
#include "interop/contention_run.h"
#include "interop/interop_fixture.h"
#include "jobs/cluster/cluster_config.h"
#include "recipes/locks/mutex.h"

#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// The table of README.md through the real program: what `drover COMMAND --path` shares with a recipe of Curator's or
// kazoo's, and what it refuses.
class LayoutsTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<InteropFixture> m_fixture;
    DroverProgram m_drover;

    ForeignPeer &curator() { return m_fixture->curator(); }
    ForeignPeer &kazoo() { return m_fixture->kazoo(); }
    zk::Client &ours(std::size_t index) { return m_fixture->ours(index); }

    // "drover lock --path %1 -- cat": %1 is the path, and the rest has no spaces that are its own.
    static QString at(const zk::Path &path, QByteArray command)
    {
        return QString::fromUtf8(command.replace("%1", path.bytes()));
    }
    std::unique_ptr<QProcess> start(const QByteArray &command, const zk::Path &path)
    {
        return m_drover.start(words(at(path, command)));
    }
    Finished run(const QByteArray &command, const zk::Path &path) { return m_drover.run(words(at(path, command))); }

    // A contender of a contest: a foreign client's recipe, or one of our own commands.
    struct Side {
        const char *who; // "drover-recipe" is our Mutex
        const char *recipe; // of a peer; of drover the mode in the log
        const char *command = nullptr;
    };

    // All clients wait for `gate`, which is ours, and then contend. The log shows which holders overlapped.
    QString run(const zk::Path &path, const zk::Path &line, const char *gate, const std::vector<Side> &sides,
                int permits = 1)
    {
        ContentionRun run(path);
        Mutex mutex(ours(1), path);
        const QProcessEnvironment environment = m_drover.environment();
        QProcess &shut = run.join(environment, at(path, gate), "drover-gate", "lock", 1, "echo held; cat; ");
        QByteArray seen;
        if (!waitForOutput(shut, "held", seen))
            return QStringLiteral("the gate is not held");
        for (const Side &side : sides) {
            const QByteArray who(side.who);
            const QByteArray client = who.mid(who.indexOf('-') + 1);
            if (who == "drover-recipe")
                run.join(mutex, ours(1), client, side.recipe);
            else if (side.command)
                run.join(environment, at(path, side.command), who, side.recipe, 3, "sleep 0.02; ");
            else
                run.join(who.startsWith("curator") ? curator() : kazoo(), client, side.recipe,
                         permits > 1 ? QByteArray::number(permits) : QByteArray());
        }
        if (!m_fixture->hasChildren(line, static_cast<int>(sides.size()) + (line == path ? 1 : 0)))
            return QStringLiteral("not all of them came");
        shut.closeWriteChannel();
        run.finish();
        return run.verdict(permits);
    }

    // What drover says to a path that is in use by another recipe.
    static QByteArray outcome(const Finished &finished)
    {
        if (finished.exitCode == 2 && finished.complainsOnce() && finished.out.isEmpty()
            && finished.err.contains("; nothing was done: "))
            return "refuses";
        if ((finished.exitCode == 4 || finished.exitCode == 124) && finished.complainsOnce() && finished.out.isEmpty())
            return "waits";
        if (finished.exitCode == 0)
            return "runs";
        return QByteArray::number(finished.exitCode) + ' ' + finished.out + ' ' + finished.err;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_fixture = std::make_unique<InteropFixture>();
        m_drover.setVariable("DROVER_CONNECT", m_fixture->server.connectString());
        await(jobs::ensureCluster(jobs::Cluster(ours(0), jobs::Layout("default")), {"default"}));
    }
    void cleanupTestCase() { m_fixture.reset(); }

    void aLockExcludesOthersOfItsLayout_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("gate");
        QTest::addColumn<QByteArrayList>("foreign");
        QTest::addColumn<bool>("shared");
        const QByteArray lock = "lock --path %1";
        QTest::newRow("Curator's InterProcessMutex, kazoo with Curator's names")
            << QByteArray("/mutex") << lock << QByteArrayList{"curator-a lock", "curator-b lock", "kazoo-a lock"}
            << false;
        QTest::newRow("kazoo's Lock with extra_lock_patterns")
            << QByteArray("/kazoolock") << lock << QByteArrayList{"kazoo-a kazoolock", "kazoo-b kazoolock"} << false;
        QTest::newRow("ZooKeeper's WriteLock") << QByteArray("/writelock") << lock
                                               << QByteArrayList{"curator-a writelock", "curator-b writelock"} << false;
        const QByteArrayList readWrite{"curator-a read", "curator-b write", "kazoo-a read", "kazoo-b write"};
        QTest::newRow("Curator's InterProcessReadWriteLock, kazoo with Curator's names")
            << QByteArray("/rw") << lock + " --write" << readWrite << true;
        QTest::newRow("a named lock and InterProcessReadWriteLock")
            << jobs::Layout("default").lock("db").bytes() << QByteArray("lock db") << readWrite << true;
    }

    void aLockExcludesOthersOfItsLayout()
    {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, gate);
        QFETCH(QByteArrayList, foreign);
        QFETCH(bool, shared);
        std::vector<Side> sides{{"drover-a", "lock", gate.constData()}};
        const QByteArray sharing =
            "lock --shared " + (gate.endsWith("db") ? QByteArray("db") : QByteArray("--path %1"));
        if (!shared)
            sides.push_back({"drover-recipe", "lock"});
        else
            sides.push_back({"drover-b", "read", sharing.constData()});
        for (QByteArray &side : foreign) {
            char *const space = side.data() + side.indexOf(' ');
            *space = '\0';
            sides.push_back({side.constData(), space + 1});
        }
        QCOMPARE(run(zk::Path(path), zk::Path(path), gate, sides), QString());
    }

    void aSemaphoreOfTwoIsSharedByAll()
    {
        const zk::Path path("/semaphore");
        const char *const command = "semaphore --permits 2 --path %1";
        // Curator would make them containers. The server deletes those between two rounds, and kazoo fails without
        // them.
        for (const char *const directory : {"leases", "locks"})
            await(m_fixture->ours(0).ensurePath(path / directory));
        ContentionRun run(path);
        for (const char *const client : {"a", "b"}) {
            run.join(curator(), client, "semaphore", "2");
            run.join(kazoo(), client, "semaphore", "2");
            const QByteArray who = QByteArray("drover-") + client;
            run.join(m_drover.environment(), at(path, command), who, "semaphore", 3, "sleep 0.02; ");
        }
        run.finish();
        QCOMPARE(run.verdict(2), QString());
        QVERIFY(m_fixture->hasChildren(path / "locks", 0));
    }

    void oneLeaseIsInterProcessSemaphoreMutex()
    {
        const zk::Path path("/semaphoremutex");
        QCOMPARE(run(path, path / "locks", "semaphore --permits 1 --path %1",
                     {{"curator-a", "semaphoremutex"},
                      {"curator-b", "semaphoremutex"},
                      {"drover-a", "lock", "semaphore --permits 1 --path %1"}}),
                 QString());
    }

    // What each command does at a path that another recipe is using. Its znodes stay as they are.
    void otherLayoutsAreRefused_data()
    {
        QTest::addColumn<bool>("isCurator");
        QTest::addColumn<QByteArray>("occupy");
        QTest::addColumn<QByteArray>("vacate");
        QTest::addColumn<QByteArray>("named"); // in each refusal
        QTest::addColumn<QByteArrayList>("notRefused"); // all the others are
        const auto row = [](const char *what, bool isCurator, const char *occupy, const char *vacate, const char *named,
                            const QByteArrayList &notRefused) {
            QTest::newRow(what) << isCurator << QByteArray(occupy) << QByteArray(vacate) << QByteArray(named)
                                << notRefused;
        };
        row("Curator's InterProcessMutex", true, "lock acquire %1", "lock release %1", "InterProcessMutex",
            {"lock: waits"});
        row("Curator's writer", true, "write acquire %1", "write release %1", "InterProcessReadWriteLock",
            {"write: waits", "shared: waits"});
        row("Curator's reader", true, "read acquire %1", "read release %1", "InterProcessReadWriteLock",
            {"write: waits", "shared: runs"});
        row("Curator's selector", true, "selector start %1 x", "selector close %1", "LeaderSelector", {"lock: waits"});
        row("Curator's LeaderLatch", true, "latch start %1 x", "latch close %1", "LeaderLatch", {"elect: waits"});
        row("Curator's InterProcessSemaphoreV2", true, "semaphore acquire %1 1", "semaphore release %1",
            "InterProcessSemaphoreV2", {"semaphore: waits"});
        row("ZooKeeper's WriteLock", true, "writelock acquire %1", "writelock release %1", "WriteLock",
            {"lock: waits"});
        row("kazoo's Lock", false, "plainlock acquire %1", "plainlock release %1", "kazoo's Lock", {"lock: waits"});
        row("kazoo's ReadLock", false, "plainread acquire %1", "plainread release %1", "kazoo's ReadLock", {});
        row("kazoo's Semaphore", false, "plainsemaphore acquire %1 2", "plainsemaphore release %1", "kazoo's Semaphore",
            {"double-barrier: waits", "group: runs"});
        // A command that is not refused there would wait for the members to leave.
        row("a double barrier", true, "double enter %1 1", "double leave %1", "a double barrier",
            {"double-barrier: -"});
        row("Curator's GroupMember", true, "group join %1 x", "group leave %1", "another recipe",
            {"lock: runs", "write: runs", "shared: runs", "semaphore: -", "elect: runs", "double-barrier: waits",
             "group: runs", "queue: runs"});
        row("kazoo's Party", false, "group join %1 x", "group leave %1", "kazoo's Party", {"party: runs"});
        row("kazoo's Queue", false, "plainqueue put %1 x", "plainqueue take %1", "kazoo's Queue", {});
        row("kazoo's LockingQueue", false, "lockingqueue put %1 1 x", "", "kazoo's Queue or LockingQueue", {});
        row("Curator's SimpleDistributedQueue", true, "queue put %1 x", "queue take %1", "SimpleDistributedQueue",
            {"queue: runs"});
        row("Curator's DistributedQueue", true, "serialqueue put %1 x", "", "Curator's DistributedQueue", {});
        // It has no child by which to know it; what would leave one there, or open it, is left out.
        row("Curator's barrier", true, "barrier set %1", "barrier remove %1", "",
            {"lock: runs", "write: runs", "shared: runs", "semaphore: -", "elect: runs", "barrier: -",
             "double-barrier: waits", "group: runs", "party: runs", "queue: runs"});
    }

    void otherLayoutsAreRefused()
    {
        QFETCH(bool, isCurator);
        QFETCH(QByteArray, occupy);
        QFETCH(QByteArray, vacate);
        QFETCH(QByteArray, named);
        QFETCH(QByteArrayList, notRefused);
        static int row = 0;
        const zk::Path path("/refused-" + QByteArray::number(++row));
        ForeignPeer &peer = isCurator ? curator() : kazoo();
        peer.ask("a", at(path, occupy).toUtf8());
        if (!named.isEmpty())
            QVERIFY(m_fixture->childrenBecome(path, [](const QByteArrayList &names) { return !names.isEmpty(); }));
        const std::vector<std::pair<QByteArray, QByteArray>> commands = {
            {"lock", "lock --path %1 --try -- echo ran"},
            {"write", "lock --write --path %1 --try -- echo ran"},
            {"shared", "lock --shared --path %1 --try -- echo ran"},
            {"semaphore", "semaphore --permits 1 --path %1 --try -- echo ran"},
            {"elect", "elect --path %1 --timeout 100ms -- echo ran"},
            {"barrier", "barrier --path %1 open"},
            {"double-barrier", "double-barrier --count 9 --path %1 --timeout 100ms -- echo ran"},
            {"group", "group --path %1 join -- echo ran"},
            {"party", "group --party --path %1 join -- echo ran"},
            {"queue", "queue --path %1 ls"},
        };
        QByteArrayList expected;
        QByteArrayList outcomes;
        for (const auto &[what, command] : commands) {
            if (notRefused.contains(what + ": -"))
                continue;
            const Finished finished = run(command, path);
            const QByteArray tolerated = notRefused.value(notRefused.indexOf(what + ": waits"),
                                                          notRefused.value(notRefused.indexOf(what + ": runs")));
            expected << (tolerated.isEmpty() ? what + ": refuses" : tolerated);
            outcomes << what + ": " + outcome(finished);
            if (tolerated.isEmpty())
                QVERIFY2(finished.err.contains(named) || what == "party", finished.err);
        }
        QCOMPARE(outcomes, expected);
        if (!vacate.isEmpty())
            peer.ask("a", at(path, vacate).toUtf8());
    }

    void aLeaderSelectorIsALock()
    {
        const zk::Path path("/selector");
        const std::unique_ptr<QProcess> holder = start("lock --path %1 -- cat", path);
        QVERIFY(m_fixture->hasChildren(path, 1));
        curator().ask("a", "selector start /selector curator-a");
        QVERIFY(m_fixture->hasChildren(path, 2));
        curator().tell("a", "selector await /selector");
        const std::unique_ptr<QProcess> watch = start("elect --watch --path %1", path);
        QByteArray seen;
        QVERIFY(waitForOutput(*watch, ": cat\n", seen));
        QVERIFY(!curator().hasAnswered("a"));
        holder->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
        await(curator().answer("a"));
        QVERIFY(waitForOutput(*watch, "curator-a\n", seen));
        QCOMPARE(run("lock --path %1 --try -- echo ran", path).exitCode, 4);
        curator().ask("a", "selector close /selector");
        watch->kill();
        watch->waitForFinished();
    }

    void anElectionIsALeaderLatch()
    {
        const zk::Path path("/latch");
        curator().ask("a", "latch start /latch curator-a");
        curator().ask("a", "latch await /latch");
        const std::unique_ptr<QProcess> ours = start("elect --id drover-a --path %1 -- cat", path);
        QVERIFY(m_fixture->hasChildren(path, 2));
        kazoo().ask("a", "latch start /latch kazoo-a");
        QVERIFY(m_fixture->hasChildren(path, 3));
        const auto leader = [&] { return curator().ask("reader", "latch leader /latch")[u"leader"].toString(); };
        QCOMPARE(leader(), QStringLiteral("curator-a"));
        curator().ask("a", "latch close /latch");
        QTRY_COMPARE_WITH_TIMEOUT(leader(), QStringLiteral("drover-a"), 30'000);
        ours->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*ours).exitCode, 0);
        kazoo().ask("a", "latch await /latch");
        QCOMPARE(leader(), QStringLiteral("kazoo-a"));
        kazoo().ask("a", "latch close /latch");
    }

    void aBarrierIsOpenedByAnyClient()
    {
        const zk::Path path("/barrier");
        QCOMPARE(run("barrier --path %1 close", path).exitCode, 0);
        curator().tell("a", "barrier wait /barrier");
        kazoo().tell("a", "barrier wait /barrier");
        QVERIFY(m_fixture->hasWatchers(path, 2));
        QVERIFY(!curator().hasAnswered("a") && !kazoo().hasAnswered("a"));
        QCOMPARE(run("barrier --path %1 open", path).exitCode, 0);
        await(curator().answer("a"));
        await(kazoo().answer("a"));
        for (ForeignPeer *const peer : {&curator(), &kazoo()}) {
            peer->ask("a", "barrier set /barrier");
            const std::unique_ptr<QProcess> waiter = start("barrier --path %1 wait", path);
            QVERIFY(m_fixture->hasWatchers(path, 1));
            peer->ask("a", "barrier remove /barrier");
            QCOMPARE(DroverProgram::finish(*waiter).exitCode, 0);
        }
    }

    void aDoubleBarrierOfAllThree()
    {
        const zk::Path path("/double");
        for (ForeignPeer *const peer : {&curator(), &kazoo()})
            peer->tell("a", "double enter /double 3");
        QVERIFY(m_fixture->hasChildren(path, 2));
        const std::unique_ptr<QProcess> third = start("double-barrier --count 3 --path %1 -- cat", path);
        await(curator().answer("a"));
        await(kazoo().answer("a"));
        QCOMPARE(outcome(run("barrier --path %1 open", path)), QByteArray("refuses"));
        QCOMPARE(outcome(run("lock --path %1 --try -- echo ran", path)), QByteArray("refuses"));
        for (ForeignPeer *const peer : {&curator(), &kazoo()})
            peer->tell("a", "double leave /double");
        third->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*third).exitCode, 0);
        await(curator().answer("a"));
        await(kazoo().answer("a"));
    }

    void aGroupIsOfOneLayout()
    {
        for (const bool party : {false, true}) {
            const zk::Path path(party ? "/party" : "/group");
            ForeignPeer &peer = party ? kazoo() : curator();
            const QByteArray command = party ? "group --party --path %1 " : "group --path %1 ";
            peer.ask("a", "group join " + path.bytes() + " theirs");
            const std::unique_ptr<QProcess> member = start(command + "join --id mine -- cat", path);
            QVERIFY(m_fixture->hasChildren(path, 2));
            const Finished list = run(command + "ls -o json", path);
            QVERIFY2(list.out.contains("\"mine\"") && list.out.contains("\"theirs\""), list.out + list.err);
            const auto members = [&] { return peer.ask("a", "group members " + path.bytes())[u"members"].toArray(); };
            QTRY_COMPARE_WITH_TIMEOUT(members(), (QJsonArray{QStringLiteral("mine"), QStringLiteral("theirs")}),
                                      30'000);
            member->closeWriteChannel();
            QCOMPARE(DroverProgram::finish(*member).exitCode, 0);
            QCOMPARE(outcome(run(party ? "group --path %1 ls" : "group --party --path %1 ls", path)),
                     QByteArray("refuses"));
            peer.ask("a", "group leave " + path.bytes());
        }
    }

    void aCounterIsOfOneSize()
    {
        const zk::Path atomic("/atomic");
        const zk::Path count("/count");
        const zk::Path text("/text");
        QCOMPARE(run("counter --path %1 add 40", atomic).out, QByteArray("40\n"));
        QCOMPARE(curator().ask("a", "counter add /atomic 2")[u"value"].toInteger(), 42);
        QCOMPARE(run("counter --path %1 get", atomic).out, QByteArray("42\n"));

        QCOMPARE(run("counter --shared-count --path %1 add 40", count).out, QByteArray("40\n"));
        QCOMPARE(curator().ask("a", "count add /count 1")[u"value"].toInteger(), 41);
        QCOMPARE(kazoo().ask("a", "count add /count 1")[u"value"].toInteger(), 42);
        QCOMPARE(run("counter --shared-count --path %1 get", count).out, QByteArray("42\n"));

        kazoo().ask("a", "plaincount add /text 12345678"); // eight bytes, as a DistributedAtomicLong has
        const std::vector<std::pair<QByteArray, zk::Path>> wrong = {{"counter --path %1 add 1", count},
                                                                    {"counter --path %1 add 1", text},
                                                                    {"counter --shared-count --path %1 add 1", atomic},
                                                                    {"counter --shared-count --path %1 add 1", text}};
        for (const auto &[command, path] : wrong) {
            const Finished refused = run(command, path);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("nothing was added"), refused.err);
        }
        QCOMPARE(kazoo().ask("a", "plaincount get /text")[u"value"].toInteger(), 12345678);
    }

    void aSettingIsASharedValue()
    {
        const zk::Path path("/app/setting");
        QCOMPARE(run("config set --path %1 ours", path).exitCode, 0);
        QCOMPARE(curator().ask("a", "value get /app/setting")[u"data"].toString(), QStringLiteral("ours"));
        const std::unique_ptr<QProcess> watch = start("config watch --path %1", path);
        QByteArray seen;
        QVERIFY(waitForOutput(*watch, "ours\n", seen));
        curator().ask("a", "value set /app/setting theirs");
        QVERIFY(waitForOutput(*watch, "theirs\n", seen));
        QCOMPARE(run("config get --path %1", path).out, QByteArray("theirs\n"));
        watch->kill();
        watch->waitForFinished();
    }

    void aQueueIsEmptiedByAll()
    {
        const zk::Path path("/queue");
        QCOMPARE(run("queue --path %1 put 1 2 3", path).exitCode, 0);
        curator().ask("a", "queue put /queue 4");
        curator().ask("a", "zkqueue put /queue 5");
        kazoo().ask("a", "queue put /queue 6");
        QCOMPARE(run("queue --path %1 ls", path).out.count("qn-"), 6);
        QCOMPARE(curator().ask("a", "queue take /queue")[u"data"].toString(), QStringLiteral("1"));
        QCOMPARE(curator().ask("a", "zkqueue take /queue")[u"data"].toString(), QStringLiteral("2"));
        QCOMPARE(kazoo().ask("a", "queue take /queue")[u"data"].toString(), QStringLiteral("3"));
        QCOMPARE(run("queue --path %1 peek", path).out, QByteArray("4\n"));
        QCOMPARE(run("queue --path %1 take --count 3", path).out, QByteArray("4\n5\n6\n"));
    }
};

QTEST_GUILESS_MAIN(LayoutsTest)
#include "layouts_test.moc"
