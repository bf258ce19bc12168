#include "app/support/drover_on_server.h"
#include "recipes/blocks/line.h"
#include "support/send_signal.h"

#include <QFile>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// `drover lock` and `drover tree --watch`, against a real server.
class LockTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;

    static QStringList lock(const QString &name, const char *script, const QStringList &options = {})
    {
        return QStringList{QStringLiteral("lock"), name} + options
            + QStringList{QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), QString::fromUtf8(script)};
    }

    zk::Path lockPath(const char *name) const { return m_cluster.layout.lock(name); }
    QByteArrayList line(const char *name) { return m_cluster.children(lockPath(name)); }

    // As Curator's Revoker asks.
    void askFor(const char *name)
    {
        const QByteArrayList names = line(name);
        QCOMPARE(names.size(), 1);
        m_cluster.write(lockPath(name) / names[0], "__REVOKE__");
    }

    QString file(const char *name) const { return m_drover.directory() + u'/' + QLatin1String(name); }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }

    void passesTheExitCodeThrough()
    {
        QCOMPARE(m_drover.run(lock(QStringLiteral("a"), "exit 5")).exitCode, 5);
        QCOMPARE(m_drover.run(lock(QStringLiteral("a"), "kill -15 $$")).exitCode, 128 + SIGTERM);
        const Finished missing = m_drover.run(
            {QStringLiteral("lock"), QStringLiteral("a"), QStringLiteral("--"), QStringLiteral("/no/such/program")});
        QCOMPARE(missing.exitCode, 127);
        QVERIFY2(missing.complainsOnce(), missing.err);
        QVERIFY(line("a").isEmpty());
    }

    // Another file would be removed or overwritten.
    void passesBytesThroughThatAreNoText()
    {
        const auto shell = [this](const QByteArray &script) {
            return m_drover.shell("name=$(printf 'caf\\351'); " + script);
        };
        for (const char *const held :
             {"lock raw", "semaphore raw --permits 2", "elect raw", "double-barrier raw --count 1", "group raw join"}) {
            const Finished finished = shell(QByteArray("drover ") + held + " -- printf %s-%s é \"$name\"");
            QCOMPARE(finished.err, QByteArray());
            QCOMPARE(finished.out, QByteArray("\xc3\xa9-caf\xe9"));
        }
        for (const char *const kept :
             {"run -- printf %s \"$name\"", "submit --dir \"$name\" -- true", "submit --env V=\"$name\" -- true",
              "lock \"$name\" -- printf \"$name\"", "ls --name \"$name\""}) {
            const Finished refused = shell(QByteArray("drover ") + kept);
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains(" is not valid UTF-8"), refused.err);
        }
        QVERIFY2(shell("drover run -- printf %s \"$name\"").err.contains("argument 5 is"), "counted as typed");
        const Finished variable = shell("V=$name drover submit --env V -- true");
        QVERIFY2(variable.exitCode == 2 && variable.err.contains("value of V is not UTF-8"), variable.err);
        const Finished directory = shell("mkdir \"$name\" && cd \"$name\" && drover submit -- true");
        QCOMPARE(shell("rmdir \"$name\"").exitCode, 0); // QTemporaryDir could not
        QVERIFY2(directory.exitCode == 2 && directory.err.contains("current directory is not UTF-8"), directory.err);
        QVERIFY(m_cluster.children(m_cluster.layout.queue("default")).isEmpty());
    }

    void givesTheCommandItsFence()
    {
        qint64 last = 0;
        for (int i = 0; i < 3; ++i) {
            const Finished finished = m_drover.run(lock(QStringLiteral("fence"), "echo $DROVER_FENCE $DROVER_LOCK"));
            const QByteArrayList parts = finished.out.trimmed().split(' ');
            QCOMPARE(parts.size(), 2);
            QVERIFY(parts[0].toLongLong() > last);
            QVERIFY(parts[1].startsWith(lockPath("fence").bytes() + "/_c_"));
            last = parts[0].toLongLong();
        }
    }

    void serialisesCommands()
    {
        // Each reads a number, dawdles, and writes it back increased: without the lock some increments are lost.
        const char *const script = "n=$(cat count 2>/dev/null || echo 0); sleep 0.1; echo $((n + 1)) > count";
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 6; ++i)
            processes.push_back(m_drover.start(lock(QStringLiteral("count"), script)));
        for (const auto &process : processes)
            QCOMPARE(DroverProgram::finish(*process).exitCode, 0);
        QFile count(file("count"));
        QVERIFY(count.open(QIODevice::ReadOnly));
        QCOMPARE(count.readAll().trimmed(), QByteArray("6"));
    }

    void tryAndTimeout()
    {
        const std::unique_ptr<QProcess> holder = m_drover.start(lock(QStringLiteral("busy"), "echo held; cat"));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));

        const Finished tried = m_drover.run(lock(QStringLiteral("busy"), "echo ran", {QStringLiteral("--try")}));
        QCOMPARE(tried.exitCode, 4);
        QVERIFY2(tried.complainsOnce() && tried.out.isEmpty(), tried.err);
        const Finished timed = m_drover.run(
            lock(QStringLiteral("busy"), "echo ran", {QStringLiteral("--timeout"), QStringLiteral("200ms")}));
        QCOMPARE(timed.exitCode, 124);
        QVERIFY2(timed.complainsOnce() && timed.out.isEmpty(), timed.err);
        QCOMPARE(line("busy").size(), 1);

        holder->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
        QCOMPARE(m_drover.run(lock(QStringLiteral("busy"), "echo ran", {QStringLiteral("--try")})).out,
                 QByteArray("ran\n"));
    }

    // Jobs share named locks, so these are read-write locks, with a NAME and at their --path alike. In Curator a mutex
    // does not exclude readers and writers, so a client that takes such a lock as a mutex is refused.
    void aNamedLockIsAReadWriteLock()
    {
        const QString path = QStringLiteral("--path ") + lockPath("mixed").toString();
        const auto tried = [&](const QString &options) {
            return m_drover.run(words(QStringLiteral("lock %1 --try -- echo ran").arg(options)));
        };
        const auto held = [&](const QString &options) {
            std::unique_ptr<QProcess> holder = m_drover.start(words(QStringLiteral("lock %1 -- cat").arg(options)));
            if (!QTest::qWaitFor([&] { return line("mixed").size() == 1; }, 30'000))
                throw std::runtime_error("the lock is not taken");
            return holder;
        };
        const auto release = [&](QProcess &holder) {
            holder.closeWriteChannel();
            QCOMPARE(DroverProgram::finish(holder).exitCode, 0);
        };
        const std::unique_ptr<QProcess> writer = held(QStringLiteral("mixed"));
        for (const char *const same : {"mixed", "--shared mixed", "--write mixed"})
            QCOMPARE(tried(QLatin1String(same)).exitCode, 4);
        QCOMPARE(tried(path + QStringLiteral(" --write")).exitCode, 4);
        QCOMPARE(tried(path + QStringLiteral(" --shared")).exitCode, 4);
        const Finished refused = tried(path);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.out.isEmpty() && refused.err.contains("InterProcessReadWriteLock")
                     && refused.err.contains("with --write or --shared"),
                 refused.err);
        QCOMPARE(line("mixed").size(), 1);
        release(*writer);

        const std::unique_ptr<QProcess> mutex = held(path);
        for (const char *const other : {"mixed", "--shared mixed"}) {
            const Finished refusedToo = tried(QLatin1String(other));
            QCOMPARE(refusedToo.exitCode, 2);
            QVERIFY2(refusedToo.complainsOnce() && refusedToo.err.contains("InterProcessMutex"), refusedToo.err);
        }
        QCOMPARE(tried(path).exitCode, 4);
        release(*mutex);
        QCOMPARE(tried(QStringLiteral("--shared --write mixed")).exitCode, 2);
    }

    void terminatedWhileWaitingLeavesNoNode()
    {
        const std::unique_ptr<QProcess> holder = m_drover.start(lock(QStringLiteral("left"), "echo held; cat"));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        const std::unique_ptr<QProcess> waiter = m_drover.start(lock(QStringLiteral("left"), "echo ran"));
        QTRY_COMPARE_WITH_TIMEOUT(line("left").size(), 2, 30'000);
        sendSignal(*waiter, SIGTERM);
        const Finished finished = DroverProgram::finish(*waiter);
        QCOMPARE(finished.exitCode, 128 + SIGTERM);
        QVERIFY(finished.out.isEmpty());
        QCOMPARE(line("left").size(), 1); // gone when the program is, not a session time-out later
        holder->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
    }

    void aSignalIsTheCommandsToObey()
    {
        const std::unique_ptr<QProcess> holder = m_drover.start(
            lock(QStringLiteral("signal"), "trap 'echo bye; exit 8' TERM; echo held; while :; do sleep 0.05; done"));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        sendSignal(*holder, SIGTERM);
        const Finished finished = DroverProgram::finish(*holder);
        QCOMPARE(finished.exitCode, 8);
        QCOMPARE(finished.out.trimmed(), QByteArray("bye"));
        QVERIFY(line("signal").isEmpty());
    }

    void losingTheLockKillsTheCommand()
    {
        const std::unique_ptr<QProcess> holder =
            m_drover.start(lock(QStringLiteral("stolen"), "echo held; sleep 1000; echo survived"));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        const QByteArrayList names = line("stolen");
        QCOMPARE(names.size(), 1);
        m_cluster.remove(lockPath("stolen") / names[0]);
        const Finished finished = DroverProgram::finish(*holder);
        QCOMPARE(finished.exitCode, 1);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("was deleted"), finished.err);
        QVERIFY(!finished.out.contains("survived"));
    }

    void aRevocableCommandEndsWhenAsked()
    {
        const std::unique_ptr<QProcess> holder =
            m_drover.start(lock(QStringLiteral("asked"),
                                "trap 'echo bye; exit 8' TERM; echo held; while :; do sleep "
                                "0.05; done",
                                {QStringLiteral("--revocable")}));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        const std::unique_ptr<QProcess> waiter = m_drover.start(lock(QStringLiteral("asked"), "echo next"));
        QTRY_COMPARE_WITH_TIMEOUT(line("asked").size(), 2, 30'000);
        m_cluster.write(zk::Path(lockPath("asked") / recipes::sortedBySequence(line("asked")).front()), "__REVOKE__");
        const Finished finished = DroverProgram::finish(*holder);
        QCOMPARE(finished.exitCode, 8);
        QVERIFY2(finished.err.contains("another client asks for the lock asked"), finished.err);
        QCOMPARE(DroverProgram::finish(*waiter).out, QByteArray("next\n"));
    }

    void aCommandThatIgnoresTheRequestIsKilledAfterTheGrace()
    {
        const std::unique_ptr<QProcess> holder =
            m_drover.start(lock(QStringLiteral("deaf"), "trap '' TERM; echo held; while :; do sleep 0.05; done",
                                {QStringLiteral("--revocable"), QStringLiteral("--grace"), QStringLiteral("300ms")}));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        askFor("deaf");
        const Finished finished = DroverProgram::finish(*holder);
        QCOMPARE(finished.exitCode, 1);
        QVERIFY2(finished.err.contains("had not ended 300ms after SIGTERM"), finished.err);
        QVERIFY(line("deaf").isEmpty());
    }

    // Its holder did not agree to it.
    void withoutTheOptionARequestIsNotObeyed()
    {
        const std::unique_ptr<QProcess> holder = m_drover.start(lock(QStringLiteral("firm"), "echo held; cat"));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        askFor("firm");
        QCOMPARE(m_drover.run(lock(QStringLiteral("firm"), "true", {QStringLiteral("--try")})).exitCode, 4);
        holder->write("on\n");
        QVERIFY(waitForOutput(*holder, "on", seen));
        holder->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
        QCOMPARE(m_drover.run(lock(QStringLiteral("firm"), "true", {QStringLiteral("--grace"), QStringLiteral("1s")}))
                     .exitCode,
                 2);
    }

    void losingThePlaceInTheLineEndsTheWait()
    {
        const std::unique_ptr<QProcess> holder = m_drover.start(lock(QStringLiteral("place"), "echo held; cat"));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        const QByteArrayList held = line("place");
        const std::unique_ptr<QProcess> waiter = m_drover.start(lock(QStringLiteral("place"), "echo ran"));
        QTRY_COMPARE_WITH_TIMEOUT(line("place").size(), 2, 30'000);
        QByteArrayList waiting = line("place");
        waiting.removeOne(held[0]);
        m_cluster.remove(lockPath("place") / waiting[0]);
        const Finished finished = DroverProgram::finish(*waiter);
        QCOMPARE(finished.exitCode, 1);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("lost its place"), finished.err);
        QVERIFY(finished.out.isEmpty());
        QCOMPARE(line("place"), held);
        holder->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
    }

    void treeShowsChangesLive()
    {
        const std::unique_ptr<QProcess> tree =
            m_drover.start({QStringLiteral("tree"), QStringLiteral("--watch"), QStringLiteral("/")});
        QByteArray messages;
        QVERIFY(waitForMessage(*tree, "watching", messages));
        // One at a time, each seen before the next: what happens between two looks is seen as one change.
        const zk::Path path("/watched");
        const zk::Path below = path / "below";
        QByteArray seen;
        m_cluster.write(path, {});
        QVERIFY2(waitForOutput(*tree, "+ /watched\n", seen), seen);
        m_cluster.write(below, {});
        QVERIFY2(waitForOutput(*tree, "+ /watched/below\n", seen), seen);
        m_cluster.write(below, "data");
        QVERIFY2(waitForOutput(*tree, "~ /watched/below\n", seen), seen);
        m_cluster.remove(below);
        QVERIFY2(waitForOutput(*tree, "- /watched/below\n", seen), seen);
        m_cluster.remove(path);
        QVERIFY2(waitForOutput(*tree, "- /watched\n", seen), seen);
        QCOMPARE(seen.count('\n'), 5);
        sendSignal(*tree, SIGINT);
        QCOMPARE(DroverProgram::finish(*tree).exitCode, 128 + SIGINT);
    }
};

QTEST_GUILESS_MAIN(LockTest)
#include "lock_test.moc"
