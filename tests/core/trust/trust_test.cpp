#include "trust/trust_store.h"

#include <QTest>

using namespace drover::trust;
using namespace std::chrono_literals;

// RFC 8032, section 7.1, test 2.
constexpr char RfcSeed[] = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
constexpr char RfcPublicKey[] = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
constexpr char RfcSignature[] = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                                "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

class TrustTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void signsAsTheRfcDoes();
    void aTextMeansNothingElsewhere();
    void aChangedBitIsNoticed();
    void certificatesAreReadAsTheyWereWritten();
    void malformedCertificatesAreRefused_data();
    void malformedCertificatesAreRefused();
    void onlyARootSignsCertificates();
    void datesRolesAndRevocationsCount();
    void aRolledBackRevocationListIsRefused();
    void noListBringsAnyoneBack();
    void storesAreBounded();

private:
    Certificate certificate(const SigningKey &key) const
    {
        return {.clusterId = m_cluster,
                .serial = Certificate::newSerial(),
                .name = QStringLiteral("alice"),
                .key = key.publicKey(),
                .roles = {Role::Submit},
                .queues = {"gpu"},
                .runAs = {QStringLiteral("alice")},
                .notBefore = 100s,
                .notAfter = 200s};
    }
    TrustStore store() const { return TrustStore({m_cluster, {m_root.publicKey()}}); }

    static QString refusal(const std::function<void()> &call)
    {
        try {
            call();
        } catch (const Untrusted &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

    const QByteArray m_cluster = Certificate::newClusterId();
    const SigningKey m_root = SigningKey::generate();
    const SigningKey m_alice = SigningKey::generate();
};

void TrustTest::signsAsTheRfcDoes()
{
    const std::optional<SigningKey> key = SigningKey::parse(toText(QByteArray::fromHex(RfcSeed)));
    QVERIFY(key.has_value());
    QCOMPARE(key->publicKey().toText(), toText(QByteArray::fromHex(RfcPublicKey)));
    QCOMPARE(key->sign("\x72").toHex(), QByteArray(RfcSignature));
    QCOMPARE(key->toSecretText(), toText(QByteArray::fromHex(RfcSeed)));
    QVERIFY(!SigningKey::parse("short").has_value());
    QVERIFY(!PublicKey::parse(toText(QByteArray(31, 'x'))).has_value());
    QVERIFY(!PublicKey().verifies("x", key->sign("x")));
}

void TrustTest::aTextMeansNothingElsewhere()
{
    const SignedText text = SignedText::sign(m_alice, Purpose::Job, m_cluster, "{}");
    QVERIFY(text.isSignedBy(m_alice.publicKey(), Purpose::Job, m_cluster));
    QVERIFY(!text.isSignedBy(m_alice.publicKey(), Purpose::Schedule, m_cluster));
    QVERIFY(!text.isSignedBy(m_alice.publicKey(), Purpose::Job, Certificate::newClusterId()));
    QVERIFY(!text.isSignedBy(m_root.publicKey(), Purpose::Job, m_cluster));
}

void TrustTest::aChangedBitIsNoticed()
{
    const QByteArray line = certificate(m_alice).signedBy(m_root);
    QVERIFY(refusal([&] { store().add(line); }).isEmpty());
    for (qsizetype i = 0; i < line.size(); ++i) {
        QByteArray changed = line;
        changed[i] = char(changed[i] ^ 1);
        QVERIFY2(!refusal([&] { store().add(changed); }).isEmpty(), QByteArray::number(i));
    }
    QCOMPARE(refusal([] { SignedText::fromLine("no line"); }), QStringLiteral("malformed signature"));
    QCOMPARE(refusal([] { SignedText::fromLine(""); }), QStringLiteral("malformed signature"));
}

void TrustTest::certificatesAreReadAsTheyWereWritten()
{
    const Certificate written = certificate(m_alice);
    const Certificate read = store().add(written.signedBy(m_root));
    QCOMPARE(read.encode(), written.encode());
    QCOMPARE(read.name, QStringLiteral("alice"));
    QVERIFY(read.key == m_alice.publicKey());
    QVERIFY(read.roles == Roles{Role::Submit});
    QCOMPARE(read.notBefore, 100s);
    QCOMPARE(read.notAfter, 200s);
    QVERIFY(read.maySubmitTo("gpu"));
    QVERIFY(!read.maySubmitTo("default"));
    Certificate open = written;
    open.queues.clear();
    QVERIFY(open.maySubmitTo("default"));
}

void TrustTest::malformedCertificatesAreRefused_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("version") << QByteArray("\"v\":1") << QByteArray("\"v\":2");
    QTest::newRow("role") << QByteArray("\"submit\"") << QByteArray("\"root\"");
    QTest::newRow("name") << QByteArray("\"name\":\"alice\"") << QByteArray("\"name\":\"\"");
    QTest::newRow("date") << QByteArray("\"from\":100") << QByteArray("\"from\":-1");
    QTest::newRow("date as text") << QByteArray("\"until\":200") << QByteArray("\"until\":\"200\"");
    QTest::newRow("queue") << QByteArray("[\"gpu\"]") << QByteArray("[7]");
    QTest::newRow("JSON") << QByteArray("{") << QByteArray("[");
}

