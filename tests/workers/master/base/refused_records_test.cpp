#include "workers/master/base/archiving_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using jobs::JobId;

// Final records that the database does not take, even without their texts, on a real SQLite file.
class RefusedRecordsTest : public QObject
{
    Q_OBJECT

    static void forbid(ArchivingCluster &fake, const char *queue)
    {
        fake.execRaw(QStringLiteral("CREATE TRIGGER forbidden BEFORE INSERT ON job WHEN new.queue = '%1' BEGIN "
                                    "SELECT RAISE(ABORT, 'forbidden'); END")
                         .arg(QLatin1String(queue)));
    }

    static void finishBad(ArchivingCluster &fake, const JobId &id)
    {
        fake.write(fake.layout.done(id), FinalRecord::of(id, JobCluster::spec()).encode());
    }

private Q_SLOTS:
    void aRefusedRecordStopsNoOtherAndIsKept()
    {
        ArchivingCluster fake;
        forbid(fake, "bad");
        fake.finish(1);
        const JobId bad{"bad", 1};
        finishBad(fake, bad);
        fake.lead(1);
        fake.settle(workers::Archiver::Linger + 5s);
        fake.finish(2);
        fake.settle(workers::Archiver::Linger + 5s);
        QCOMPARE(fake.archived(), 2);
        QCOMPARE(fake.childrenOf(fake.layout.done()), QByteArrayList{bad.bytes()});
        const jobs::ClusterStats stats = fake.stats(); // `doctor` shows it
        QCOMPARE(stats.archive->error, QString());
        QCOMPARE(stats.archive->backlog.value_or(-1), 1);
        QCOMPARE(stats.troubles.size(), 1u);
        QCOMPARE(stats.troubles[0].subject, QStringLiteral("the history's record of job bad-1"));
        QVERIFY2(stats.troubles[0].error.contains(u"forbidden"), qPrintable(stats.troubles[0].error));

        fake.execRaw(QStringLiteral("DROP TRIGGER forbidden"));
        fake.settle(15min);
        QCOMPARE(fake.archived(), 3);
        QCOMPARE(fake.left(), 0);
        QCOMPARE(fake.stats().troubles.size(), 0u);
        QCOMPARE(fake.violations, QStringList());
    }

    // The next master finds it in done/.
    void theNextMasterKeepsItToo()
    {
        ArchivingCluster fake(2);
        forbid(fake, "bad");
        const JobId bad{"bad", 1};
        finishBad(fake, bad);
        fake.lead(1);
        fake.settle(10s);
        fake.kill(1);
        fake.lead(2);
        fake.settle(2min);
        QCOMPARE(fake.childrenOf(fake.layout.done()), QByteArrayList{bad.bytes()});
        QCOMPARE(fake.stats().troubles.size(), 1u);
        fake.commit(zk::Transaction().remove(fake.layout.done(bad)));
        fake.settle(2min);
        QCOMPARE(fake.stats().troubles.size(), 0u);
    }

    // ZooKeeper does not fill up with them.
    void aDatabaseThatRefusesAllMakesClaimsPause()
    {
        ArchivingCluster fake;
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":20})");
        forbid(fake, "default");
        fake.finishAll(1, 41);
        fake.lead(1);
        fake.settle(30s);
        QCOMPARE(fake.left(), 41);
        QVERIFY(fake.exists(fake.layout.backpressure()));
        QVERIFY(fake.stats().archive->pausedSince.count() > 0);
        fake.execRaw(QStringLiteral("DROP TRIGGER forbidden"));
        fake.settle(15min);
        QVERIFY(!fake.exists(fake.layout.backpressure()));
        QCOMPARE(fake.left(), 0);
        QCOMPARE(fake.violations, QStringList());
    }
};

QTEST_GUILESS_MAIN(RefusedRecordsTest)
#include "refused_records_test.moc"
