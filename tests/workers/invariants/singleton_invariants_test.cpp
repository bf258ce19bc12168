#include "workers/invariants/cluster_invariants.h"
#include "workers/worker_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

// That the check of singletons can fail, and that it is of the array when a task is claimed.
class SingletonInvariantsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aTaskIsJudgedByItsArray_data()
    {
        QTest::addColumn<bool>("isOld");
        QTest::addColumn<bool>("waitsForIt");
        QTest::newRow("an earlier job of its name") << true << false;
        QTest::newRow("one that waits for the array") << true << true;
        QTest::newRow("none") << false << false;
    }
    void aTaskIsJudgedByItsArray()
    {
        QFETCH(const bool, isOld);
        QFETCH(const bool, waitsForIt);
        WorkerCluster fake(1);
        ClusterInvariants invariants(fake.server, fake.layout, fake.layout.lock("l"), fake.layout.lock("g"));
        const JobId array{"default", 1};
        JobSpec spec = JobCluster::spec();
        spec.key = QStringLiteral("of the array");
        if (waitsForIt)
            spec.after = {{Dependency::Kind::Any, array}};
        const QueueEntry::Class jobClass = waitsForIt ? QueueEntry::Class::Waiting : QueueEntry::Class::Ready;
        if (isOld)
            fake.write(fake.layout.job("default", {jobClass, 5, 0}), spec.encode());
        spec.after.clear();
        spec.singleton = true;
        spec.array = ArrayIndices{1, 2, 1, 0};
        fake.write(fake.layout.job("default", {QueueEntry::Class::Array, 5, array.number}),
                   JobSpec::markReady(spec.encode()));
        // A task that was tried again has waited for a time, and was made ready as its array was.
        const JobId task{"default", array.number, 1};
        const QueueEntry entry{QueueEntry::Class::Ready, 5, task.number, task.task};
        const QByteArray stored = JobSpec::markReady(taskOf(spec.encode(), 1));
        fake.write(fake.layout.job("default", entry), stored);
        invariants.submitted(spec.key);
        Claim claim;
        claim.worker = QStringLiteral("w");
        claim.attempts = {1, 0};
        claim.entry = entry.name();
        fake.commit(zk::Transaction()
                        .set(fake.layout.job("default", entry), stored, 0)
                        .create(fake.layout.claim(task), claim.encode(), zk::CreateMode::Ephemeral));
        const QStringList violations = invariants.violations();
        if (isOld && !waitsForIt)
            QCOMPARE(violations,
                     QStringList(QStringLiteral("singleton default-1 was claimed before default-0 had "
                                                "ended")));
        else
            QCOMPARE(violations, QStringList());
    }
};

QTEST_GUILESS_MAIN(SingletonInvariantsTest)
#include "singleton_invariants_test.moc"
