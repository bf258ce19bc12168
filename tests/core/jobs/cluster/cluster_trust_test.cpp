#include "core/jobs/job_cluster.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/root_rotation.h"
#include "recipes/blocks/persistent.h"
#include "support/co_check.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using trust::Issuer;

class ClusterTrustTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void certificatesAreFoundBySerial();
    void foreignCertificatesAreRefused();
    void namesThatAreNoSerialsReachNoPath();
    void revocationsAddUp();
    void revocationsAreMadeOnceWhateverIsLost();
    void aRolledBackListIsRefused();
    void aRevokedCertificateStaysRevoked_data();
    void aRevokedCertificateStaysRevoked();

private:
    trust::Credentials alice() const
    {
        return m_issuer.issue({.name = QStringLiteral("alice"), .roles = {trust::Role::Submit}});
    }
    trust::TrustStore store() const { return trust::TrustStore(m_issuer.anchors()); }

    template <typename Call>
    static QString refusal(Call call)
    {
        try {
            call();
        } catch (const trust::Untrusted &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

    const Issuer m_issuer = Issuer::found("test", {});
};

void ClusterTrustTest::certificatesAreFoundBySerial()
{
    JobCluster fake;
    const trust::Credentials alice = this->alice();
    const QByteArray serial = alice.ownCertificate().serial;
    trust::TrustStore known = store();
    QCOMPARE(refusal([&] { (void)fake.run(certificateOf(fake.cluster(), known, serial)); }),
             QStringLiteral("there is no certificate %1").arg(QString::fromLatin1(serial)));
    QVERIFY(fake.run(readCertificates(fake.cluster(), known)).empty());

    fake.run(publishCertificate(fake.cluster(), alice));
    fake.run(publishCertificate(fake.cluster(), alice)); // again, as after a lost reply
    const trust::Certificate found = fake.run(certificateOf(fake.cluster(), known, serial));
    QCOMPARE(found.name, QStringLiteral("alice"));
    QVERIFY(known.find(serial) != nullptr);
    const auto list = fake.run(readCertificates(fake.cluster(), known));
    QCOMPARE(list.size(), 1U);
    QCOMPARE(list[0].certificate->name, QStringLiteral("alice"));
}

void ClusterTrustTest::foreignCertificatesAreRefused()
{
    JobCluster fake;
    const trust::Credentials alice = this->alice();
    const trust::Credentials bob = this->alice();
    fake.run(publishCertificate(fake.cluster(), alice));
    const zk::Path path = fake.layout.certificate(alice.ownCertificate().serial);
    const QByteArray serial = alice.ownCertificate().serial;

    (void)fake.run(recipes::Persistent(fake[0]).set(path, bob.certificate));
    trust::TrustStore known = store();
    QVERIFY(refusal([&] {
                (void)fake.run(certificateOf(fake.cluster(), known, serial));
            }).startsWith(QStringLiteral("another certificate is in the place of ")));
    QVERIFY(refusal([&] {
                fake.run(publishCertificate(fake.cluster(), alice));
            }).startsWith(QStringLiteral("another certificate is at ")));

    (void)fake.run(recipes::Persistent(fake[0]).set(
        path, Issuer::found("test", {}).issue({.name = QStringLiteral("eve")}).certificate));
    QCOMPARE(refusal([&] { (void)fake.run(certificateOf(fake.cluster(), known, serial)); }),
             QStringLiteral("the certificate is not signed by the cluster's root key"));
    const auto list = fake.run(readCertificates(fake.cluster(), known));
    QCOMPARE(list.size(), 1U);
    QVERIFY(!list[0].certificate);
    QCOMPARE(list[0].untrusted, QStringLiteral("the certificate is not signed by the cluster's root key"));
}

void ClusterTrustTest::namesThatAreNoSerialsReachNoPath()
{
    JobCluster fake;
    trust::TrustStore known = store();
    for (const QByteArray &bad : {QByteArray(), QByteArray("../config"), QByteArray("a/b"), QByteArray(33, 'a')})
        QCOMPARE(refusal([&] { fake.run(certificateOf(fake.cluster(), known, bad)); }),
                 QStringLiteral("malformed serial of a certificate"));
    fake.run(fake[0].ensurePath(fake.layout.certificates() / "not-a-serial"));
    QVERIFY(fake.run(readCertificates(fake.cluster(), known)).empty());
}

void ClusterTrustTest::revocationsAddUp()
{
    JobCluster fake(2);
    QCOMPARE(fake.run(revoke(fake.cluster(), m_issuer, {"aa"})).number, 1);
    QCOMPARE(fake.run(revoke(fake.cluster(), m_issuer, {"aa"})).number, 1);
    async::TaskGroup both;
    const auto revokeOne = [&](int who, const char *serial) -> async::Task<void> {
        const std::set<QByteArray> serials{serial};
        const trust::Revocations made = co_await revoke(fake.cluster(who), m_issuer, serials);
        CO_VERIFY(made.serials.contains(serial));
    };
    both.spawn(revokeOne(0, "bb"));
    both.spawn(revokeOne(1, "cc"));
    fake.settle();
    trust::TrustStore known = store();
    fake.run(readRevocations(fake.cluster(), known));
    QCOMPARE(known.revocations().number, 3);
    QCOMPARE(known.revocations().serials, (std::set<QByteArray>{"aa", "bb", "cc"}));
}

void ClusterTrustTest::revocationsAreMadeOnceWhateverIsLost()
{
    for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply}) {
        quint64 bitten = 0;
        for (quint64 step = 1; step <= 4; ++step) {
            FaultPlan plan;
            plan.scripted[step] = fault;
            FaultInjector faults(plan);
            JobCluster fake(2, {.faults = &faults});
            fake.run(revoke(fake.cluster(0), m_issuer, {"aa"}));
            const trust::Revocations made = fake.run(revoke(fake.cluster(1), m_issuer, {"bb"}));
            QCOMPARE(made.number, 2);
            QCOMPARE(made.serials, (std::set<QByteArray>{"aa", "bb"}));
            bitten += faults.log().count(fault);
        }
        QVERIFY(bitten > 0);
    }
}

