#include "jobs/cancel.h"
#include "workers/reporting.h"

#include <QLoggingCategory>
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
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    // Sixteen of them, as many as share a transaction, were more than a server takes.
    void largeJobsThatAreGivenBackShareTransactionsAsFarAsTheyFit()
    {
        constexpr int Jobs = 20;
        WorkerParty party(2);
        JobSpec spec = JobParty::spec();
        spec.command.append(QString(65'350, u'x'));
        std::vector<ClaimedJob> jobs;
        workers::Claimer claimer(party[1], party.layout, QStringLiteral("w1"));
        for (int i = 0; i < Jobs; ++i) {
            const QueueEntry entry = *party.view(party.submit(spec)).entry;
            const workers::Claims claims = party.run(claimer.claim("default", {entry}));
            QCOMPARE(claims.jobs.size(), 1u);
            jobs.push_back(claims.jobs.front());
        }
        Reporting reporting(party, 1);
        const quint64 before = party.requests();
        for (const ClaimedJob &job : jobs)
            reporting.reporter.giveBackUnbegun(job);
        reporting.flush();
        QVERIFY(party.childrenOf(party.layout.claims()).isEmpty());
        for (const ClaimedJob &job : jobs)
            QCOMPARE(party.node(party.pathOf(job.id)).stat.version, 2);
        QVERIFY2(party.requests() - before <= 5, qPrintable(QString::number(party.requests() - before)));
    }

    void aNodeThatHasTheNameOfThePassingOneStopsNoReport()
    {
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        party.write(party.layout.returned("default"), {});
        Reporting reporting(party, 1);
        reporting.reporter.giveBackUnbegun(job);
        reporting.flush();
        QVERIFY(!party.exists(party.layout.claim(job.id)));
        QCOMPARE(JobSpec::decode(party.node(party.pathOf(job.id)).data, "default", 5).returned, 1);
        QCOMPARE(reporting.reporter.rejected(), 0);
    }

    void whatIsCancelledBeforeItBeginsEnds()
    {
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        party.run(cancel(party[0], party.layout, job.id));
        Reporting reporting(party, 1);
        reporting.reporter.giveBackUnbegun(job);
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        QCOMPARE(party.recordOf(job.id).reason, QStringLiteral("cancelled before it ran"));
        QVERIFY(party.ready().empty());
        QVERIFY(!party.exists(party.layout.claim(job.id)));
    }

    // What an earlier attempt did is not forgotten.
    void whatIsCancelledBeforeItBeginsAgainHasRun()
    {
        WorkerParty party(3);
        const ClaimedJob lost = party.claimOne(1);
        party.commit(zk::Transaction().remove(party.layout.claim(lost.id)));
        const ClaimedJob job = party.claimReady(2).jobs.at(0);
        party.run(cancel(party[0], party.layout, job.id));
        Reporting reporting(party, 2);
        reporting.reporter.giveBackUnbegun(job);
        reporting.flush();
        QCOMPARE(party.recordOf(job.id).reason, QStringLiteral("cancelled while it waited to be tried again"));
    }

    void aCancelledJobThatIsGivenBackRunsNoMore()
    {
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        party.run(cancel(party[0], party.layout, job.id));
        Reporting reporting(party, 1);
        reporting.reporter.giveBack(job);
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        QVERIFY(!party.exists(party.layout.claim(job.id)));
        QVERIFY(party.claimReady(0).jobs.empty());
        QCOMPARE(party.recordOf(job.id).state(), JobState::Cancelled);
    }
};

QTEST_GUILESS_MAIN(GiveBackTest)
#include "give_back_test.moc"
