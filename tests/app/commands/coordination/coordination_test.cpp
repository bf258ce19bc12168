#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// The commands for scripts, run as a script runs them, against a real server.
class CoordinationTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;

    // "semaphore s --permits 2 -- sh -c SCRIPT", split at blanks but for the script.
    static QStringList words(const char *arguments, const char *script = nullptr)
    {
        QStringList list = QString::fromLatin1(arguments).split(u' ');
        if (script)
            list += {QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), QString::fromUtf8(script)};
        return list;
    }
    Finished run(const char *arguments, const char *script = nullptr) { return m_drover.run(words(arguments, script)); }
    std::unique_ptr<QProcess> start(const char *arguments, const char *script = nullptr)
    {
        return m_drover.start(words(arguments, script));
    }

    // A command that holds what it got until its input ends.
    std::unique_ptr<QProcess> hold(const char *arguments)
    {
        std::unique_ptr<QProcess> process = start(arguments, "echo held; cat");
        QByteArray seen;
        if (!waitForOutput(*process, "held", seen))
            QTest::qFail(qPrintable(QString::fromUtf8(process->readAllStandardError())), __FILE__, __LINE__);
        return process;
    }
    static void release(QProcess &holder)
    {
        holder.closeWriteChannel();
        QCOMPARE(DroverProgram::finish(holder).exitCode, 0);
    }
    // Ends the program by SIGINT.
    static void interrupt(QProcess &process)
    {
        sendSignal(process, SIGINT);
        QCOMPARE(DroverProgram::finish(process).exitCode, 128 + SIGINT);
    }
    static void refuses(const Finished &finished, int exitCode, const char *message)
    {
        QCOMPARE(finished.exitCode, exitCode);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(message), finished.err);
        QVERIFY(finished.out.isEmpty());
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }

    void sharedLocksGoTogether();
    void aSemaphoreHasRoomForSo();
    void aLimitSaysHowManyHoldASemaphore();
    void oneLeadsAtATime();
    void aBarrierStops();
    void aDoubleBarrierBeginsTogether();
    void aGroupHasMembers();
    void settingsAreWrittenConditionally();
    void anEndlessCommandOutlivesItsSession();
    void aCounterCounts();
    void aQueuePassesItemsOn();
    void aPutWaitingForInputObeysSignals();
    void aPathReplacesTheName_data();
    void aPathReplacesTheName();
    void terminatedWhileWaitingLeavesNoNode_data();
    void terminatedWhileWaitingLeavesNoNode();
    void complainsInOneLine_data();
    void complainsInOneLine();
};

void CoordinationTest::sharedLocksGoTogether()
{
    const std::unique_ptr<QProcess> first = hold("lock rw --shared");
    const std::unique_ptr<QProcess> second = hold("lock rw --shared");
    refuses(run("lock rw --try", "echo ran"), 4, "lock rw is taken");
    release(*first);
    refuses(run("lock rw --timeout 100ms", "echo ran"), 124, "lock rw was not free");
    release(*second);
    const std::unique_ptr<QProcess> writer = hold("lock rw --try");
    refuses(run("lock rw --shared --try", "echo ran"), 4, "lock rw is taken");
    release(*writer);
}

void CoordinationTest::aSemaphoreHasRoomForSo()
{
    const std::unique_ptr<QProcess> first = hold("semaphore s --permits 2");
    const std::unique_ptr<QProcess> second = hold("semaphore s --permits 2");
    refuses(run("semaphore s --permits 2 --try", "echo ran"), 4, "has no room");
    refuses(run("semaphore s --permits 2 --timeout 100ms", "echo ran"), 124, "had no room");
    release(*first);
    const Finished third = run("semaphore s --permits 2", "echo $DROVER_FENCE; exit 7");
    QCOMPARE(third.exitCode, 7);
    QVERIFY(third.out.trimmed().toLongLong() > 0);
    release(*second);
}

