#include "jobs/cluster/cordon.h"
#include "jobs/events/audit_log.h"
#include "workers/master/audit_sweeper.h"
#include "workers/worker_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using workers::AuditSweeper;
using namespace std::chrono_literals;

// The audit stays bounded: the oldest entries go.
class AuditSweeperTest : public QObject
{
    Q_OBJECT

    static zk::Path entry(const WorkerCluster &fake, int number)
    {
        // The order of their names is another one: each client chooses its own.
        return fake.layout.audit() / QByteArray::number((number * 7919) % 100'003);
    }

    static void fill(WorkerCluster &fake, int from, int to)
    {
        for (int first = from; first < to; first += 500) {
            zk::Transaction create;
            for (int i = first; i < std::min(to, first + 500); ++i)
                create.create(entry(fake, i), QByteArray());
            fake.commit(create);
        }
    }

private Q_SLOTS:
    void theOldestEntriesGo()
    {
        WorkerCluster fake;
        fake.write(fake.layout.master() / "m", {});
        AuditSweeper sweeper(Cluster(fake[0], fake.layout));
        async::TaskGroup running([](const std::exception_ptr &) {});
        running.spawn(sweeper.run({.path = fake.layout.master() / "m"}));

        constexpr int Bound = AuditSweeper::MostEntries + AuditSweeper::Slack;
        fill(fake, 0, Bound);
        fake.settle(3min);
        QCOMPARE(fake.childrenOf(fake.layout.audit()).size(), qsizetype(Bound));

        fill(fake, Bound, Bound + 1);
        fake.settle(3min);
        QCOMPARE(fake.childrenOf(fake.layout.audit()).size(), qsizetype(AuditSweeper::MostEntries));
        // The entries of one transaction are equally old.
        QVERIFY(!fake.exists(entry(fake, 0)));
        QVERIFY(fake.exists(entry(fake, Bound)));
        QVERIFY(fake.exists(entry(fake, Bound - 1)));
        for (int i = AuditSweeper::Slack + 500; i < Bound; ++i)
            QVERIFY(fake.exists(entry(fake, i)));
    }

    // As who may create entries can make one.
    void anEntryThatCannotBeRemovedKeepsNoOther()
    {
        WorkerCluster fake;
        fake.write(fake.layout.master() / "m", {});
        AuditSweeper sweeper(Cluster(fake[0], fake.layout));
        async::TaskGroup running([](const std::exception_ptr &) {});
        running.spawn(sweeper.run({.path = fake.layout.master() / "m"}));
        fill(fake, 0, 1);
        fake.write(entry(fake, 0) / "below", {});
        fill(fake, 1, AuditSweeper::MostEntries + AuditSweeper::Slack + 1);
        fake.settle(3min);
        QVERIFY(fake.exists(entry(fake, 0)));
        QCOMPARE(fake.childrenOf(fake.layout.audit()).size(), qsizetype(AuditSweeper::MostEntries + 1));
    }

    void anIdleAuditCostsOneReadAMinute()
    {
        WorkerCluster fake;
        fake.write(fake.layout.master() / "m", {});
        fake.run(cordon(fake.cluster(), "w1", {}));
        AuditSweeper sweeper(Cluster(fake[0], fake.layout));
        async::TaskGroup running([](const std::exception_ptr &) {});
        running.spawn(sweeper.run({.path = fake.layout.master() / "m"}));
        const quint64 before = fake.requests();
        fake.settle(10min + 1s);
        QCOMPARE(fake.requests() - before, quint64(10));
        QCOMPARE(fake.run(readAudit(fake.cluster())).size(), 1u);
    }

    void aMasterThatIsDeposedRemovesNothing()
    {
        WorkerCluster fake;
        fake.write(fake.layout.master() / "m", {});
        fill(fake, 0, AuditSweeper::MostEntries + AuditSweeper::Slack + 1);
        AuditSweeper sweeper(Cluster(fake[0], fake.layout));
        async::TaskGroup running([](const std::exception_ptr &) {});
        running.spawn(sweeper.run({.path = fake.layout.master() / "m"}));
        fake.commit(zk::Transaction().remove(fake.layout.master() / "m"));
        fake.settle(3min);
        QCOMPARE(fake.childrenOf(fake.layout.audit()).size(),
                 qsizetype(AuditSweeper::MostEntries + AuditSweeper::Slack + 1));
        QVERIFY(running.empty()); // it has stopped
    }
};

QTEST_GUILESS_MAIN(AuditSweeperTest)
#include "audit_sweeper_test.moc"
