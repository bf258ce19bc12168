#include "app/support/drover_program.h"
#include "support/send_signal.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

#include <sys/resource.h>

using namespace drover::test;

// How a cluster is watched: events, top and doctor, the real program on a real cluster.
class WatchingTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;

    Finished drover(const char *arguments) const { return m_drover.run(words(arguments)); }

    // Of a worker that has run a job; 0: it has none.
    static pid_t runnerOf(const QProcess &worker)
    {
        QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(worker.processId()));
        return children.open(QIODevice::ReadOnly) ? children.readAll().trimmed().toInt() : 0;
    }

    // The finding of `drover doctor` about `subject`.
    static QJsonObject findingOf(const Finished &finished, const QString &subject)
    {
        const QJsonArray findings = json(finished).value(QStringLiteral("findings")).toArray();
        for (const QJsonValue &finding : findings) {
            if (finding[QStringLiteral("subject")].toString().startsWith(subject))
                return finding.toObject();
        }
        return {};
    }

    // The subjects of what is not well, but for those that tell how fast this machine is.
    static QStringList troublesIn(const Finished &doctor)
    {
        QStringList subjects;
        for (const QJsonValue &finding : json(doctor).value(QStringLiteral("findings")).toArray()) {
            const QString subject = finding[QStringLiteral("subject")].toString();
            const bool isWell = finding[QStringLiteral("level")].toString() == u"ok" || subject == u"access";
            if (!isWell && !subject.startsWith(u"ZooKeeper ") && subject != u"session")
                subjects.append(subject);
        }
        return subjects;
    }

    // The events about a job in complete lines of `-o jsonl`.
    static QStringList toldOf(const QString &id, const QByteArray &jsonLines)
    {
        QStringList events;
        for (const QByteArray &line : jsonLines.first(jsonLines.lastIndexOf('\n') + 1).split('\n')) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            const bool complete = event.value(QStringLiteral("at")).toString().endsWith(u'Z')
                && event.value(QStringLiteral("schema")).toInt() == 1;
            if (complete && event.value(QStringLiteral("id")).toString() == id)
                events.append(event.value(QStringLiteral("event")).toString());
        }
        return events;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished up = m_drover.run(words("up --detach --workers 1 --slots 2"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
    }

    void eventsReportAJobsLife()
    {
        const std::unique_ptr<QProcess> watcher = m_drover.start(words("events -f -o jsonl"));
        QByteArray seen;
        // It has no word for "I am listening": jobs are submitted until it hears of one.
        const auto hears = [&] {
            drover("submit -- sleep 0.3");
            return waitForOutput(*watcher, "\"ended\"", seen, 3000);
        };
        QTRY_VERIFY_WITH_TIMEOUT(hears(), 60'000);
        const auto told = [&](const QString &id) {
            watcher->waitForReadyRead(100);
            seen += watcher->readAllStandardOutput();
            return toldOf(id, seen);
        };
        // It lasts until its start was reported.
        const QString id = QString::fromUtf8(
            m_drover.run(words("submit --name watched -- sh -c") << u"until test -e told; do sleep 0.05; done"_qs)
                .out.trimmed());
        const QStringList begun{QStringLiteral("submitted"), QStringLiteral("started")};
        QTRY_COMPARE_WITH_TIMEOUT(told(id), begun, 60'000);
        QVERIFY(QFile(m_drover.directory() + u"/told"_qs).open(QIODevice::WriteOnly));
        QTRY_COMPARE_WITH_TIMEOUT(told(id), begun + QStringList(QStringLiteral("ended")), 60'000);
        sendSignal(*watcher, SIGINT);
        QCOMPARE(DroverProgram::finish(*watcher).exitCode, 130);
    }

    void eventsReportLimitsAndSchedules()
    {
        const std::unique_ptr<QProcess> watcher = m_drover.start(words("events -f"));
        QByteArray seen;
        const auto hears = [&] { // as above
            drover("limit set heard 1");
            drover("limit set heard 2");
            return waitForOutput(*watcher, "limit-set", seen, 3000);
        };
        QTRY_VERIFY_WITH_TIMEOUT(hears(), 60'000);
        for (const auto &[command, event] : {std::pair("cron add yearly @yearly true", "cron-added        yearly"),
                                             std::pair("cron pause yearly", "cron-paused       yearly"),
                                             std::pair("cron rm yearly", "cron-removed      yearly")}) {
            const Finished done = drover(command);
            QVERIFY2(done.exitCode == 0, done.err);
            QVERIFY2(waitForOutput(*watcher, event, seen, 30'000), seen); // else the next one may hide it
        }
        for (const char *line : {"limit-set         heard", "jobs at a time: 2", "cron-added        yearly"})
            QVERIFY2(seen.contains(line), seen);
        QVERIFY2(seen.indexOf("cron-added") < seen.indexOf("cron-removed"), seen);
        sendSignal(*watcher, SIGINT);
        QCOMPARE(DroverProgram::finish(*watcher).exitCode, 130);
    }

    void withoutFollowingPastEventsAreReported()
    {
        const QByteArray id = drover("submit --name past --wait -- true").out.trimmed();
        const Finished past = drover("events -o jsonl --past 1");
        QCOMPARE(past.exitCode, 0);
        QCOMPARE(past.out.count('\n'), 1);
        const QJsonObject event = QJsonDocument::fromJson(past.out).object();
        QCOMPARE(event.value(QStringLiteral("id")).toString().toUtf8(), id);
        QCOMPARE(event.value(QStringLiteral("state")).toString(), QStringLiteral("succeeded"));
        const QJsonArray document = json(drover("events -o json --past 2")).value(QStringLiteral("events")).toArray();
        QCOMPARE(document.size(), 2);
        QCOMPARE(document.last().toObject().value(QStringLiteral("id")).toString().toUtf8(), id);
        const Finished table = drover("events --past 1");
        QVERIFY2(table.out.contains("ended") && table.out.contains(id) && table.out.contains("past, exit code 0"),
                 table.out);
        QCOMPARE(drover("events --past x").exitCode, 2);
    }

    void topPrintsOneScreenIntoAPipe()
    {
        const QByteArray id = drover("submit --name long -- sleep 60").out.trimmed();
        const auto shown = [&] { return drover("top").out.contains(id); };
        QTRY_VERIFY_WITH_TIMEOUT(shown(), 30'000);
        const QByteArray screen = drover("top").out;
        for (const char *part : {"cluster default", "1 worker ", "1/2", "QUEUE", "WORKER", "RUNNING", "long"})
            QVERIFY2(screen.contains(part), screen);
        QVERIFY(!screen.contains('\x1b'));
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), QString::fromUtf8(id)}).exitCode, 0);
    }

    // A worker has claimed it, and it takes no slot until the lock is free.
    void aJobThatWaitsForALockDoesNotRun()
    {
        const std::unique_ptr<QProcess> holder = m_drover.start(words("lock db -- cat"));
        const auto isTaken = [&] { return drover("lock db --try -- true").exitCode == 4; };
        QTRY_VERIFY_WITH_TIMEOUT(isTaken(), 30'000);
        const QString id = QString::fromUtf8(drover("submit --lock db -- true").out.trimmed());
        const auto shown = [&](const char *arguments) {
            const QJsonArray jobs = json(drover(arguments)).value(QStringLiteral("jobs")).toArray();
            for (const QJsonValue &job : jobs) {
                if (job[QStringLiteral("id")].toString() == id)
                    return job.toObject();
            }
            return QJsonObject();
        };
        const auto waitsFor = [&] { return shown("ls -o json").value(QStringLiteral("waits_for")).toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(waitsFor(), QStringLiteral("lock db"), 30'000);
        QCOMPARE(shown("ls -o json").value(QStringLiteral("state")).toString(), QStringLiteral("waiting"));
        QVERIFY(!shown("ls --state waiting -o json").isEmpty());
        QVERIFY(shown("ls --state running -o json").isEmpty());
        const Finished table = drover("ls");
        QVERIFY2(table.out.contains("WAITS FOR") && table.out.contains("lock db"), table.out);
        QCOMPARE(drover("requeue --state running").exitCode, 3);
        QCOMPARE(drover("cancel --state waiting").exitCode, 0);
        const auto state = [&] {
            return json(m_drover.run({QStringLiteral("show"), id, QStringLiteral("-o"), QStringLiteral("json")}))
                .value(QStringLiteral("state"))
                .toString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("cancelled"), 30'000);
        holder->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 0);
    }

    void doctorFindsAHealthyClusterWell()
    {
        Finished well;
        // A server that answers late is a problem, too.
        QTRY_VERIFY2_WITH_TIMEOUT((well = drover("doctor -o json")).exitCode == 0, well.out, 60'000);
        QCOMPARE(json(well).value(QStringLiteral("problems")).toInt(-1), 0);
        QCOMPARE(troublesIn(well), QStringList());
        QVERIFY(findingOf(well, QStringLiteral("ZooKeeper"))
                    .value(QStringLiteral("what"))
                    .toString()
                    .contains(u"standalone, version 3."));
        QCOMPARE(findingOf(well, QStringLiteral("master")).value(QStringLiteral("level")).toString(),
                 QStringLiteral("ok"));
        Finished table;
        const auto isSaid = [&] {
            table = drover("doctor");
            return table.out.contains("all is well") || table.out.contains("\n0 problems, ");
        };
        QTRY_VERIFY2_WITH_TIMEOUT(isSaid(), table.out, 60'000);
    }

    // One line is left out of a terminal of 15: what drover top leaves for its hint.
    void topFitsASmallTerminal()
    {
        const std::unique_ptr<QProcess> second = m_drover.start(words("worker"));
        const std::unique_ptr<QProcess> third = m_drover.start(words("worker"));
        QTRY_COMPARE_WITH_TIMEOUT(drover("worker ls -o jsonl").out.count('\n'), 3, 60'000);
        QProcess terminal;
        terminal.setProcessEnvironment(m_drover.environment());
        terminal.start(QStringLiteral("script"),
                       {QStringLiteral("-qec"),
                        QStringLiteral("stty rows 15 cols 80; exec \"$DROVER_BIN_DIR/drover\" top"),
                        QStringLiteral("/dev/null")});
        QByteArray seen;
        QVERIFY2(waitForOutput(terminal, "q quits", seen), seen);
        QVERIFY2(seen.contains("\x1b[") && seen.contains("RUNNING") && !seen.contains(" more "), seen);
        terminal.write("q");
        QCOMPARE(DroverProgram::finish(terminal).exitCode, 0);
        for (QProcess *const worker : {second.get(), third.get()}) {
            worker->terminate();
            QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
        }
    }

    void doctorReportsPausedQueuesAndCordonedWorkers()
    {
        QCOMPARE(drover("queue pause default --why stocktaking").exitCode, 0);
        Finished paused;
        // It is a warning.
        QTRY_VERIFY2_WITH_TIMEOUT((paused = drover("doctor -o json")).exitCode == 0, paused.out, 60'000);
        QVERIFY2(paused.out.contains("is paused by") && paused.out.contains("stocktaking")
                     && paused.out.contains("drover queue resume default"),
                 paused.out);
        QCOMPARE(troublesIn(paused), QStringList(QStringLiteral("queue default")));
        QVERIFY(json(paused).value(QStringLiteral("warnings")).toInt() >= 1);
        QCOMPARE(drover("queue resume default").exitCode, 0);
        QCOMPARE(drover("worker cordon up-1").exitCode, 0);
        const Finished cordoned = drover("doctor -o json");
        QVERIFY2(cordoned.out.contains("is cordoned by") && cordoned.out.contains("drover worker uncordon up-1"),
                 cordoned.out);
        QCOMPARE(drover("worker uncordon up-1").exitCode, 0);
    }

    // A queue that a worker made and no worker serves any more.
    void doctorReportsAQueueThatNoWorkerServes()
    {
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --queue gpu"));
        const auto isMade = [&] { return drover("queue ls").out.contains("gpu"); };
        QTRY_VERIFY_WITH_TIMEOUT(isMade(), 30'000);
        sendSignal(*worker, SIGTERM);
        DroverProgram::finish(*worker);
        QCOMPARE(drover("submit --queue gpu -- true").exitCode, 0);
        const Finished ill = drover("doctor -o json");
        QVERIFY2(ill.exitCode == 1, ill.out);
        const QJsonObject finding = findingOf(ill, QStringLiteral("queue gpu"));
        QCOMPARE(finding.value(QStringLiteral("level")).toString(), QStringLiteral("problem"));
        QVERIFY(finding.value(QStringLiteral("advice")).toString().contains(u"drover worker --queue gpu"));
    }

    void doctorReportsAJobThatNoWorkerCanRun()
    {
        const QString id = QString::fromUtf8(drover("submit --label nope -- true").out.trimmed());
        const Finished ill = drover("doctor -o json");
        QVERIFY2(ill.exitCode == 1, ill.out);
        const QJsonObject finding = findingOf(ill, QStringLiteral("queue default"));
        QCOMPARE(finding.value(QStringLiteral("level")).toString(), QStringLiteral("problem"));
        const QString what = finding.value(QStringLiteral("what")).toString();
        QVERIFY2(what.contains(id) && what.contains(u"label nope"), qPrintable(what));
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), id}).exitCode, 0);
    }

    void doctorReportsAFileThatRefusesAppends()
    {
        const std::unique_ptr<QProcess> process = m_drover.start(words("append shared"));
        process->write("one\n");
        process->closeWriteChannel();
        QCOMPARE(DroverProgram::finish(*process).exitCode, 0);
        QVERIFY(findingOf(drover("doctor -o json"), QStringLiteral("file ")).isEmpty());
        QFile file(m_drover.directory() + QStringLiteral("/shared"));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Append) && file.write("by hand\n") == 8);
        file.close();
        const Finished ill = drover("doctor -o json");
        QVERIFY2(ill.exitCode == 1, ill.out);
        const QJsonObject finding = findingOf(ill, QStringLiteral("file "));
        QCOMPARE(finding.value(QStringLiteral("level")).toString(), QStringLiteral("problem"));
        const QString what = finding.value(QStringLiteral("what")).toString();
        QVERIFY2(what.contains(u"refuses appends") && what.contains(u"another program has written"), qPrintable(what));
        QCOMPARE(drover("files forget shared").exitCode, 0);
    }

    void aWorkerReportsThatItsRunnerHasDied()
    {
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --queue runner"));
        QByteArray seen;
        QVERIFY2(waitForMessage(*worker, "queues runner", seen), seen);
        const QByteArray id = drover("submit --queue runner -- sleep 60").out.trimmed();
        const auto runs = [&] { return drover("ls --state running").out.contains(id); };
        QTRY_VERIFY_WITH_TIMEOUT(runs(), 30'000);
        const pid_t runner = runnerOf(*worker);
        QVERIFY(runner > 0);
        QCOMPARE(::kill(runner, SIGKILL), 0);
        QVERIFY2(waitForMessage(*worker, "the job runner (process", seen), seen);
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), QString::fromUtf8(id)}).exitCode, 0);
        sendSignal(*worker, SIGTERM);
        DroverProgram::finish(*worker);
    }

    // No descriptor is left for the pipes of a job.
    void aMachineThatCannotRunJobsIsReportedWithTheReason()
    {
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --queue poor --id poor"));
        QByteArray seen;
        QVERIFY2(waitForMessage(*worker, "queues poor", seen), seen);
        QCOMPARE(drover("submit --queue poor --wait -- true").exitCode, 0);
        const pid_t runner = runnerOf(*worker);
        QVERIFY(runner > 0);
        rlimit usual{};
        QCOMPARE(::prlimit(runner, RLIMIT_NOFILE, nullptr, &usual), 0);
        const rlimit poor{.rlim_cur = 4, .rlim_max = usual.rlim_max};
        QCOMPARE(::prlimit(runner, RLIMIT_NOFILE, &poor, nullptr), 0);
        const QString id = QString::fromUtf8(drover("submit --queue poor -- true").out.trimmed());
        const auto found = [&] { return findingOf(drover("doctor -o json"), QStringLiteral("worker poor")); };
        const auto said = [&] { return found().value(QStringLiteral("what")).toString(); };
        QTRY_VERIFY_WITH_TIMEOUT(said().contains(u"could not run jobs"), 30'000);
        const QString what = said();
        QVERIFY2(what.contains(u"Too many open files"), qPrintable(what));
        QVERIFY(drover("worker ls").out.contains("troubled"));
        QVERIFY(drover("worker show poor").out.contains("Too many open files"));
        const auto why = [&] { return m_drover.run({QStringLiteral("why"), id}).out; }; // it may be trying just now
        QTRY_VERIFY2_WITH_TIMEOUT(why().contains("that of poor: cannot make a pipe"), why().constData(), 60'000);
        QCOMPARE(::prlimit(runner, RLIMIT_NOFILE, &usual, nullptr), 0);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(!said().contains(u"could not run jobs"), 30'000);
        sendSignal(*worker, SIGTERM);
        DroverProgram::finish(*worker);
    }

    void doctorReportsServersThatDoNotAnswer()
    {
        const Finished finished = drover("doctor -o json --connect 127.0.0.1:1 --connect-timeout 500ms");
        QCOMPARE(finished.exitCode, 1);
        QCOMPARE(findingOf(finished, QStringLiteral("ZooKeeper 127.0.0.1:1")).value(QStringLiteral("level")).toString(),
                 QStringLiteral("problem"));
        QCOMPARE(findingOf(finished, QStringLiteral("session")).value(QStringLiteral("level")).toString(),
                 QStringLiteral("problem"));
        const Finished missing = drover("doctor -o json --cluster none");
        QCOMPARE(missing.exitCode, 1);
        QCOMPARE(findingOf(missing, QStringLiteral("cluster")).value(QStringLiteral("level")).toString(),
                 QStringLiteral("problem"));
    }
};

QTEST_GUILESS_MAIN(WatchingTest)
#include "watching_test.moc"
