#include "jobs/client/cancel_job.h"
#include "workers/claims/reporting.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using workers::ClaimedJob;

// Jobs that a worker has claimed and gives back.
class GiveBackTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Sixteen of them, as many as share a transaction, were more than a server takes.
    void largeJobsThatAreGivenBackShareTransactionsAsFarAsTheyFit()
    {
        constexpr int Jobs = 20;
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.command.append(QString(65'350, u'x'));
        std::vector<ClaimedJob> jobs;
        workers::Claimer claimer(jobs::Cluster(fake[1], fake.layout), QStringLiteral("w1"));
        for (int i = 0; i < Jobs; ++i) {
            const QueueEntry entry = *fake.view(fake.submit(spec)).entry;
            const workers::Claims claims = fake.run(WorkerCluster::claimAll(claimer, {entry}));
            QCOMPARE(claims.jobs.size(), 1u);
            jobs.push_back(claims.jobs.front());
        }
        Reporting reporting(fake, 1);
        const quint64 before = fake.requests();
        for (const ClaimedJob &job : jobs)
            reporting.reporter.giveBackUnstarted(job);
        reporting.flush();
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
        for (const ClaimedJob &job : jobs)
            QCOMPARE(fake.node(fake.pathOf(job.id)).stat.version, 2);
        QVERIFY2(fake.requests() - before <= 5, qPrintable(QString::number(fake.requests() - before)));
    }

    void aNodeThatHasTheNameOfThePassingOneStopsNoReport()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        fake.write(fake.layout.returned("default"), {});
        Reporting reporting(fake, 1);
        reporting.reporter.giveBackUnstarted(job);
        reporting.flush();
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
        QCOMPARE(JobSpec::decode(fake.node(fake.pathOf(job.id)).data, "default", 5).notes.returned, 1);
        QCOMPARE(reporting.reporter.rejected(), 0);
    }

    void aJobCancelledBeforeItBeginsEnds()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        fake.run(cancel(Cluster(fake[0], fake.layout), job.id));
        Reporting reporting(fake, 1);
        reporting.reporter.giveBackUnstarted(job);
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        QCOMPARE(fake.recordOf(job.id).reason, QStringLiteral("cancelled before it ran"));
        QVERIFY(fake.ready().empty());
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
    }

    // What an earlier attempt did is not forgotten.
    void aJobCancelledBeforeARetryHasRun()
    {
        WorkerCluster fake(3);
        const ClaimedJob lost = fake.claimOne(1);
        fake.commit(zk::Transaction().remove(fake.layout.claim(lost.id)));
        const ClaimedJob job = fake.claimReady(2).jobs.at(0);
        fake.run(cancel(Cluster(fake[0], fake.layout), job.id));
        Reporting reporting(fake, 2);
        reporting.reporter.giveBackUnstarted(job);
        reporting.flush();
        QCOMPARE(fake.recordOf(job.id).reason, QStringLiteral("cancelled while it waited to be tried again"));
    }

    void aCancelledJobThatIsGivenBackRunsNoMore()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        fake.run(cancel(Cluster(fake[0], fake.layout), job.id));
        Reporting reporting(fake, 1);
        reporting.reporter.giveBack(job);
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
        QVERIFY(fake.claimReady(0).jobs.empty());
        QCOMPARE(fake.recordOf(job.id).state(), JobState::Cancelled);
    }
};

QTEST_GUILESS_MAIN(GiveBackTest)
#include "give_back_test.moc"
