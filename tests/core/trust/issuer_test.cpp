#include "trust/issuer.h"
#include "trust/private_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace drover::trust;
using namespace std::chrono_literals;

class IssuerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void foundsACluster();
    void onlyAdministratorsHoldAllPasswords();
    void issuesAgainFromItsFiles();
    void refusesAnotherClustersRoot();
    void refusesDamagedRootKeys();
    void refusesHostileNames();

private:
    static Grant grant(Roles roles) { return {.name = QStringLiteral("alice"), .roles = std::move(roles)}; }
    static QString refusal(const std::function<void()> &call)
    {
        try {
            call();
        } catch (const BadCredentials &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }
    QString path() const { return m_folder.filePath(QStringLiteral("root.key")); }

    QTemporaryDir m_folder;
};

void IssuerTest::foundsACluster()
{
    const Issuer issuer = Issuer::found("lab", QStringLiteral("zk1:2181"));
    Grant wanted = grant({Role::Submit, Role::Viewer});
    wanted.queues = {"gpu"};
    wanted.runAs = {QStringLiteral("alice")};
    wanted.notBefore = 100s;
    wanted.notAfter = 200s;
    const Credentials credentials = Credentials::decode(issuer.issue(wanted).encode());
    QCOMPARE(credentials.cluster, QByteArray("lab"));
    QCOMPARE(credentials.servers, QStringLiteral("zk1:2181"));
    QCOMPARE(credentials.identities, issuer.identities());
    QCOMPARE(credentials.identities.size(), AllRoles.size());

    const Certificate certificate = credentials.ownCertificate();
    QCOMPARE(certificate.name, QStringLiteral("alice"));
    QVERIFY(certificate.roles == wanted.roles);
    QCOMPARE(certificate.queues, wanted.queues);
    QCOMPARE(certificate.runAs, wanted.runAs);
    QCOMPARE(certificate.notBefore, 100s);
    QCOMPARE(certificate.notAfter, 200s);
    QVERIFY(issuer.issue(wanted).ownCertificate().serial != certificate.serial);
    QVERIFY(!(issuer.issue(wanted).key.publicKey() == credentials.key.publicKey()));
}

void IssuerTest::onlyAdministratorsHoldAllPasswords()
{
    const Issuer issuer = Issuer::found("lab", {});
    const Credentials submitter = issuer.issue(grant({Role::Submit}));
    QCOMPARE(submitter.passwords.size(), 1U);
    QCOMPARE(digestIdentity("submit", submitter.passwords.at(Role::Submit)), issuer.identities().at(Role::Submit));
    QCOMPARE(issuer.issue(grant({Role::Admin})).passwords.size(), AllRoles.size());

    const RootKey again = RootKey::decode(issuer.root().encode());
    const Issuer without(RootKey::decode(again.encode()), submitter);
    QVERIFY(refusal([&] { without.issue(grant({Role::Submit})); }).isEmpty());
    QCOMPARE(refusal([&] { without.issue(grant({Role::Worker})); }),
             QStringLiteral("these credentials do not hold the password of the role worker; use those of an "
                            "administrator"));
}

void IssuerTest::issuesAgainFromItsFiles()
{
    const Issuer first = Issuer::found("lab", QStringLiteral("zk1:2181"));
    first.root().write(path());
    struct ::stat status {
    };
    QCOMPARE(::stat(QFile::encodeName(path()).constData(), &status), 0);
    QCOMPARE(int(status.st_mode & 0777), 0600);

    const Issuer second(RootKey::read(path()), first.issue(grant({Role::Admin})));
    const Credentials worker = second.issue(grant({Role::Worker}));
    QCOMPARE(worker.identities, first.identities());
    TrustStore store({first.root().clusterId, {first.root().key.publicKey()}});
    store.add(worker.certificate);
    store.revoke(second.sign(Revocations{1, {worker.ownCertificate().serial}}));
    QCOMPARE(store.revocations().number, 1);

    ::chmod(QFile::encodeName(path()).constData(), 0640);
    QVERIFY(refusal([&] { RootKey::read(path()); }).contains(QStringLiteral("chmod 600")));
}

void IssuerTest::refusesAnotherClustersRoot()
{
    const Issuer ours = Issuer::found("lab", {});
    const Issuer theirs = Issuer::found("lab2", {});
    QCOMPARE(
        refusal([&] { const Issuer mixed(RootKey::decode(theirs.root().encode()), ours.issue(grant({Role::Admin}))); }),
        QStringLiteral("the root key is not that of these credentials: it is of the cluster \"lab2\", they are "
                       "of \"lab\""));
}

void IssuerTest::refusesDamagedRootKeys()
{
    const QByteArray whole = Issuer::found("lab", {}).root().encode();
    QByteArray otherVersion = whole;
    otherVersion.replace("\"v\": 1", "\"v\": 2");
    QVERIFY(otherVersion != whole);
    for (const QByteArray &bytes : {QByteArray(), QByteArray("{}"), whole.first(whole.size() / 2), otherVersion}) {
        writePrivateFile(path(), bytes);
        const QString why = refusal([&] { RootKey::read(path()); });
        QVERIFY2(why.startsWith(QStringLiteral("the root key file %1 is damaged: ").arg(path())), qPrintable(why));
    }
}

void IssuerTest::refusesHostileNames()
{
    for (const char *good : {"alice", "build-7.example.org", "a@b", "7"})
        QVERIFY(isHolderName(QString::fromUtf8(good)));
    for (const char *bad : {"", "../alice", ".alice", "-rf", "a b", "a\nb", "a/b", "\033[31m", "\u00e9", "\u0663"})
        QVERIFY2(!isHolderName(QString::fromUtf8(bad)), bad);
    QVERIFY(!isHolderName(QString(65, u'a')));
    const Issuer issuer = Issuer::found("lab", {});
    QVERIFY(!refusal([&] { issuer.issue({.name = QStringLiteral("../alice")}); }).isEmpty());
}

QTEST_APPLESS_MAIN(IssuerTest)
#include "issuer_test.moc"
