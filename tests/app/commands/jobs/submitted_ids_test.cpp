#include "app/support/drover_on_server.h"
#include "jobs/cluster/cluster_config.h"
#include "support/send_signal.h"

#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// What has been submitted is said, whatever becomes of standard output: who does not know its id submits it twice.
class SubmittedIdsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;

    // The ids of the jobs in a queue that no worker serves.
    QByteArrayList queued()
    {
        QByteArrayList ids;
        for (const QByteArray &name : m_cluster.children(m_cluster.layout.queue("default")))
            ids.append("default-" + QByteArray::number(name.mid(name.indexOf('-') + 1).toInt()));
        std::sort(ids.begin(), ids.end());
        return ids;
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("other")}); }

    void cleanup()
    {
        for (const QByteArray &name : m_cluster.children(m_cluster.layout.queue("default")))
            m_cluster.remove(m_cluster.layout.queue("default") / name);
    }

    void withoutOutput_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<int>("jobs");
        const QByteArray lines = "for i in 1 2 3; do echo '{\"command\": [\"true\"]}'; done | ";
        QTest::newRow("full") << QByteArray("drover submit -- true > /dev/full") << 1;
        QTest::newRow("json") << QByteArray("drover submit -o json -- true > /dev/full") << 1;
        const QByteArray untilGone = "(trap '' PIPE; while echo; do :; done) 2> /dev/null; ";
        QTest::newRow("closed") << "{ " + untilGone + "drover submit -- true; echo rc $? >&2; } | true" << 1;
        QTest::newRow("stdin") << lines + "drover submit --stdin > /dev/full" << 3;
    }
    void withoutOutput()
    {
        QFETCH(QByteArray, script);
        QFETCH(int, jobs);
        const Finished finished = m_drover.shell(script);
        const QByteArrayList ids = queued();
        QVERIFY2(ids.size() == jobs || (jobs > 1 && !ids.isEmpty()), finished.err);
        const QByteArray said = ids.join(", ") + (ids.size() == 1 ? " was submitted; " : " were submitted; ");
        QVERIFY2(finished.err.startsWith("drover: " + said + "cannot write to standard output: "), finished.err);
        QVERIFY2(finished.exitCode == 1 || finished.err.endsWith("rc 1\n"), finished.err);
    }

    // Answers what is under way and reads no more.
    void aSignalEndsTheInput()
    {
        const QByteArray line = "{\"command\": [\"true\"]}\n";
        const std::unique_ptr<QProcess> process = m_drover.start(words("submit --stdin"));
        process->write(line.repeated(20'000));
        QByteArray seen;
        QVERIFY(waitForOutput(*process, "default-", seen));
        sendSignal(*process, SIGINT);
        const Finished finished = DroverProgram::finish(*process);
        QCOMPARE(finished.exitCode, 128 + SIGINT);
        QByteArrayList printed = (seen + finished.out).trimmed().split('\n');
        const QByteArray told = "interrupted: the lines after line " + QByteArray::number(printed.size());
        QVERIFY2(finished.complainsOnce() && finished.err.contains(told + " were not submitted"), finished.err);
        std::sort(printed.begin(), printed.end());
        QCOMPARE(printed, queued());
    }

    void aSignalEndsTheWaitForRoom()
    {
        jobs::ClusterConfig config;
        config.queueLimit = 1;
        m_cluster.write(m_cluster.layout.config(), config.encode());
        const auto process = m_drover.start(words("submit --stdin --wait-for-room"));
        process->write(QByteArray("{\"command\": [\"true\"]}\n").repeated(3));
        QByteArray seen;
        QVERIFY(waitForMessage(*process, "waiting for room: queue default holds 1 ", seen));
        sendSignal(*process, SIGINT);
        const Finished finished = DroverProgram::finish(*process);
        m_cluster.write(m_cluster.layout.config(), jobs::ClusterConfig().encode());
        QCOMPARE(finished.exitCode, 128 + SIGINT);
        QCOMPARE(finished.out.trimmed(), queued().join());
        QVERIFY2(finished.err.contains("line 2: queue default holds 1 ") && finished.err.contains("interrupted: "),
                 finished.err);
    }

    void aSignalEndsTheWaitForInput()
    {
        const std::unique_ptr<QProcess> process = m_drover.start(words("submit --stdin"));
        process->write("{\"command\": [\"true\"]}\n");
        QByteArray seen;
        QVERIFY(waitForOutput(*process, "default-", seen));
        sendSignal(*process, SIGTERM);
        QCOMPARE(DroverProgram::finish(*process).exitCode, 128 + SIGTERM);
    }

    // Also of a job that needs no more than a slot.
    void aJobThatNoWorkerServesIsReported()
    {
        const Finished alone = m_drover.run(words("submit -- true"));
        QVERIFY2(alone.exitCode == 0 && alone.err.contains("there is no worker; start one"), alone.err);
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --slots 1 --queue default"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 60'000);
        const Finished other = m_drover.run(words("submit --queue other -- true"));
        QVERIFY2(other.exitCode == 0 && other.err.contains("no worker serves queue other; start one"), other.err);
        QCOMPARE(m_drover.run(words("submit -- true")).err, QByteArray());
        worker->terminate();
        QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(SubmittedIdsTest)
#include "submitted_ids_test.moc"