// Jobs with --limit take leases of this semaphore, so it has the permits of the limit.
void CoordinationTest::aLimitSaysHowManyHoldASemaphore()
{
    QCOMPARE(run("limit set lic 1").exitCode, 0);
    const std::unique_ptr<QProcess> first = hold("semaphore lic");
    refuses(run("semaphore lic --try", "echo ran"), 4, "has no room");
    refuses(run("semaphore lic --permits 2 --try", "echo ran"), 4, "the limit lic is 1, not 2");
    QCOMPARE(run("limit set lic 2").exitCode, 0);
    const Finished second = run("semaphore lic --permits 2 --try", "echo ran");
    QVERIFY2(second.exitCode == 0 && second.out == "ran\n", second.err);
    refuses(run("limit set lic none"), 4, "the limit lic is in use");
    release(*first);

    QCOMPARE(run("limit set lic none").exitCode, 0);
    QVERIFY(!run("limit ls").out.contains("lic"));
    QCOMPARE(run("limit set lic none").exitCode, 0);
    refuses(run("semaphore lic --try", "echo ran"), 2, "--permits");
    QCOMPARE(run("semaphore lic --permits 3 --try", "echo ran").out, QByteArray("ran\n"));
}

void CoordinationTest::oneLeadsAtATime()
{
    const std::unique_ptr<QProcess> watcher = start("elect e --watch");
    QByteArray told;
    QVERIFY(waitForOutput(*watcher, "(none)\n", told));
    const std::unique_ptr<QProcess> first = hold("elect e --id ada");
    QVERIFY(waitForOutput(*watcher, "ada\n", told));
    refuses(run("elect e --timeout 100ms", "echo ran"), 124, "not elected");
    const std::unique_ptr<QProcess> second = start("elect e --id bob", "echo $DROVER_LEADER leads; cat");
    QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.election("e")).size(), 2, 30'000);
    release(*first);
    QByteArray seen;
    QVERIFY(waitForOutput(*second, "bob leads", seen));
    QVERIFY(waitForOutput(*watcher, "bob\n", told));
    QCOMPARE(told, QByteArray("(none)\nada\nbob\n"));
    release(*second);

    // A leader of that name is not taken for a missing one.
    const std::unique_ptr<QProcess> script = start("elect e --watch -o jsonl");
    QByteArray objects;
    QVERIFY(waitForOutput(*script, "\"leader\":null", objects));
    const std::unique_ptr<QProcess> third = hold("elect e --id (none)");
    QVERIFY(waitForOutput(*watcher, "\n\\x28none)\n", told));
    QVERIFY(waitForOutput(*script, "\"leader\":\"(none)\"", objects));
    release(*third);
    interrupt(*script);
    interrupt(*watcher);
}

void CoordinationTest::aBarrierStops()
{
    QCOMPARE(run("barrier b wait").exitCode, 0); // it is not closed
    QCOMPARE(run("barrier b close").exitCode, 0);
    refuses(run("barrier b wait --timeout 100ms"), 124, "barrier b was not opened");
    const std::unique_ptr<QProcess> waiter = start("barrier b wait");
    QCOMPARE(run("barrier b open").exitCode, 0);
    QCOMPARE(DroverProgram::finish(*waiter).exitCode, 0);
}

void CoordinationTest::aDoubleBarrierBeginsTogether()
{
    refuses(run("double-barrier d --count 2 --timeout 200ms", "echo ran"), 124, "fewer than 2");
    const std::unique_ptr<QProcess> first = start("double-barrier d --count 2", "echo began; exit 3");
    const zk::Path directory = m_cluster.layout.doubleBarrier("d");
    QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(directory).size(), 1, 30'000);
    const std::unique_ptr<QProcess> second = hold("double-barrier d --count 2");
    QByteArray seen;
    QVERIFY(waitForOutput(*first, "began", seen));
    QCOMPARE(first->state(), QProcess::Running); // its command has ended; it waits for the other's
    release(*second);
    QCOMPARE(DroverProgram::finish(*first).exitCode, 3);
    QVERIFY(m_cluster.children(directory).isEmpty());
}

