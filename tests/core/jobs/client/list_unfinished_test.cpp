#include "core/jobs/job_cluster.h"
#include "jobs/client/list_unfinished.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

// What commands and console list before they choose jobs by filters.
class ListUnfinishedTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void statesFollowFromNamesAndClaims()
    {
        JobCluster fake;
        const JobId runs = fake.submit();
        const JobId waits = fake.submit();
        const JobId ready = fake.submit();
        JobSpec later = JobCluster::spec();
        later.notes.heldBy = QStringLiteral("me@here");
        const JobId held = fake.submit(later);
        fake.claim(runs, 0);
        fake.claim(waits, 0, QStringLiteral("lock db"));
        fake.write(fake.layout.queue("default") / "foreign", "else");
        std::vector<ListedJob> listed = fake.run(listUnfinished(fake.cluster(), {"default", "missing"}));
        QCOMPARE(listed.size(), 4u);
        const std::vector<JobId> order{runs, waits, ready, held};
        for (std::size_t i = 0; i < order.size(); ++i)
            QCOMPARE(listed[i].id, order[i]);
        QCOMPARE(listed[1].state, JobState::Running); // its claim has not been read
        QCOMPARE(listed[2].state, JobState::Ready);
        QCOMPARE(listed[3].state, JobState::Held);
        QVERIFY(listed[0].claimed && listed[1].claimed && !listed[2].claimed && !listed[3].claimed);

        fake.run(readClaimsOf(fake.cluster(), listed));
        QCOMPARE(listed[0].state, JobState::Running);
        QCOMPARE(listed[1].state, JobState::Waiting);
        QCOMPARE(listed[1].claim->waits, QStringLiteral("lock db"));
        QVERIFY(!listed[2].claim);
    }

    // In the turn in which a job moves, its queue may show it twice.
    void aJobIsListedOnce()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.write(fake.layout.queue("default") / QueueEntry{QueueEntry::Class::Held, 5, id.number}.name(), "{}");
        QCOMPARE(fake.run(listUnfinished(fake.cluster(), {"default"})).size(), 1u);
    }

    void anUnreadableClaimLeavesItsJobRunning()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.write(fake.layout.claims() / id.bytes(), "nonsense");
        std::vector<ListedJob> listed = fake.run(listUnfinished(fake.cluster(), {"default"}));
        fake.run(readClaimsOf(fake.cluster(), listed));
        QCOMPARE(listed[0].state, JobState::Running);
        QVERIFY(!listed[0].claim);
    }
};

QTEST_GUILESS_MAIN(ListUnfinishedTest)
#include "list_unfinished_test.moc"
