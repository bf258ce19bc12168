#include "trust/credentials.h"
#include "trust/private_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover::trust;

class CredentialsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areReadAsTheyWereWritten();
    void usersOfOlderClustersKeepTheirNames();
    void aDigestIsZooKeepers();
    void damagedOnesAreRefused();
    void filesThatOthersMayTouchAreRefused();
    void aFullDiskLeavesTheFileAsItIs();

private:
    static Credentials credentials()
    {
        const SigningKey root = SigningKey::generate();
        Credentials all{.cluster = "default",
                        .servers = QStringLiteral("zk1:2181,zk2:2181"),
                        .anchors = {Certificate::newClusterId(), {root.publicKey()}}};
        for (const Role role : AllRoles) {
            all.passwords[role] = newPassword();
            all.identities[role] = digestIdentity(roleName(role), all.passwords[role]);
        }
        Certificate certificate{.clusterId = all.anchors.clusterId,
                                .serial = Certificate::newSerial(),
                                .name = QStringLiteral("alice"),
                                .key = all.key.publicKey(),
                                .roles = {Role::Submit}};
        all.certificate = certificate.signedBy(root);
        return all;
    }
    QString path() const { return m_folder.filePath(QStringLiteral("alice.drover")); }
    static QString refusal(const QString &path)
    {
        try {
            Credentials::read(path);
        } catch (const BadCredentials &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

    QTemporaryDir m_folder;
};

void CredentialsTest::areReadAsTheyWereWritten()
{
    const Credentials written = credentials();
    written.write(path());
    struct ::stat status {
    };
    QCOMPARE(::stat(QFile::encodeName(path()).constData(), &status), 0);
    QCOMPARE(int(status.st_mode & 0777), 0600);

    const Credentials read = Credentials::read(path());
    QCOMPARE(read.encode(), written.encode());
    QCOMPARE(read.ownCertificate().name, QStringLiteral("alice"));
    QCOMPARE(read.digestSecret(Role::Submit), "submit:" + written.passwords.at(Role::Submit));
    QVERIFY(read.key.publicKey() == written.key.publicKey());
}

// Older versions called the user of a role "drover-<cluster>-<role>".
void CredentialsTest::usersOfOlderClustersKeepTheirNames()
{
    Credentials older = credentials();
    older.passwords = {{Role::Submit, "new"}};
    older.identities[Role::Submit] = digestIdentity("drover-default-submit", "new");
    older.formerPasswords = {{Role::Submit, "old"}};
    older.formerIdentities = {{Role::Submit, digestIdentity("former", "old")}};
    QCOMPARE(older.digestSecret(Role::Submit), QByteArray("drover-default-submit:new"));
    QCOMPARE(older.digestSecrets(), (QByteArrayList{"drover-default-submit:new", "former:old"}));
}

void CredentialsTest::aDigestIsZooKeepers()
{
    // As DigestAuthenticationProvider.generateDigest("super:test") of ZooKeeper's documents.
    QCOMPARE(digestIdentity("super", "test"), QByteArray("super:D/InIHSb7yEEbrWz8b9l71RjZJU="));
    QVERIFY(newPassword() != newPassword());
    QCOMPARE(newPassword().size(), 32);
}

void CredentialsTest::damagedOnesAreRefused()
{
    const QByteArray whole = credentials().encode();
    QByteArray otherKey = whole;
    otherKey.replace(Credentials::decode(whole).key.toSecretText(), SigningKey::generate().toSecretText());
    QByteArray otherRoot = whole;
    otherRoot.replace(Credentials::decode(whole).anchors.roots.front().toText(),
                      SigningKey::generate().publicKey().toText());
    for (const QByteArray &bytes :
         {QByteArray(), QByteArray("{}"), whole.first(whole.size() / 2), otherKey, otherRoot}) {
        writePrivateFile(path(), bytes);
        QVERIFY2(refusal(path()).startsWith(QStringLiteral("the credentials file %1 is damaged: ").arg(path())),
                 qPrintable(refusal(path())));
    }
}

void CredentialsTest::filesThatOthersMayTouchAreRefused()
{
    const QByteArray name = QFile::encodeName(path());
    credentials().write(path());
    QVERIFY(refusal(path()).isEmpty());
    for (const mode_t mode : {0640, 0604, 0620, 0660}) {
        ::chmod(name.constData(), mode);
        QVERIFY(refusal(path()).contains(QStringLiteral("chmod 600")));
    }
    ::chmod(name.constData(), 0600);

    const QByteArray folder = QFile::encodeName(m_folder.path());
    ::chmod(folder.constData(), 0777);
    QVERIFY(refusal(path()).contains(QStringLiteral("other users may write to")));
    ::chmod(folder.constData(), 01777);
    QVERIFY(refusal(path()).isEmpty());
    ::chmod(folder.constData(), 0700);

    if (::geteuid() == 0) {
        QCOMPARE(::chown(name.constData(), 1, 1), 0);
        QVERIFY(refusal(path()).contains(QStringLiteral("belongs to another user")));
        QCOMPARE(::chown(name.constData(), 0, 0), 0);
    }
    QVERIFY(refusal(m_folder.path()).contains(QStringLiteral("is not a regular file of at most a megabyte")));
    QVERIFY(refusal(path() + QStringLiteral(".not")).contains(QStringLiteral("No such file")));
}

void CredentialsTest::aFullDiskLeavesTheFileAsItIs()
{
    const QString path = m_folder.filePath(QStringLiteral("kept"));
    const Credentials before = credentials();
    before.write(path);
    // A file may not grow beyond a few bytes, which fails as a full disk does.
    struct ::rlimit usual {
    };
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &usual), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const struct ::rlimit full {
        16, usual.rlim_max
    };
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &full), 0);
    QByteArray complaint;
    try {
        credentials().write(path);
    } catch (const BadCredentials &error) {
        complaint = error.what();
    }
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &usual), 0);
    std::signal(SIGXFSZ, handler);
    QVERIFY2(complaint.contains("kept cannot be written"), complaint);
    QCOMPARE(Credentials::read(path).encode(), before.encode());
    QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("kept*")}, QDir::Files).size(), 1);
}

QTEST_APPLESS_MAIN(CredentialsTest)
#include "credentials_test.moc"