void CoordinationTest::aGroupHasMembers()
{
    const std::unique_ptr<QProcess> watcher = start("group g watch");
    const std::unique_ptr<QProcess> stays = start("group g join --id ada --data hello");
    QByteArray told;
    QVERIFY(waitForOutput(*watcher, "joined   ada\n", told));
    const std::unique_ptr<QProcess> works = hold("group g join --id bob");
    QVERIFY(waitForOutput(*watcher, "joined   bob\n", told));

    const Finished listed = run("group g ls -o jsonl");
    const QByteArrayList lines = listed.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 2);
    const QJsonObject ada = QJsonDocument::fromJson(lines[0]).object();
    QCOMPARE(ada.value(u"member"_qs).toString(), u"ada"_qs);
    QCOMPARE(ada.value(u"data"_qs).toString(), u"hello"_qs);

    release(*works);
    QVERIFY(waitForOutput(*watcher, "left     bob\n", told));
    interrupt(*stays);
    QVERIFY(waitForOutput(*watcher, "left     ada\n", told));
    interrupt(*watcher);
    QVERIFY(m_cluster.children(m_cluster.layout.group("g")).isEmpty());
}

void CoordinationTest::settingsAreWrittenConditionally()
{
    refuses(run("config get limit"), 3, "there is no setting limit");
    const std::unique_ptr<QProcess> watcher = start("config watch limit");
    QByteArray told;
    QVERIFY(waitForOutput(*watcher, "(none)\n", told));
    QCOMPARE(run("config set limit 5 --if-version none").exitCode, 0);
    QVERIFY(waitForOutput(*watcher, "5\n", told));
    refuses(run("config set limit 6 --if-version none"), 4, "nothing was written");
    QCOMPARE(run("config set limit 6 --if-version 0").exitCode, 0);
    refuses(run("config set limit 7 --if-version 0"), 4, "nothing was written");
    QCOMPARE(run("config get limit").out, QByteArray("6\n"));
    const QJsonObject json = QJsonDocument::fromJson(run("config get limit -o json").out).object();
    QCOMPARE(json.value(u"version"_qs).toInt(), 1);
    QVERIFY(waitForOutput(*watcher, "6\n", told));
    interrupt(*watcher);
    const auto versionOf = [&](const char *arguments) {
        return QJsonDocument::fromJson(run(arguments).out).object().value(u"version"_qs).toInt(-1);
    };
    QCOMPARE(versionOf("config set limit 7 -o json"), 2);
    QCOMPARE(versionOf("config set limit 8 --if-version 2 -o json"), 3);
    QCOMPARE(versionOf("config set other 1 -o jsonl"), 0);
}

