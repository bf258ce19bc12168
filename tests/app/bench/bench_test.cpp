#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;

// The real `drover bench`, small: that its figures are there and count what they say, and that the lock keeps to its
// round trips. Times are not judged.
class BenchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anUncontendedCycleTakesThreeRequests();
    void aReleaseWakesTwoAtMost();
    void aCycleTakesOneRoundTrip_data();
    void aCycleTakesOneRoundTrip();
    void jobsAreRunAndChecked();
    void latencyIsMeasuredToTheStartAndTheEnd();
    void startsOnBusyWorkersAreCompared();
    void submitsAreCountedInProgramsAndProcesses();
    void claimsAreComparedWithAShortQueue();
    void aDeadWorkersJobsAloneRunAgain();
    void appendsAreCountedAndCompared();
    void nothingStaysOnAServerOfOthers();
    void aClosedServerIsRefusedInOneLine();
    void aRoundTripNeedsAServerHere();
    void theTimeToConnectIsTheGivenOne();

private:
    struct Run {
        int exitCode = -1;
        QJsonObject figures;
        QByteArray errors;
    };
    static Run bench(const QString &arguments);
};

BenchTest::Run BenchTest::bench(const QString &arguments)
{
    QProcess process;
    process.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"),
                  QStringList{QStringLiteral("bench")} + arguments.split(u' ')
                      + QStringList{QStringLiteral("-o"), QStringLiteral("json")});
    if (!process.waitForFinished(200'000))
        return {-1, {}, "it did not end in time"};
    Run run;
    run.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    run.figures = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    run.errors = process.readAllStandardError();
    return run;
}

void BenchTest::anUncontendedCycleTakesThreeRequests()
{
    const Run run = bench(QStringLiteral("lock --clients 1 --for 1s --rtt 2ms"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QCOMPARE(run.figures.value(u"bench").toString(), QStringLiteral("lock"));
    QCOMPARE(run.figures.value(u"clients").toInt(), 1);
    QCOMPARE(run.figures.value(u"rtt_ms").toDouble(), 2.0);
    const double cycles = run.figures.value(u"cycles").toDouble();
    QVERIFY(cycles >= 1);
    // create, children, delete; a cycle may be under way at either end of the measurement.
    QVERIFY(run.figures.value(u"requests").toDouble() <= 3 + 3 / cycles);
    QCOMPARE(run.figures.value(u"wakeups").toDouble(-1), 0.0);
    // The relay is never early: a cycle cannot take less than one round trip.
    QVERIFY(run.figures.value(u"round_trips").toDouble() >= 0.99);
    QVERIFY(run.figures.value(u"median_ms").toDouble() >= 1.9);
    QVERIFY(run.figures.value(u"p99_ms").toDouble() >= run.figures.value(u"median_ms").toDouble());
    QVERIFY(run.figures.value(u"per_s").toDouble() > 0);
}

void BenchTest::aReleaseWakesTwoAtMost()
{
    const Run run = bench(QStringLiteral("lock --clients 6 --for 2s --rtt 1ms"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    const double cycles = run.figures.value(u"cycles").toDouble();
    QVERIFY(cycles >= 1);
    // At the edges of the measured time some wakeups do not belong to a counted cycle: those of the first release, and
    // of earlier ones that arrive late.
    constexpr double Edges = 6;
    const double wakeups = run.figures.value(u"wakeups").toDouble();
    QVERIFY2(wakeups <= 2 + Edges / cycles, qPrintable(QStringLiteral("%1 in %2 cycles").arg(wakeups).arg(cycles)));
    QVERIFY(wakeups >= 1 - Edges / cycles); // contended: releases woke waiters
}

void BenchTest::aCycleTakesOneRoundTrip_data()
{
    QTest::addColumn<int>("clients");
    QTest::addColumn<double>("most");
    QTest::newRow("uncontended") << 1 << 1.2;
    QTest::newRow("contended") << 8 << 1.3;
}

// The figures of 10 ms, at a round trip so long that what this machine adds to the median does not count.
void BenchTest::aCycleTakesOneRoundTrip()
{
    QFETCH(int, clients);
    QFETCH(double, most);
    constexpr double RoundTrip = 600; // ms
    const Run run = bench(QStringLiteral("lock --clients %1 --for 9s --rtt 600ms").arg(clients));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QVERIFY(run.figures.value(u"cycles").toDouble() >= 3);
    const double roundTrips = run.figures.value(u"median_ms").toDouble() / RoundTrip;
    QVERIFY2(roundTrips >= 0.99 && roundTrips <= most, qPrintable(QString::number(roundTrips)));
    QVERIFY2(run.figures.value(u"wakeups").toDouble() <= 2.1,
             qPrintable(run.figures.value(u"wakeups").toVariant().toString()));
}

void BenchTest::jobsAreRunAndChecked()
{
    const Run run = bench(QStringLiteral("jobs --jobs 60 --warm-up 20 --slots 2"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QCOMPARE(run.figures.value(u"bench").toString(), QStringLiteral("jobs"));
    QCOMPARE(run.figures.value(u"job_count").toInt(), 60);
    QCOMPARE(run.figures.value(u"warm_up").toInt(), 20);
    QCOMPARE(run.figures.value(u"slots").toInt(), 2);
    QVERIFY(run.figures.value(u"per_s").toDouble() > 0);
    QVERIFY(run.figures.value(u"submit_per_s").toDouble() >= run.figures.value(u"per_s").toDouble());
    QVERIFY(run.figures.value(u"rss_mb").toDouble() > 1);

    const Run failing = bench(QStringLiteral("jobs --jobs 3 --warm-up 0 --command /bin/false"));
    QCOMPARE(failing.exitCode, 1);
    QVERIFY2(failing.errors.contains("ended with code 1"), failing.errors.constData());
}

void BenchTest::latencyIsMeasuredToTheStartAndTheEnd()
{
    const Run run = bench(QStringLiteral("latency --count 5"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QCOMPARE(run.figures.value(u"job_count").toInt(), 5);
    QVERIFY(run.figures.value(u"median_ms").toDouble() > 0);
    QVERIFY(run.figures.value(u"p99_ms").toDouble() >= run.figures.value(u"median_ms").toDouble());
    QVERIFY(run.figures.value(u"end_median_ms").toDouble() > run.figures.value(u"median_ms").toDouble());
}

void BenchTest::startsOnBusyWorkersAreCompared()
{
    const Run run = bench(QStringLiteral("latency --load 50% --duration 50ms --workers 2x1,1x2 --for 1s"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    for (const QString &workers : {QStringLiteral("2x1"), QStringLiteral("1x2")}) {
        const auto figure = [&](const char *name) {
            return run.figures.value(workers + QLatin1String(name)).toDouble();
        };
        QVERIFY(figure("_jobs") > 5);
        QVERIFY(figure("_median_ms") > 0);
        QVERIFY(figure("_p99_ms") >= figure("_median_ms"));
    }
    QVERIFY(run.figures.value(u"median_ratio").toDouble() > 0);
    QCOMPARE(bench(QStringLiteral("latency --load 50% --workers 2")).exitCode, 2);
    QCOMPARE(bench(QStringLiteral("latency --workers 2x1")).exitCode, 2);
}

void BenchTest::submitsAreCountedInProgramsAndProcesses()
{
    const Run run = bench(QStringLiteral("submit --jobs 300 --processes 3"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QCOMPARE(run.figures.value(u"job_count").toInt(), 300);
    QCOMPARE(run.figures.value(u"processes").toInt(), 3);
    QVERIFY(run.figures.value(u"per_s").toDouble() > 0);
    QVERIFY(run.figures.value(u"process_median_ms").toDouble() > 0);
    QVERIFY(run.figures.value(u"process_p99_ms").toDouble() >= run.figures.value(u"process_median_ms").toDouble());
}

void BenchTest::claimsAreComparedWithAShortQueue()
{
    const Run run = bench(QStringLiteral("jobs --queued 500 --for 1s"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QCOMPARE(run.figures.value(u"bench").toString(), QStringLiteral("claims"));
    QCOMPARE(run.figures.value(u"queued").toInt(), 500);
    const double few = run.figures.value(u"few_per_s").toDouble();
    QVERIFY(few > 0);
    QVERIFY(run.figures.value(u"per_s").toDouble() > 0);
    QVERIFY(qAbs(run.figures.value(u"ratio").toDouble() - run.figures.value(u"per_s").toDouble() / few) < 0.01);
    const Run both = bench(QStringLiteral("jobs --queued 500 --jobs 3"));
    QCOMPARE(both.exitCode, 2);
    QVERIFY2(both.errors.contains("--for"), both.errors.constData());
}

// The bench itself compares what ran twice with what the dead worker had claimed, and fails where they differ.
void BenchTest::aDeadWorkersJobsAloneRunAgain()
{
    const Run run = bench(QStringLiteral("failover --jobs 120 --slots 2 --unfinished 300 --session-timeout 4s"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QCOMPARE(run.figures.value(u"job_count").toInt(), 120);
    QCOMPARE(run.figures.value(u"unfinished").toInt(), 300);
    const int lost = run.figures.value(u"lost_jobs").toInt();
    QVERIFY(lost >= 1);
    QVERIFY(run.figures.value(u"repeated_jobs").toInt(-1) <= lost);
    QVERIFY(run.figures.value(u"again_ms").toDouble() > 0);
    QCOMPARE(run.figures.value(u"limit_ms").toDouble(), 5000.0);
    QVERIFY(run.figures.value(u"elected_ms").toDouble() > 0);
    QVERIFY(run.figures.value(u"works_ms").toDouble() > 0);
}

void BenchTest::appendsAreCountedAndCompared()
{
    const Run run = bench(QStringLiteral("append --writers 6 --sessions 2 --size 40 --for 1s"));
    QVERIFY2(run.exitCode == 0, run.errors.constData());
    QCOMPARE(run.figures.value(u"bench").toString(), QStringLiteral("append"));
    QCOMPARE(run.figures.value(u"writers").toInt(), 6);
    QCOMPARE(run.figures.value(u"sessions").toInt(), 2);
    QCOMPARE(run.figures.value(u"bytes").toInt(), 40);
    QVERIFY(run.figures.value(u"records").toInt() >= 6);
    QVERIFY(run.figures.value(u"p99_ms").toDouble() >= run.figures.value(u"median_ms").toDouble());
    const Run misplaced = bench(QStringLiteral("append --dir /no/such/folder"));
    QCOMPARE(misplaced.exitCode, 1);
}

// It said that a node could not be created, and no word of why.
void BenchTest::aClosedServerIsRefusedInOneLine()
{
    test::TestServer server;
    server.start();
    const QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("HOME"), home.path());
    for (const char *const kind : {"DATA", "CONFIG", "STATE", "RUNTIME"})
        environment.insert(QStringLiteral("XDG_%1_").arg(QLatin1String(kind))
                               + (qstrcmp(kind, "RUNTIME") ? u"HOME"_qs : u"DIR"_qs),
                           home.path());
    const auto run = [&](const QString &line) {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(home.path());
        process.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"),
                      (line + QStringLiteral(" --connect ") + server.connectString()).split(u' '));
        return process.waitForFinished(100'000) ? std::pair(process.exitCode(), process.readAllStandardError())
                                                : std::pair(-1, QByteArray());
    };
    QCOMPARE(run(QStringLiteral("cluster init")).first, 0);
    for (const char *const line :
         {"bench jobs --jobs 5 --warm-up 0", "bench lock --for 1s", "bench append --for 1s", "bench recipes --for 1s",
          "lab locks --clients 2 --for 1s", "lab compare --for 1s"}) {
        const auto [exitCode, error] = run(QLatin1String(line));
        QVERIFY2(exitCode == 5, line + error);
        QCOMPARE(error.count("closed cluster"), 1);
        QVERIFY2(error.contains("closed cluster") && error.contains("leave out --connect"), error);
    }
    QCOMPARE(run(QStringLiteral("cluster secure --shared")).first, 0); // as the line says
    const auto [exitCode, error] = run(QStringLiteral("bench lock --for 1s --rtt 0"));
    QVERIFY2(exitCode == 0, error);
}

void BenchTest::nothingStaysOnAServerOfOthers()
{
    test::TestServer server;
    server.start();
    const QString connect = QStringLiteral(" --connect ") + server.connectString();
    const Run jobs = bench(QStringLiteral("jobs --jobs 10 --warm-up 5") + connect);
    QVERIFY2(jobs.exitCode == 0, jobs.errors.constData());
    const Run failing = bench(QStringLiteral("jobs --jobs 3 --warm-up 0 --command /bin/false") + connect);
    QCOMPARE(failing.exitCode, 1);
    const Run lock = bench(QStringLiteral("lock --clients 2 --for 1s --rtt 1ms") + connect);
    QVERIFY2(lock.exitCode == 0, lock.errors.constData());
    const Run append = bench(QStringLiteral("append --for 1s") + connect);
    QVERIFY2(append.exitCode == 0, append.errors.constData());

    async::QtLoop loop;
    zk::SessionOptions options;
    options.servers = server.connectString();
    zk::Session session(loop, options);
    session.open();
    test::await(session.connected());
    const auto list = [](zk::Session &zk) -> async::Task<QByteArrayList> {
        const zk::Answer<zk::Children> children = co_await zk.children(zk::Path("/drover"));
        co_return children.value().names;
    };
    QCOMPARE(test::await(list(session)), QByteArrayList());
}

void BenchTest::aRoundTripNeedsAServerHere()
{
    const Run run = bench(QStringLiteral("lock --rtt 1ms --connect zk.example:2181"));
    QCOMPARE(run.exitCode, 2);
    QVERIFY2(run.errors.contains("--rtt"), run.errors.constData());
}

void BenchTest::theTimeToConnectIsTheGivenOne()
{
    const Run run = bench(QStringLiteral("lock --connect 127.0.0.1:1 --connect-timeout 200ms"));
    QCOMPARE(run.exitCode, 6);
    QVERIFY2(run.errors.contains("no ZooKeeper answers at 127.0.0.1:1 within 200ms: "), run.errors.constData());
}

QTEST_GUILESS_MAIN(BenchTest)
#include "bench_test.moc"