void ClusterTrustTest::aRolledBackListIsRefused()
{
    JobCluster fake;
    fake.run(revoke(fake.cluster(), m_issuer, {"aa"}));
    const QByteArray first = fake.node(fake.layout.revocations()).data;
    fake.run(revoke(fake.cluster(), m_issuer, {"bb"}));
    trust::TrustStore known = store();
    fake.run(readRevocations(fake.cluster(), known));
    (void)fake.run(recipes::Persistent(fake[0]).set(fake.layout.revocations(), first));
    QCOMPARE(refusal([&] { fake.run(readRevocations(fake.cluster(), known)); }),
             QStringLiteral("the revocation list is older than one that was seen before"));
    QCOMPARE(known.revocations().number, 2);
    (void)fake.run(recipes::Persistent(fake[0]).remove(fake.layout.revocations()));
    QCOMPARE(refusal([&] { fake.run(readRevocations(fake.cluster(), known)); }),
             QStringLiteral("the revocation list is missing, but there was one"));

    trust::TrustStore fresh = store(); // a missing list is not an empty one
    QCOMPARE(refusal([&] { fake.run(readRevocations(fake.cluster(), fresh)); }),
             QStringLiteral("the revocation list is missing"));
    QVERIFY(!refusal([&] { fake.run(presentHolders(fake.cluster(), fresh)); }).isEmpty());
    (void)fake.run(recipes::Persistent(fake[0]).create(fake.layout.revocations(), "scribble"));
    QVERIFY(!refusal([&] { fake.run(revoke(fake.cluster(), m_issuer, {"cc"})); }).isEmpty());
    EarlierRevocations earlier;
    earlier.replacesForeign = true;
    earlier.leastNumber = 70;
    QCOMPARE(fake.run(revoke(fake.cluster(), m_issuer, {"cc"}, {}, earlier)).number, 71);
}

// Deleted, rolled back, made anew by an administrator who kept nothing: who keeps a list brings back all that it names.
void ClusterTrustTest::aRevokedCertificateStaysRevoked_data()
{
    QTest::addColumn<QByteArray>("published");
    const auto row = [this](const char *name, const trust::Revocations &list) {
        QTest::newRow(name) << m_issuer.sign(list);
    };
    QTest::newRow("deleted") << QByteArray();
    row("rolled back", {3, {"aa"}});
    row("made anew", {1, {"zz"}});
    row("made anew with the same number", {5, {"zz"}});
    row("made anew with a greater number", {9, {"zz"}});
}
void ClusterTrustTest::aRevokedCertificateStaysRevoked()
{
    QFETCH(QByteArray, published);
    JobCluster fake;
    if (!published.isEmpty())
        fake.write(fake.layout.revocations(), published);
    const EarlierRevocations earlier{{m_issuer.sign({5, {"aa", "bb"}}), m_issuer.sign({4, {"cc"}})}};
    const trust::Revocations made = fake.run(revoke(fake.cluster(), m_issuer, {}, {}, earlier));
    QVERIFY(made.number > 5);
    for (const char *serial : {"aa", "bb", "cc"})
        QVERIFY(made.serials.contains(serial));
    QCOMPARE(made.serials.contains("zz"), published.contains("zz"));
    QCOMPARE(fake.node(fake.layout.revocations()).data, m_issuer.sign(made));
    QCOMPARE(fake.run(revoke(fake.cluster(), m_issuer, {}, {}, earlier)).number, made.number); // once
}

QTEST_APPLESS_MAIN(ClusterTrustTest)
#include "cluster_trust_test.moc"
