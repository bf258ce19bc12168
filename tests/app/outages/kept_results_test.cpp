#include "app/support/drover_on_server.h"
#include "workers/process/runner_fixture.h"

#include <csignal>

using namespace drover;
using namespace drover::test;
using workers::testing::childrenOf;
using workers::testing::contents;
using workers::testing::noneLocked;

// A job ends while its worker cannot report it. Then worker and runner are killed.
class KeptResultsTest : public QObject
{
    Q_OBJECT

    enum class Silence { Killed, Paused };
    static constexpr int Limit = 60'000; // ms

    std::unique_ptr<DroverOnServer> m_cluster;
    std::vector<std::unique_ptr<QProcess>> m_workers;

    Finished drover(const char *arguments) const { return m_cluster->drover.run(words(arguments)); }
    QString file(const char *name) const { return m_cluster->drover.directory() + u'/' + QLatin1String(name); }
    void touch(const char *name) const { QVERIFY(QFile(file(name)).open(QIODevice::WriteOnly)); }
    // What the job has done so far: a line for each time that it ran, with the number of the attempt.
    QByteArray ran() const { return QFile::exists(file("ran")) ? contents(file("ran")) : QByteArray(); }
    QFileInfoList resultFiles() const { return QDir(file("kept/runs")).entryInfoList(QDir::Files); }

    QProcess &startWorker(const char *options)
    {
        m_workers.push_back(m_cluster->drover.start(words("worker --slots 1 --session-timeout 10s") + words(options)));
        return *m_workers.back();
    }

    // Attempt N waits for the file end.N and has the exit code 2 + N. Its worker has the spool "kept".
    void runUntilTheReportCannotBeSent(Silence silence)
    {
        QProcess &worker = startWorker("--spool kept");
        const Finished submitted = m_cluster->drover.run(
            words("submit -- sh -c") << QStringLiteral(
                "echo $DROVER_ATTEMPT >> ran; "
                "until test -e end.$DROVER_ATTEMPT; do sleep 0.05; done; exit $((2 + DROVER_ATTEMPT))"));
        QCOMPARE(submitted.out, "default-0\n");
        QTRY_COMPARE_WITH_TIMEOUT(ran(), "1\n", Limit);

        if (silence == Silence::Killed)
            m_cluster->server.kill9();
        else
            m_cluster->server.pause();
        touch("end.1");
        const auto isKept = [this] { return resultFiles().size() == 1 && resultFiles()[0].size() > 0; };
        QTRY_VERIFY_WITH_TIMEOUT(isKept(), Limit);

        const auto pid = pid_t(worker.processId());
        const QList<pid_t> runner = childrenOf(pid);
        QCOMPARE(runner.size(), 1);
        ::kill(pid, SIGKILL);
        ::kill(runner[0], SIGKILL);
        DroverProgram::finish(worker);
        QTRY_VERIFY_WITH_TIMEOUT(noneLocked(file("kept/runs")), Limit);
        if (silence == Silence::Killed)
            m_cluster->server.restart();
        else
            m_cluster->server.resume();
        m_cluster->reconnect();
    }

    QJsonObject shown() const { return json(drover("show default-0 -o json")); }

private Q_SLOTS:
    void init()
    {
        m_cluster = std::make_unique<DroverOnServer>();
        m_cluster->start({"default", "other"});
        m_cluster->drover.setVariable("DROVER_HISTORY", file("history.sqlite"));
    }
    void cleanup()
    {
        for (const auto &worker : m_workers) {
            worker->terminate();
            DroverProgram::finish(*worker);
        }
        m_workers.clear();
        m_cluster.reset();
    }

    void theNextWorkerReportsAKeptResult_data()
    {
        QTest::addColumn<bool>("paused");
        QTest::newRow("server killed") << false;
        QTest::newRow("server stopped") << true; // it may find the last report of the dead in its socket
    }
    void theNextWorkerReportsAKeptResult()
    {
        QFETCH(bool, paused);
        runUntilTheReportCannotBeSent(paused ? Silence::Paused : Silence::Killed);
        startWorker("--spool kept");
        QCOMPARE(drover("wait default-0").exitCode, 3);
        QCOMPARE(drover("run -- true").exitCode, 0); // whatever there was to run again would have come first
        QCOMPARE(ran(), "1\n");
        const QJsonObject job = shown();
        QCOMPARE(job[u"state"].toString(), QStringLiteral("failed"));
        QCOMPARE(job[u"exit_code"].toInt(), 3);
        QCOMPARE(job[u"attempt"].toInt(), 1);
        QVERIFY(drover("show default-0").out.contains("failed"));
    }

    void aKeptResultIsVoidOnceTheJobIsClaimedAgain()
    {
        runUntilTheReportCannotBeSent(Silence::Killed);
        startWorker("--spool another"); // waits until the session of the dead has expired
        QTRY_COMPARE_WITH_TIMEOUT(ran(), "1\n2\n", Limit);

        startWorker("--spool kept --queue other");
        QCOMPARE(drover("run --queue other -- true").exitCode, 0); // so it has looked what was kept
        QCOMPARE(resultFiles().size(), 1); // its own
        QCOMPARE(shown()[u"state"].toString(), QStringLiteral("running"));
        QCOMPARE(m_cluster->children(m_cluster->layout.done()), QByteArrayList{"other-0"});

        touch("end.2");
        QCOMPARE(drover("wait default-0").exitCode, 4);
        QCOMPARE(ran(), "1\n2\n");
        QCOMPARE(shown()[u"attempt"].toInt(), 2);
        QCOMPARE(shown()[u"exit_code"].toInt(), 4);
        const auto archived = [this] { return json(drover("history -o json"))[u"total"].toInteger(); };
        QTRY_COMPARE_WITH_TIMEOUT(archived(), 2, Limit); // an end each
    }

    // ZooKeeper is away for longer than a session lives. Then the worker gets the order to stop, and later another one.
    void anOutageAndAPlannedStopCostNoAttempt()
    {
        const char *const options = "--session-timeout 8s --grace 100ms";
        QProcess &first = startWorker(options);
        const Finished submitted =
            m_cluster->drover.run(words("submit --max-attempts 1 --grace 20s -- sh -c") << QStringLiteral(
                                      "trap 'echo TERM >> ran; exit 1' TERM; echo $DROVER_ATTEMPT >> ran; "
                                      "until test -e end; do sleep 0.05; done"));
        QCOMPARE(submitted.out, "default-0\n");
        QTRY_COMPARE_WITH_TIMEOUT(ran(), "1\n", Limit);

        m_cluster->server.kill9();
        QByteArray seen;
        QVERIFY(waitForMessage(first, "reconnecting in", seen));
        m_cluster->server.restart();
        m_cluster->reconnect();
        QTRY_COMPARE_WITH_TIMEOUT(ran(), "1\n1\n", Limit);

        first.terminate();
        QCOMPARE(DroverProgram::finish(first).exitCode, 0);
        QCOMPARE(ran(), "1\n1\nTERM\n");
        startWorker(options);
        QTRY_COMPARE_WITH_TIMEOUT(ran(), "1\n1\nTERM\n1\n", Limit);
        touch("end");
        QCOMPARE(drover("wait default-0").exitCode, 0);
        QCOMPARE(shown()[u"attempt"].toInt(), 1);
    }
};

QTEST_GUILESS_MAIN(KeptResultsTest)
#include "kept_results_test.moc"
