#include "trust/issuer.h"
#include "trust/renewal.h"

#include <QTest>

using namespace drover::trust;

// How the holders of credentials follow a change of the root key and the passwords.
class RenewalTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyTheHolderOpensWhatIsSealed();
    void takesBothStepsOneAfterTheOther();
    void takesBothStepsAtOnceAfterAnAbsence();
    void anAbandonedChangeLeavesWhatWasBefore();
    void aStrangersLineIsRefused();
    void anotherHoldersLineIsRefused();
    void aLineOfTheSameStepIsReplaced();

private:
    static RootKey copyOf(const RootKey &root)
    {
        return {root.cluster, root.clusterId, SigningKey::parse(root.key.toSecretText()).value()};
    }

    // A cluster whose administrator has a new root key, and alice, who does not know it yet.
    struct Change {
        Issuer founder = Issuer::found("lab", QStringLiteral("zk1:2181"));
        RootKey next{.cluster = "lab", .clusterId = founder.root().clusterId};
        Credentials admin = founder.issue({.name = QStringLiteral("admin"), .roles = {Role::Admin}});
        Credentials alice = founder.issue({.name = QStringLiteral("alice"), .roles = {Role::Submit}});
        QByteArray oldPassword = alice.passwords.at(Role::Submit);

        QByteArray begin()
        {
            addNewSecrets(admin, next.key.publicKey());
            return Issuer(copyOf(founder.root()), admin).renewalFor(alice.ownCertificate(), admin.renewal);
        }
        QByteArray end()
        {
            dropFormerSecrets(admin, next.key);
            return Issuer(copyOf(next), admin).renewalFor(alice.ownCertificate(), admin.renewal);
        }
    };

    static QByteArray refusal(Credentials &mine, const QByteArray &node)
    {
        const QByteArray before = mine.encode();
        try {
            takeRenewals(mine, node);
        } catch (const Untrusted &error) {
            return mine.encode() == before ? QByteArray(error.what()) : QByteArray("changed");
        }
        return {};
    }
};

void RenewalTest::onlyTheHolderOpensWhatIsSealed()
{
    const SigningKey alice = SigningKey::generate();
    const QByteArray sealed = alice.publicKey().seal("secret");
    QVERIFY(!sealed.contains("secret"));
    QCOMPARE(alice.open(sealed), QByteArray("secret"));
    QVERIFY(!SigningKey::generate().open(sealed));
    QVERIFY(!alice.open(sealed.chopped(1)));
    QVERIFY(!alice.open({}));
    QVERIFY(PublicKey().seal("secret").isEmpty());
}

void RenewalTest::takesBothStepsOneAfterTheOther()
{
    Change change;
    Credentials &alice = change.alice;
    const QByteArray serial = alice.ownCertificate().serial;
    const QByteArray first = change.begin();
    QVERIFY(takeRenewals(alice, first));
    QVERIFY(!takeRenewals(alice, first));
    alice = Credentials::decode(alice.encode());
    QCOMPARE(alice.anchors.roots.size(), 2U);
    QCOMPARE(alice.formerPasswords.at(Role::Submit), change.oldPassword);
    QCOMPARE(alice.passwords, (Passwords{{Role::Submit, change.admin.passwords.at(Role::Submit)}}));
    QCOMPARE(alice.digestSecrets().size(), 2);

    QVERIFY(takeRenewals(alice, withLine(first, change.end())));
    alice = Credentials::decode(alice.encode());
    QCOMPARE(alice.anchors.roots, (std::vector<PublicKey>{change.next.key.publicKey()}));
    QVERIFY(alice.formerPasswords.empty() && alice.formerIdentities.empty());
    QVERIFY(alice.identities == change.admin.identities);
    QCOMPARE(alice.ownCertificate().serial, serial);
    QVERIFY(refusal(alice, first).contains("not signed by a root key")); // a tree that was rolled back
}

void RenewalTest::takesBothStepsAtOnceAfterAnAbsence()
{
    Change change;
    const QByteArray first = change.begin();
    const QByteArray last = change.end();
    Credentials late = change.alice.copy();
    QVERIFY(refusal(late, last).contains("not signed by a root key")); // it does not believe the new root yet
    QVERIFY(takeRenewals(late, withLine(first, last)));
    QCOMPARE(late.renewal, 2);
    QCOMPARE(late.anchors.roots, (std::vector<PublicKey>{change.next.key.publicKey()}));
}

// Whether a holder has heard of the beginning or not.
void RenewalTest::anAbandonedChangeLeavesWhatWasBefore()
{
    Change change;
    const Credentials before = change.alice.copy();
    const QByteArray first = change.begin();
    const RootKey old = copyOf(change.founder.root());
    dropNewSecrets(change.admin, old.key);
    const QByteArray last = Issuer(copyOf(old), change.admin).renewalFor(before.ownCertificate(), 2);
    Credentials between = before.copy();
    QVERIFY(takeRenewals(between, first));
    Credentials away = before.copy();
    for (Credentials *const holder : {&between, &away}) {
        QVERIFY(takeRenewals(*holder, withLine(first, last)));
        QCOMPARE(holder->anchors.roots, before.anchors.roots);
        QCOMPARE(holder->passwords, before.passwords);
        QCOMPARE(holder->identities, before.identities);
        QVERIFY(holder->formerPasswords.empty() && holder->formerIdentities.empty());
        QCOMPARE(holder->renewal, 2);
    }
    QCOMPARE(change.admin.passwords.at(Role::Submit), change.oldPassword);
}

void RenewalTest::aStrangersLineIsRefused()
{
    Change change;
    const QByteArray line = change.begin();
    RootKey stranger{.cluster = "lab", .clusterId = change.founder.root().clusterId};
    Credentials pretended = change.admin.copy();
    pretended.anchors.roots = {change.founder.root().key.publicKey(), stranger.key.publicKey()};
    const QByteArray forged = Issuer(copyOf(stranger), pretended).renewalFor(change.alice.ownCertificate(), 7);
    QVERIFY(refusal(change.alice, forged).contains("not signed by a root key"));
    QByteArray changed = line;
    changed[changed.size() - 3] = changed[changed.size() - 3] == 'x' ? 'y' : 'x';
    QVERIFY(!refusal(change.alice, changed).isEmpty());
    QVERIFY(!refusal(change.alice, "no line at all").isEmpty());
    QVERIFY(!refusal(change.alice, QByteArray(Renewal::MaxSize + 1, 'x')).isEmpty());
    QVERIFY(takeRenewals(change.alice, forged + '\n' + line)); // beside a good one it does no harm
    QCOMPARE(change.alice.renewal, 1);
}

void RenewalTest::anotherHoldersLineIsRefused()
{
    Change change;
    const QByteArray line = change.begin();
    Credentials bob = change.founder.issue({.name = QStringLiteral("bob"), .roles = {Role::Submit}});
    QVERIFY(refusal(bob, line).contains("malformed"));
}

void RenewalTest::aLineOfTheSameStepIsReplaced()
{
    Change change;
    const QByteArray first = change.begin();
    const QByteArray again =
        Issuer(copyOf(change.founder.root()), change.admin).renewalFor(change.alice.ownCertificate(), 1);
    QVERIFY(first != again); // sealed anew
    QCOMPARE(withLine(first, again), again);
    QCOMPARE(withLine({}, first), first);
    const QByteArray last = change.end();
    QCOMPARE(withLine(first, last), first + '\n' + last);
    QCOMPARE(withLine(last, first), first + '\n' + last); // by a program that is late
}

QTEST_GUILESS_MAIN(RenewalTest)
#include "renewal_test.moc"
