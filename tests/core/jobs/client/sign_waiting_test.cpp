#include "core/jobs/job_cluster.h"
#include "jobs/client/sign_waiting.h"
#include "support/closed_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

// What waits in an open cluster is signed by the person who closes it.
class SignWaitingTest : public QObject
{
    Q_OBJECT

    ClosedCluster m_closed;
    const std::shared_ptr<const trust::Credentials> m_alice = m_closed.person(QStringLiteral("alice"));

    Cluster ofAlice(JobCluster &fake) const { return {fake[0], fake.layout, m_alice}; }
    bool isSigned(const JobCluster &fake, const JobId &id) const
    {
        return JobRecord::parse(fake.node(fake.pathOf(id)).data).certificate == m_alice->ownCertificate().serial;
    }

private Q_SLOTS:
    void onlyAgreedJobsAreSigned()
    {
        JobCluster fake;
        const JobId agreed = fake.submit();
        const UnsignedWork work = fake.run(findUnsigned(ofAlice(fake)));
        QCOMPARE(work.jobs, 1);
        JobSpec other = JobCluster::spec();
        other.comment = QStringLiteral("came since");
        const JobId late = fake.submit(other);
        const SigningResult result = fake.run(signJobs(ofAlice(fake), work));
        QCOMPARE(result.jobs, 1);
        QCOMPARE(result.leftOut, 1);
        QVERIFY(isSigned(fake, agreed));
        QVERIFY(!isSigned(fake, late));
    }

    // No worker has been there, or an operator has deleted the directory. It asked again and again, without a pause.
    void theDirectoryOfClaimsIsMissing()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        if (fake.exists(fake.layout.claims()))
            fake.commit(zk::Transaction().remove(fake.layout.claims()));
        const UnsignedWork work = fake.run(findUnsigned(ofAlice(fake)));
        QCOMPARE(fake.run(signJobs(ofAlice(fake), work)).jobs, 1);
        QVERIFY(isSigned(fake, id));
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
    }
};

QTEST_GUILESS_MAIN(SignWaitingTest)
#include "sign_waiting_test.moc"
