#include "app/support/drover_on_server.h"
#include "jobs/model/worker_info.h"
#include "support/send_signal.h"

#include <QJsonArray>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// Ten thousand workers that are none, each with a sound record: people still see all, and jobs are still run.
class HostileMembersTest : public QObject
{
    Q_OBJECT

    static constexpr int Members = 10'000;

    DroverOnServer m_cluster;
    const jobs::Layout &m_layout = m_cluster.layout;
    std::unique_ptr<QProcess> m_worker;
    QByteArray m_job; // runs all the time

    Finished drover(const char *arguments) const { return m_cluster.drover.run(words(arguments), 120'000); }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        m_worker = m_cluster.drover.start(words("worker --slots 4 --id true-1"));
        m_job = drover("submit -- sleep 600").out.trimmed();
        QTRY_VERIFY_WITH_TIMEOUT(drover("ls").out.contains("running"), 60'000);
        jobs::WorkerInfo info;
        info.host = QStringLiteral("nowhere");
        info.version = QStringLiteral("0");
        info.queues = QStringList(QStringLiteral("default"));
        info.slotCount = 1'000;
        info.endpoint = QStringLiteral("127.0.0.1:1");
        m_cluster.flood(m_layout.members(), Members, 24, [&info](int i) {
            info.id = QStringLiteral("flood-%1").arg(i).leftJustified(24, u'x');
            return info.encode();
        });
    }
    void cleanupTestCase()
    {
        drover("cancel --state running");
        sendSignal(*m_worker, SIGTERM);
        DroverProgram::finish(*m_worker);
    }

    void allAreListed()
    {
        const Finished listed = drover("worker ls -o json");
        QVERIFY2(listed.exitCode == 0, listed.err);
        QCOMPARE(json(listed).value(u"workers").toArray().size(), Members + 1);
        QVERIFY(drover("worker show true-1").out.contains("true-1"));
    }

    void theMasterServesJobsAsBefore()
    {
        const Finished ran = drover("run -- echo hello");
        QVERIFY2(ran.exitCode == 0 && ran.out == "hello\n", ran.err);
        const Finished delayed = drover("run --delay 1s -- echo later"); // which the master makes ready
        QVERIFY2(delayed.exitCode == 0 && delayed.out == "later\n", delayed.err);
        const Finished gang = drover("run --gang 2 -- true"); // for which it looks at all workers
        QVERIFY2(gang.exitCode == 0, gang.err);
        const QJsonObject job = json(m_cluster.drover.run(words("show -o json") << QString::fromUtf8(m_job)));
        QCOMPARE(job.value(u"state"), QStringLiteral("running"));
        QCOMPARE(job.value(u"attempt").toInt(), 1);
    }

    void doctorSaysWhatIsWrongInFewLines()
    {
        const Finished doctor = drover("doctor");
        QVERIFY2(doctor.out.contains("master") && doctor.out.count('\n') < 100, doctor.out.left(10'000) + doctor.err);
    }
};

QTEST_GUILESS_MAIN(HostileMembersTest)
#include "members_test.moc"