void TrustTest::malformedCertificatesAreRefused()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QByteArray text = certificate(m_alice).encode();
    QVERIFY(text.contains(from));
    text.replace(from, to);
    const QByteArray line = SignedText::sign(m_root, Purpose::Certificate, m_cluster, text).toLine();
    QVERIFY(refusal([&] { store().add(line); }).startsWith(QStringLiteral("malformed certificate")));
}

void TrustTest::onlyARootSignsCertificates()
{
    TrustStore store = this->store();
    const QString notRoot = QStringLiteral("the certificate is not signed by the cluster's root key");
    Certificate admin = certificate(m_alice);
    admin.roles = {Role::Admin};
    store.add(admin.signedBy(m_root));
    QCOMPARE(refusal([&] { store.add(certificate(SigningKey::generate()).signedBy(m_alice)); }), notRoot);

    Certificate foreign = certificate(m_alice);
    foreign.clusterId = Certificate::newClusterId();
    QCOMPARE(refusal([&] { store.add(foreign.signedBy(m_root)); }), notRoot);
    const QByteArray mixed = SignedText::sign(m_root, Purpose::Certificate, m_cluster, foreign.encode()).toLine();
    QCOMPARE(refusal([&] { store.add(mixed); }), QStringLiteral("the certificate is of another cluster"));

    const SigningKey second = SigningKey::generate();
    TrustStore both({m_cluster, {m_root.publicKey(), second.publicKey()}});
    QVERIFY(refusal([&] { both.add(certificate(m_alice).signedBy(second)); }).isEmpty());
}

void TrustTest::datesRolesAndRevocationsCount()
{
    TrustStore store = this->store();
    const Certificate &alice = store.add(certificate(m_alice).signedBy(m_root));
    QCOMPARE(store.find(alice.serial), &alice);
    const auto why = [&](const Roles &oneOf, std::chrono::seconds now) {
        return refusal([&] { store.require(alice, oneOf, now); });
    };
    QVERIFY(why({Role::Submit}, 100s).isEmpty());
    QVERIFY(why({Role::Admin, Role::Submit}, 199s).isEmpty());
    QCOMPARE(why({Role::Submit}, 99s), QStringLiteral("the certificate of alice is not valid yet"));
    QCOMPARE(why({Role::Submit}, 200s), QStringLiteral("the certificate of alice has expired"));
    QCOMPARE(why({Role::Worker, Role::Admin}, 150s), QStringLiteral("alice lacks the role for it"));

    store.revoke(Revocations{1, {alice.serial}}.signedBy(m_root, m_cluster));
    QCOMPARE(why({Role::Submit}, 150s), QStringLiteral("the certificate of alice is revoked"));
}

void TrustTest::aRolledBackRevocationListIsRefused()
{
    TrustStore store = this->store();
    store.revoke(Revocations{7, {"aa"}}.signedBy(m_root, m_cluster));
    const QString old = QStringLiteral("the revocation list is older than one that was seen before");
    QCOMPARE(refusal([&] { store.revoke(Revocations{6, {}}.signedBy(m_root, m_cluster)); }), old);
    QVERIFY(refusal([&] { store.revoke(Revocations{7, {"aa"}}.signedBy(m_root, m_cluster)); }).isEmpty());
    store.requireRevocations(9);
    QCOMPARE(refusal([&] { store.revoke(Revocations{8, {}}.signedBy(m_root, m_cluster)); }), old);
    QCOMPARE(refusal([&] {
                 store.revoke(Revocations{9, {}}.signedBy(m_alice, m_cluster));
             }),
             QStringLiteral("the revocation list is not signed by the cluster's root key"));
    QCOMPARE(store.revocations().number, 7);
}

// Two administrators who did not know of each other's, or a list that was made anew.
void TrustTest::noListBringsAnyoneBack()
{
    TrustStore store = this->store();
    QVERIFY(!store.hasRevocations());
    store.revoke(Revocations{5, {"aa"}}.signedBy(m_root, m_cluster));
    QVERIFY(store.hasRevocations());
    store.revoke(Revocations{5, {"bb"}}.signedBy(m_root, m_cluster));
    store.revoke(Revocations{6, {}}.signedBy(m_root, m_cluster));
    QVERIFY_THROWS_EXCEPTION(Outdated, store.revoke(Revocations{1, {"cc"}}.signedBy(m_root, m_cluster)));
    QCOMPARE(store.revocations().serials, (std::set<QByteArray>{"aa", "bb", "cc"}));
    QCOMPARE(store.revocations().number, 6);
    TrustStore next = this->store();
    next.adoptRevocations(store);
    QVERIFY(next.hasRevocations());
    QCOMPARE(next.revocations().serials, store.revocations().serials);
    QCOMPARE(next.leastRevocations(), 6);
}

void TrustTest::storesAreBounded()
{
    TrustStore store = this->store();
    const Certificate first = store.add(certificate(m_alice).signedBy(m_root));
    for (std::size_t i = 0; i < TrustStore::MaxCertificates; ++i)
        store.add(certificate(m_alice).signedBy(m_root));
    QVERIFY(store.find(first.serial) == nullptr);
}

QTEST_APPLESS_MAIN(TrustTest)
#include "trust_test.moc"
