#include "app/support/key_machines.h"

#include <QJsonArray>

#include <sys/stat.h>

using namespace drover;
using namespace drover::test;

// People and administrators get new keys, by the real program on a real server.
class KeyRotateTest : public KeyMachines
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { found(); }
    void aPersonAsksForANewKey();
    void requestsOfOthersAreRefused();
    void aRequestWithAnothersKeyIsOfNoUse();
    void anOldRequestForARevokedKeyIsRefused();
    void anAdministratorRotatesItsKeyAlone();
    void anInterruptedChangeIsEnded();
};

void KeyRotateTest::aPersonAsksForANewKey()
{
    const QByteArray waiting = output(m_alice, u"submit -- true"_qs); // signed with the old key
    const trust::Certificate old = read(m_alice).ownCertificate();
    const QByteArray request = output(m_alice, u"key rotate"_qs);
    QVERIFY2(!request.contains(' ') && request.size() > 100, request);
    QVERIFY(read(m_alice).ownCertificate().serial == old.serial);
    QCOMPARE(output(m_alice, u"key rotate"_qs), request); // asks for that key again
    const QByteArray signedNow = output(m_admin, u"key sign "_qs + QString::fromLatin1(request));
    QVERIFY2(signedNow.startsWith("alice has a certificate for a new key"), signedNow);
    QCOMPARE(output(m_admin, u"key sign "_qs + QString::fromLatin1(request)), signedNow);

    const QByteArray changed = output(m_alice, u"key rotate"_qs);
    QVERIFY2(changed.startsWith("alice has a new key"), changed);
    const trust::Certificate next = read(m_alice).ownCertificate();
    QVERIFY(next.serial != old.serial && next.key != old.key && next.roles == old.roles);
    QVERIFY(next.notAfter >= old.notAfter);
    struct ::stat status {
    };
    QCOMPARE(::stat(QFile::encodeName(credentialsOf(m_alice)).constData(), &status), 0);
    QCOMPARE(int(status.st_mode & 07777), 0600);
    QVERIFY(!QFile::exists(credentialsOf(m_alice) + u".next"_qs));

    const std::unique_ptr<QProcess> worker = startWorker("first");
    QCOMPARE(endOf(m_alice, waiting), QByteArray("good"));
    QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
    worker->terminate();
    DroverProgram::finish(*worker);
}

void KeyRotateTest::requestsOfOthersAreRefused()
{
    const QByteArray line = QByteArray::fromBase64(output(m_bob, u"key rotate"_qs), QByteArray::Base64UrlEncoding);
    QByteArray forged = line;
    forged.replace(read(m_bob).ownCertificate().serial, read(m_alice).ownCertificate().serial);
    QVERIFY(forged != line);
    for (const QByteArray &request : {forged, QByteArray("nothing"), QByteArray()}) {
        const Finished refused =
            m_admin.run(words("key sign") << QString::fromLatin1(request.toBase64(QByteArray::Base64UrlEncoding)));
        QCOMPARE(refused.exitCode, 5);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("the request is refused"), refused.err);
    }
    const Finished alone = run(m_bob, u"key rotate --revoke-old"_qs);
    QCOMPARE(alone.exitCode, 2);
    QVERIFY2(alone.complainsOnce(), alone.err);
}

// Who sees a request can ask for a certificate of that key first, in their own name. Its holder does not take that one.
void KeyRotateTest::aRequestWithAnothersKeyIsOfNoUse()
{
    const QByteArray request = output(m_alice, u"key rotate"_qs);
    const trust::SignedText seen =
        trust::SignedText::fromLine(QByteArray::fromBase64(request, QByteArray::Base64UrlEncoding));
    const trust::Credentials bob = read(m_bob);
    QByteArray text = seen.text;
    text.replace(read(m_alice).ownCertificate().serial, bob.ownCertificate().serial);
    const QByteArray his =
        trust::SignedText::sign(bob.key, trust::Purpose::KeyRequest, bob.anchors.clusterId, text).toLine();
    const QByteArray signedFirst =
        output(m_admin, u"key sign "_qs + QString::fromLatin1(his.toBase64(QByteArray::Base64UrlEncoding)));
    QVERIFY2(signedFirst.startsWith("bob has a certificate"), signedFirst);
    QCOMPARE(output(m_alice, u"key rotate"_qs), request); // hers is not signed yet

    const QByteArray signedNext = output(m_admin, u"key sign "_qs + QString::fromLatin1(request));
    QVERIFY2(signedNext.startsWith("alice has a certificate"), signedNext);
    const QByteArray changed = output(m_alice, u"key rotate"_qs);
    QVERIFY2(changed.startsWith("alice has a new key"), changed);
    QCOMPARE(read(m_alice).ownCertificate().name, u"alice"_qs);
}