// The processes stand still until the server has ended their sessions.
void CoordinationTest::anEndlessCommandOutlivesItsSession()
{
    const std::unique_ptr<QProcess> member = start("group expired join --id ada");
    const std::unique_ptr<QProcess> group = start("group expired watch");
    const std::unique_ptr<QProcess> leader = start("elect expired --watch");
    const std::unique_ptr<QProcess> setting = start("config watch expired");
    QByteArray events;
    QByteArray leaders;
    QByteArray settings;
    QVERIFY(waitForOutput(*group, "joined   ada\n", events));
    QVERIFY(waitForOutput(*leader, "(none)\n", leaders));
    QVERIFY(waitForOutput(*setting, "(none)\n", settings));

    const std::vector<QProcess *> all{member.get(), group.get(), leader.get(), setting.get()};
    for (QProcess *process : all)
        sendSignal(*process, SIGSTOP);
    QTRY_COMPARE_WITH_TIMEOUT(m_cluster.server.ask("cons").count("sid="), 1, 60'000); // our own
    for (QProcess *process : all)
        sendSignal(*process, SIGCONT);
    for (QProcess *process : all) {
        QByteArray messages;
        QVERIFY(waitForMessage(*process, "going on with a new one", messages));
    }

    QCOMPARE(run("config set expired 5").exitCode, 0);
    QVERIFY(waitForOutput(*setting, "5\n", settings));
    QCOMPARE(settings, QByteArray("(none)\n5\n")); // what is known is not said again
    const std::unique_ptr<QProcess> elected = hold("elect expired --id bob");
    QVERIFY(waitForOutput(*leader, "bob\n", leaders));
    QCOMPARE(leaders, QByteArray("(none)\nbob\n"));
    QByteArray again;
    QVERIFY(waitForOutput(*group, "joined   ada\n", again));
    interrupt(*member);
    QVERIFY(waitForOutput(*group, "left     ada\n", again));
    release(*elected);
    for (QProcess *process : {group.get(), leader.get(), setting.get()})
        interrupt(*process);
    QVERIFY(m_cluster.children(m_cluster.layout.group("expired")).isEmpty());
}

void CoordinationTest::aCounterCounts()
{
    QCOMPARE(run("counter c get").out, QByteArray("0\n"));
    std::vector<std::unique_ptr<QProcess>> adding;
    for (int i = 0; i < 4; ++i)
        adding.push_back(start("counter c add 10"));
    for (const auto &process : adding)
        QCOMPARE(DroverProgram::finish(*process).exitCode, 0);
    QCOMPARE(run("counter c add -- -5").out, QByteArray("35\n"));
    QCOMPARE(run("counter c add -7 -o jsonl").out.trimmed(), QByteArray(R"({"count":28,"counter":"c","schema":1})"));
    QCOMPARE(run("counter c add 7").out, QByteArray("35\n"));
    refuses(run("counter c add 9223372036854775807"), 1, "counters/c");
    QCOMPARE(run("counter c get").out, QByteArray("35\n"));
}

void CoordinationTest::aQueuePassesItemsOn()
{
    refuses(run("queue q take --timeout 100ms"), 124, "nothing came");
    refuses(run("queue q peek"), 3, "there is nothing in queue q");
    const std::unique_ptr<QProcess> taker = start("queue q take");
    QCOMPARE(run("queue q put first second").exitCode, 0);
    QCOMPARE(DroverProgram::finish(*taker).out, QByteArray("first\n"));
    const std::unique_ptr<QProcess> putter = start("queue q put");
    putter->write("third\nfourth");
    putter->closeWriteChannel();
    QCOMPARE(DroverProgram::finish(*putter).exitCode, 0);
    QCOMPARE(run("queue q peek").out, QByteArray("second\n"));
    QCOMPARE(run("queue q ls -o jsonl").out.count('\n'), 3);
    QCOMPARE(run("queue q take --count 3").out, QByteArray("second\nthird\nfourth\n"));
}

void CoordinationTest::aPutWaitingForInputObeysSignals()
{
    for (const int signal : {SIGTERM, SIGINT}) {
        const std::unique_ptr<QProcess> putter = start("queue waiting put");
        putter->write("an item\n");
        // Before that the signal would end it in any case.
        QTRY_VERIFY_WITH_TIMEOUT(catches(putter->processId(), signal), 30'000);
        sendSignal(*putter, signal);
        QCOMPARE(DroverProgram::finish(*putter).exitCode, 128 + signal);
    }
    QVERIFY(m_cluster.children(m_cluster.layout.items("waiting")).isEmpty());
}

void CoordinationTest::aPathReplacesTheName_data()
{
    QTest::addColumn<QByteArray>("arguments");
    QTest::addColumn<bool>("program");
    QTest::newRow("a lock") << QByteArray("lock --path /app/lock") << true;
    QTest::newRow("a lock, named") << QByteArray("lock --path /app/lock mine") << true;
    QTest::newRow("a semaphore") << QByteArray("semaphore --permits 1 --path /app/semaphore") << true;
    QTest::newRow("an election") << QByteArray("elect --path /app/election") << true;
    QTest::newRow("a double barrier") << QByteArray("double-barrier --count 1 --path /app/double") << true;
    QTest::newRow("a group") << QByteArray("group --path /app/group ls") << false;
    QTest::newRow("a barrier") << QByteArray("barrier wait --path /app/barrier") << false;
    QTest::newRow("a counter") << QByteArray("counter --path /app/counter add 1") << false;
    QTest::newRow("a queue") << QByteArray("queue --path /app/queue put x") << false;
    QTest::newRow("a setting") << QByteArray("config set --path /app/setting x") << false;
}

void CoordinationTest::aPathReplacesTheName()
{
    QFETCH(QByteArray, arguments);
    QFETCH(bool, program);
    const Finished finished = run(arguments, program ? "echo $DROVER_LOCK" : nullptr);
    QVERIFY2(finished.exitCode == 0, finished.err);
    if (program)
        QVERIFY2(finished.out.startsWith("/app/"), finished.out);
}

void CoordinationTest::terminatedWhileWaitingLeavesNoNode_data()
{
    QTest::addColumn<QByteArray>("arguments");
    QTest::addColumn<QByteArray>("holder");
    QTest::addColumn<QByteArray>("directory");
    const QByteArray root = m_cluster.layout.root().bytes();
    QTest::newRow("a semaphore") << QByteArray("semaphore left --permits 1") << QByteArray("semaphore left --permits 1")
                                 << root + "/limits/left/leases";
    QTest::newRow("an election") << QByteArray("elect left") << QByteArray("elect left") << root + "/elections/left";
    QTest::newRow("a reader") << QByteArray("lock left --shared") << QByteArray("lock left") << root + "/locks/left";
    QTest::newRow("a double barrier") << QByteArray("double-barrier left --count 9") << QByteArray()
                                      << root + "/double-barriers/left";
}

void CoordinationTest::terminatedWhileWaitingLeavesNoNode()
{
    QFETCH(QByteArray, arguments);
    QFETCH(QByteArray, holder);
    QFETCH(QByteArray, directory);
    const zk::Path path(directory);
    const std::unique_ptr<QProcess> held = holder.isEmpty() ? nullptr : hold(holder);
    const qsizetype before = m_cluster.children(path).size();
    const std::unique_ptr<QProcess> waiter = start(arguments, "echo ran");
    QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(path).size(), before + 1, 30'000);
    sendSignal(*waiter, SIGTERM);
    QCOMPARE(DroverProgram::finish(*waiter).exitCode, 128 + SIGTERM);
    QCOMPARE(m_cluster.children(path).size(), before);
    if (held)
        release(*held);
}

void CoordinationTest::complainsInOneLine_data()
{
    QTest::addColumn<QByteArray>("arguments");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *arguments, const char *message) {
        QTest::newRow(arguments) << QByteArray(arguments) << QByteArray(message);
    };
    row("semaphore s -- true", "--permits K");
    row("semaphore s --permits 0 -- true", "--permits");
    row("double-barrier d -- true", "--count N");
    row("lock a --try --timeout 1s -- true", "not both");
    row("lock a/b -- true", "no lock can be called");
    row("lock --path relative -- true", "relative");
    row("barrier b shut", "must be one of wait, open, close");
    row("counter c add", "say how much");
    row("counter c add many", "N:");
    row("counter c get 5", "takes no number");
    row("config set k v --if-version x", "--if-version");
    row("queue q take item", "takes no items");
    row("elect e", "name the leader's command");
    row("elect e --watch -- true", "--watch runs no command");
    row("group g ls -- true", "runs no command");
    row("barrier b open --timeout 3s", "--timeout means nothing to open; it is for wait");
    row("barrier --timeout 3s b close", "--timeout means nothing to close");
    row("queue q put --count 2 x", "--count means nothing to put; it is for take");
    row("queue q peek --timeout 1s", "--timeout means nothing to peek");
    row("group g ls --id x", "--id means nothing to ls; it is for join");
    row("group g watch --data x", "--data means nothing to watch");
    row("group g join --timeout 1s", "without a command");
    row("group slash join --id a/b -- true", "without a slash");
    row("elect e --watch --id ada", "--id means nothing to --watch");
}

void CoordinationTest::complainsInOneLine()
{
    QFETCH(QByteArray, arguments);
    QFETCH(QByteArray, message);
    refuses(run(arguments), 2, message);
}

QTEST_GUILESS_MAIN(CoordinationTest)
#include "coordination_test.moc"
