#include "app/doctor/trust_checks.h"
#include "core/jobs/job_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace drover::test;
using namespace std::chrono_literals;
using Level = Finding::Level;

// What `drover doctor` says of certificates, and of addresses.
class TrustChecksTest : public QObject
{
    Q_OBJECT

    const trust::Issuer m_issuer = trust::Issuer::found("test", {});

    std::shared_ptr<const trust::Credentials> issue(const char *name, std::chrono::seconds notAfter) const
    {
        trust::Grant grant{.name = QString::fromLatin1(name), .roles = {trust::Role::Submit}};
        grant.notAfter = notAfter;
        return std::make_shared<const trust::Credentials>(m_issuer.issue(grant));
    }
    Findings look(JobCluster &fake, const std::shared_ptr<const trust::Credentials> &credentials,
                  const char *servers = "127.0.0.1:2181") const
    {
        Findings findings;
        fake.run(jobs::revoke(fake.cluster(), m_issuer, {})); // publishes the list unless it is there
        fake.run(checkTrust(fake.cluster(), credentials, QString::fromLatin1(servers), findings));
        return findings;
    }
    static std::chrono::seconds now(JobCluster &fake)
    {
        return std::chrono::duration_cast<std::chrono::seconds>(fake[0].loop().wallClock());
    }

private Q_SLOTS:
    void certificatesThatEndSoonAreNamed()
    {
        JobCluster fake;
        const auto own = issue("own", 0s);
        const std::vector<std::shared_ptr<const trust::Credentials>> others{
            issue("ended", now(fake) - 1s), issue("soon", now(fake) + 24h), issue("later", now(fake) + 15 * 24h),
            issue("of-old", now(fake) - 15 * 24h)};
        for (const auto &other : others)
            fake.run(jobs::publishCertificate(fake.cluster(), *other));
        const Findings findings = look(fake, own);
        QCOMPARE(findings.size(), 3);
        QCOMPARE(findings[0].what, QStringLiteral("own: submit"));
        QStringList named;
        for (const Finding &finding : findings.sliced(1)) {
            QVERIFY(finding.level == Level::Warning);
            named.append(finding.subject + u": "_qs + finding.what.left(12).trimmed());
        }
        named.sort(); // serials are random
        QCOMPARE(named[0], QStringLiteral("certificate of ended: it has ended"));
        QCOMPARE(named[1], QStringLiteral("certificate of soon: it ends in 1"));
        fake.run(jobs::revoke(fake.cluster(), m_issuer,
                              {others[0]->ownCertificate().serial, others[1]->ownCertificate().serial}));
        QCOMPARE(look(fake, own).size(), 1);
    }

    // Its holder has got another file: nothing is left to do.
    void aCertificateThatHasASuccessorIsNotNamed()
    {
        JobCluster fake;
        const auto own = issue("own", 0s);
        const auto renewed = issue("renewed", 0s);
        const auto shortly = issue("shortly", now(fake) + 48h);
        for (const auto &each : {issue("renewed", now(fake) + 24h), renewed, issue("shortly", now(fake) - 1s), shortly,
                                 issue("longer", now(fake) - 1s), issue("longer", now(fake) + 15 * 24h)})
            fake.run(jobs::publishCertificate(fake.cluster(), *each));
        const auto named = [&] {
            QStringList subjects;
            for (const Finding &finding : look(fake, own).sliced(1))
                subjects.append(finding.subject.sliced(QStringLiteral("certificate of ").size()));
            subjects.sort();
            return subjects.join(u' ');
        };
        QCOMPARE(named(), QStringLiteral("shortly shortly"));
        fake.run(jobs::revoke(fake.cluster(), m_issuer, {renewed->ownCertificate().serial}));
        QCOMPARE(named(), QStringLiteral("renewed shortly shortly"));
    }

    void aRevokedUsersOwnCertificateIsAProblem()
    {
        JobCluster fake;
        const auto own = issue("own", 0s);
        fake.run(jobs::revoke(fake.cluster(), m_issuer, {own->ownCertificate().serial}));
        const Findings findings = look(fake, own);
        QCOMPARE(findings.size(), 1);
        QVERIFY(findings[0].level == Level::Problem);
        QVERIFY(look(fake, nullptr).isEmpty());
    }

    // Without it no client knows who is revoked.
    void aMissingListIsNamed()
    {
        JobCluster fake;
        Findings findings;
        fake.run(checkTrust(fake.cluster(), issue("own", 0s), QStringLiteral("127.0.0.1:2181"), findings));
        QCOMPARE(findings.size(), 2);
        QVERIFY(findings[0].level == Level::Problem);
        QCOMPARE(findings[0].what, QStringLiteral("the revocation list is missing"));
        QVERIFY(findings[0].advice.contains(QStringLiteral("drover user rm")));
    }

    void foreignNodesAreNamed()
    {
        JobCluster fake;
        const QByteArray serial(32, 'a');
        fake.run(fake[0].ensurePath(fake.layout.certificate(serial)));
        const Findings findings = look(fake, issue("own", 0s));
        QCOMPARE(findings.size(), 2);
        QCOMPARE(findings[1].subject, QStringLiteral("certificate ") + QString::fromLatin1(serial));
    }

    void passwordsOnANetworkAreNamed()
    {
        JobCluster fake;
        const Findings findings = look(fake, issue("own", 0s), "localhost:2181,zk2:2181,[::1]:2181,10.0.0.1");
        QCOMPARE(findings.size(), 2);
        QVERIFY(findings[1].level == Level::Warning);
        QVERIFY(findings[1].what.contains(QStringLiteral("zk2:2181,10.0.0.1:2181")));
        QVERIFY(isLoopback(QStringLiteral("127.0.0.1:7117")));
        QVERIFY(!isLoopback(QStringLiteral("build-7:7117")));
        QVERIFY(!isLoopback({}));
    }
};

QTEST_APPLESS_MAIN(TrustChecksTest)
#include "trust_checks_test.moc"