// The key was stolen before its holder has used it.
void KeyRotateTest::anOldRequestForARevokedKeyIsRefused()
{
    const QString request = QString::fromLatin1(output(m_bob, u"key rotate"_qs));
    const QString serial = json(run(m_admin, u"key sign -o json "_qs + request))[u"serial"].toString();
    QCOMPARE(run(m_admin, u"user rm bob --serial "_qs + serial).exitCode, 0);
    const QByteArray users = output(m_admin, u"user ls"_qs);
    for (const QString &line : {u"key sign "_qs + request, u"key sign --revoke-old "_qs + request}) {
        const Finished refused = run(m_admin, line);
        QCOMPARE(refused.exitCode, 5);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("has been revoked"), refused.err);
    }
    QCOMPARE(output(m_admin, u"user ls"_qs), users);
    const Finished taken = run(m_bob, u"key rotate"_qs); // its holder does not take it either
    QCOMPARE(taken.exitCode, 5);
    QVERIFY2(taken.complainsOnce() && taken.err.contains("has been revoked"), taken.err);
    QCOMPARE(run(m_bob, u"submit --hold -- true"_qs).exitCode, 0); // with the present key

    const QByteArray abandoned = output(m_bob, u"key rotate --abandon"_qs);
    QVERIFY2(abandoned.contains("bob keeps the present one"), abandoned);
    QVERIFY(!QFile::exists(credentialsOf(m_bob) + u".next"_qs));
    const QByteArray another = output(m_bob, u"key rotate"_qs);
    QVERIFY2(another.size() > 100 && another != request.toLatin1(), another);
    QCOMPARE(run(m_admin, u"key sign "_qs + QString::fromLatin1(another)).exitCode, 0);
    QVERIFY(output(m_bob, u"key rotate"_qs).startsWith("bob has a new key"));
    const Finished nothing = run(m_bob, u"key rotate --abandon"_qs);
    QCOMPARE(nothing.exitCode, 4);
    QVERIFY2(nothing.complainsOnce() && nothing.err.contains("there is no new key"), nothing.err);
    QCOMPARE(run(m_bob, u"key rotate --abandon --revoke-old"_qs).exitCode, 2);
}

void KeyRotateTest::anAdministratorRotatesItsKeyAlone()
{
    const trust::Certificate old = read(m_admin).ownCertificate();
    const QByteArray changed = output(m_admin, u"key rotate --revoke-old"_qs);
    QVERIFY2(changed.startsWith("admin has a new key, without end") && changed.endsWith("revoked"), changed);
    const trust::Certificate next = read(m_admin).ownCertificate();
    QVERIFY(next.serial != old.serial && next.roles == old.roles);
    const QJsonArray users = json(run(m_admin, u"user ls -o json"_qs))[u"users"].toArray();
    int revoked = 0;
    for (const QJsonValue one : users)
        revoked +=
            one[u"serial"].toString() == QString::fromLatin1(old.serial) && one[u"state"].toString() == u"revoked" ? 1
                                                                                                                   : 0;
    QCOMPARE(revoked, 1);
    QCOMPARE(run(m_admin, u"submit --hold -- true"_qs).exitCode, 0);
}

// The program may stop after each step; what it leaves is used by the next call.
void KeyRotateTest::anInterruptedChangeIsEnded()
{
    const QString next = credentialsOf(m_bob) + u".next"_qs;
    const QByteArray request = output(m_bob, u"key rotate"_qs);
    QVERIFY(QFile::exists(next));
    QVERIFY(run(m_admin, u"key sign "_qs + QString::fromLatin1(request)).exitCode == 0);
    QFile kept(next);
    QVERIFY(kept.open(QIODevice::ReadOnly));
    const QByteArray key = kept.readAll();
    QVERIFY(output(m_bob, u"key rotate"_qs).startsWith("bob has a new key"));
    const trust::PublicKey present = read(m_bob).key.publicKey();
    QVERIFY(!QFile::exists(next));

    QFile left(next); // stopped after the credentials were written
    QVERIFY(left.open(QIODevice::WriteOnly));
    left.write(key);
    left.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    left.close();
    QVERIFY(output(m_bob, u"key rotate"_qs) != request); // asks for another key
    QVERIFY(read(m_bob).key.publicKey() == present);
    QCOMPARE(run(m_bob, u"ls"_qs).exitCode, 0);
}

QTEST_GUILESS_MAIN(KeyRotateTest)
#include "key_rotate_test.moc"
