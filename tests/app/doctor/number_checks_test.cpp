#include "app/doctor/checks.h"
#include "core/jobs/job_cluster.h"
#include "jobs/cluster/limits.h"
#include "jobs/cluster/numbers.h"

#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace drover::test;
using Level = Finding::Level;

// What `drover doctor` says of sequence numbers that come to their end.
class NumberChecksTest : public QObject
{
    Q_OBJECT

    static Findings look(JobCluster &fake)
    {
        Findings findings;
        fake.run(findUsedUpNumbers(fake.cluster(), {"default"}, findings));
        return findings;
    }

private Q_SLOTS:
    void aQueueIsReportedInTime()
    {
        JobCluster fake;
        const zk::Path queue = fake.layout.queue("default");
        fake.submit();
        QVERIFY(look(fake).isEmpty());
        fake.server.tree().setNextSequence(queue, jobs::NumbersNearlyUsedUp - 1);
        QVERIFY(look(fake).isEmpty());
        fake.server.tree().setNextSequence(queue, jobs::NumbersNearlyUsedUp);
        const Findings nearly = look(fake);
        QCOMPARE(nearly.size(), 1);
        QCOMPARE(nearly.front().level, Level::Warning);
        QCOMPARE(nearly.front().subject, QStringLiteral("queue default"));
        QCOMPARE(nearly.front().what,
                 QStringLiteral("has given out 1,932,735,276 of its 2,147,483,647 numbers; without them submits are "
                                "refused"));
        QCOMPARE(nearly.front().advice, QStringLiteral("submit to another queue"));
        fake.server.tree().setNextSequence(queue, zk::LastSequence);
        QCOMPARE(look(fake).value(0).level, Level::Problem);
    }

    void limitsAndLocksAreReported()
    {
        JobCluster fake;
        const jobs::Cluster cluster = fake.cluster();
        for (const QByteArray &limit : {QByteArray("db"), jobs::Layout::limitOfQueue("default")}) {
            fake.run(jobs::setLimit(cluster, limit, 2));
            const zk::Path leases = cluster.layout.limit(limit) / "leases";
            fake.run(fake[0].ensurePath(leases));
            fake.server.tree().setNextSequence(leases, zk::LastSequence);
        }
        fake.run(fake[0].ensurePath(cluster.layout.lock("backup")));
        fake.server.tree().setNextSequence(cluster.layout.lock("backup"), zk::LastSequence);
        const Findings found = look(fake);
        QStringList subjects;
        for (const Finding &finding : found) {
            subjects.append(finding.subject);
            QCOMPARE(finding.level, Level::Problem);
            QVERIFY2(finding.what.startsWith(u"has given out all its numbers: "), qPrintable(finding.what));
        }
        QCOMPARE(subjects.join(u", "), QStringLiteral("limit of queue default, limit db, lock backup"));
        QVERIFY2(found.at(1).advice.contains(u"drover limit set db none"), qPrintable(found.at(1).advice));
    }
};

QTEST_GUILESS_MAIN(NumberChecksTest)
#include "number_checks_test.moc"
