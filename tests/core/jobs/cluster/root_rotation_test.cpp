#include "core/jobs/job_cluster.h"
#include "jobs/cluster/root_rotation.h"
#include "jobs/model/errors.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

// The node that says which root key replaces the cluster's, and how that ends.
class RootRotationTest : public QObject
{
    Q_OBJECT

    using End = RootRotation::End;

    const RootRotation m_rotation{.newRoot = trust::SigningKey::generate().publicKey(),
                                  .formerIdentities = {{trust::Role::Submit, "drover-test-submit:old"}},
                                  .by = QStringLiteral("alice")};

    RootRotation ending(End end, qint64 lastStep = 0) const
    {
        RootRotation next = m_rotation;
        next.end = end;
        next.lastStep = lastStep;
        return next;
    }
    // Whether it is refused, and leaves the node as it is.
    template <class Task>
    static bool isRefused(JobCluster &fake, Task task)
    {
        const QByteArray before = fake.node(fake.layout.renewals()).data;
        try {
            fake.run(std::move(task));
            return false;
        } catch (const WrongState &) {
            return fake.node(fake.layout.renewals()).data == before;
        }
    }

private Q_SLOTS:
    void ofTwoEndsTheFirstHolds_data();
    void ofTwoEndsTheFirstHolds();
    void anEndedRotationIsNotEndedAgain();
};

void RootRotationTest::ofTwoEndsTheFirstHolds_data()
{
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("second");
    QTest::newRow("finished") << int(End::Finished) << int(End::Abandoned);
    QTest::newRow("abandoned") << int(End::Abandoned) << int(End::Finished);
}

void RootRotationTest::ofTwoEndsTheFirstHolds()
{
    QFETCH(int, first);
    QFETCH(int, second);
    JobCluster fake(2);
    fake.run(claimRotation(fake.cluster(), m_rotation));
    QCOMPARE(fake.run(chooseEnd(fake.cluster(), ending(End(first), 7))).lastStep, 7);
    QCOMPARE(fake.run(chooseEnd(fake.cluster(1), ending(End(first), 8))).lastStep, 7); // goes on with the same
    QVERIFY(isRefused(fake, chooseEnd(fake.cluster(1), ending(End(second)))));
    QVERIFY(isRefused(fake, claimRotation(fake.cluster(1), m_rotation))); // nor does it begin anew
    const std::optional<RootRotation> present = fake.run(presentRotation(fake.cluster()));
    QVERIFY(present && present->end == End(first) && present->lastStep == 7 && present->by == m_rotation.by);
    fake.run(releaseRotation(fake.cluster(), *present));
    QVERIFY(!fake.run(presentRotation(fake.cluster())));
}

void RootRotationTest::anEndedRotationIsNotEndedAgain()
{
    JobCluster fake;
    fake.run(claimRotation(fake.cluster(), m_rotation));
    fake.run(releaseRotation(fake.cluster(), m_rotation));
    QVERIFY(isRefused(fake, chooseEnd(fake.cluster(), ending(End::Abandoned))));
    RootRotation another = m_rotation;
    another.newRoot = trust::SigningKey::generate().publicKey();
    fake.run(claimRotation(fake.cluster(), another));
    QVERIFY(isRefused(fake, chooseEnd(fake.cluster(), ending(End::Finished))));
    QVERIFY(isRefused(fake, claimRotation(fake.cluster(), m_rotation)));
}

QTEST_GUILESS_MAIN(RootRotationTest)
#include "root_rotation_test.moc"
