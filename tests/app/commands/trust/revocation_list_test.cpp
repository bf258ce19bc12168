#include "app/support/access_of.h"
#include "app/support/key_machines.h"
#include "async/qt_loop.h"
#include "support/await.h"
#include "trust/revocations.h"
#include "zk/client/session.h"

#include <QJsonArray>

#include <sys/stat.h>

using namespace drover;
using namespace drover::test;

// The revocation list disappears from ZooKeeper. No person who was revoked comes back, on a real server with a real
// worker.
class RevocationListTest : public KeyMachines
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void itIsKeptBesideTheRootKey();
    void aRestartedWorkerRemembersTheRevokedUsers();
    void withoutItNoKeyIsReplaced();
    void itIsPublishedAgain();
    void itIsMadeAnewFromNothing();

private:
    QString kept() const { return m_admin.directory() + u"/root.key.revocations"_qs; }
    QString stateOf(const QString &name) const
    {
        for (const QJsonValue one : json(run(m_admin, u"user ls -o json"_qs))[u"users"].toArray()) {
            if (one[u"name"] == name)
                return one[u"state"].toString();
        }
        return {};
    }
    // With the passwords of an administrator, and without the root key.
    trust::Revocations published() const
    {
        const zk::Answer<zk::Node> node = await(get());
        return node.ok() ? trust::Revocations::decode(trust::SignedText::fromLine(node->data).text)
                         : trust::Revocations();
    }
    async::Task<zk::Answer<zk::Node>> get() const
    {
        const zk::Answer<zk::Node> node = co_await m_session->get(m_list);
        co_return node;
    }
    async::Task<void> removeList() const
    {
        const zk::Answer<zk::Nothing> removed = co_await m_session->remove(m_list);
        removed.require();
    }

    const zk::Path m_list = jobs::Layout("default").revocations();
    async::QtLoop m_loop;
    std::unique_ptr<zk::Session> m_session;
    QByteArray m_first; // held jobs of alice
    QByteArray m_second;
};

void RevocationListTest::initTestCase()
{
    found();
    m_first = output(m_alice, u"submit --hold -- true"_qs);
    m_second = output(m_alice, u"submit --hold -- true"_qs);
    QCOMPARE(run(m_alice, u"cron add hers @yearly -- true"_qs).exitCode, 0);
    QVERIFY(!run(m_admin, u"doctor"_qs).out.contains("workers refuse each of its jobs"));
    zk::SessionOptions options;
    options.servers = m_server.connectString();
    options.access = accessOf(read(m_admin));
    m_session = std::make_unique<zk::Session>(m_loop, options);
    m_session->open();
    await(m_session->connected());
    const std::unique_ptr<QProcess> worker = startWorker("one");
    QCOMPARE(endOf(m_bob, output(m_bob, u"submit -- true"_qs)), QByteArray("good"));
    QCOMPARE(output(m_admin, u"user rm alice"_qs), QByteArray("alice is revoked: workers refuse what alice signs"));
    QCOMPARE(stateOf(u"alice"_qs), u"revoked"_qs);
    const QByteArray doctor = run(m_admin, u"doctor"_qs).out;
    QVERIFY2(doctor.contains("schedule hers")
                 && doctor.contains("workers refuse each of its jobs: the certificate of alice is revoked"),
             doctor);
    const QString spooled = QString::fromUtf8(output(m_admin, u"worker show one -o json"_qs));
    const QString spool = QJsonDocument::fromJson(spooled.toUtf8()).object()[u"spool"].toString();
    QFile list(spool + u"/revocations"_qs);
    const QByteArray serial =
        trust::Credentials::read(m_admin.directory() + u"/alice.drover"_qs).ownCertificate().serial;
    const auto hasAlice = [&] { return list.open(QIODevice::ReadOnly) && list.readAll().contains(serial); };
    QVERIFY2(QTest::qWaitFor(
                 [&] {
                     list.close();
                     return hasAlice();
                 },
                 60'000),
             qPrintable(spool));
    worker->terminate();
    DroverProgram::finish(*worker);
}

void RevocationListTest::itIsKeptBesideTheRootKey()
{
    struct ::stat status {
    };
    QCOMPARE(::stat(QFile::encodeName(kept()).constData(), &status), 0);
    QCOMPARE(int(status.st_mode & 07777), 0600);
    QFile file(kept());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), 1);
}

void RevocationListTest::aRestartedWorkerRemembersTheRevokedUsers()
{
    await(removeList());
    const std::unique_ptr<QProcess> worker = startWorker("one");
    QCOMPARE(run(m_admin, u"release "_qs + QString::fromLatin1(m_first)).exitCode, 0);
    QVERIFY(run(m_admin, u"wait --timeout 120s "_qs + QString::fromLatin1(m_first)).exitCode != 0);
    const QByteArray shown = run(m_admin, u"show "_qs + QString::fromLatin1(m_first)).out;
    QVERIFY2(shown.contains("the certificate of alice is revoked"), shown);
    QCOMPARE(endOf(m_bob, output(m_bob, u"submit -- true"_qs)), QByteArray("good"));
    worker->terminate();
    DroverProgram::finish(*worker);
}

// Else revoked people would get certificates, and the new passwords.
void RevocationListTest::withoutItNoKeyIsReplaced()
{
    const QByteArray before = read(m_admin).encode();
    for (const QString &line : {u"key rotate --root"_qs, u"key rotate"_qs, u"key rotate --root --finish"_qs}) {
        const Finished refused = run(m_admin, line);
        QVERIFY2(refused.exitCode == 5 || (line.endsWith(u"--finish"_qs) && refused.exitCode == 3), refused.err);
        QVERIFY2(refused.complainsOnce(), refused.err);
    }
    QVERIFY(run(m_admin, u"key rotate --root"_qs).err.contains("the revocation list is missing, but there was one"));
    QCOMPARE(read(m_admin).encode(), before);
    QVERIFY(!QFile::exists(m_admin.directory() + u"/root.key.new"_qs));
    QVERIFY(run(m_admin, u"doctor"_qs).out.contains("drover user rm"));
}

void RevocationListTest::itIsPublishedAgain()
{
    QCOMPARE(run(m_admin, u"user rm --serial 00"_qs).exitCode, 2); // a serial without a name
    const QByteArray mended = output(m_admin, u"user rm"_qs);
    QVERIFY2(mended.startsWith("the revocation list is published; it has number 3 and names 1 certificates"), mended);
    QCOMPARE(stateOf(u"alice"_qs), u"revoked"_qs);
    QCOMPARE(published().number, 3);
    QVERIFY(run(m_admin, u"events --audit"_qs).out.contains("revocations-published"));
    QVERIFY(!run(m_admin, u"doctor"_qs).out.contains("revocation list"));
    const Finished begun = run(m_admin, u"key rotate --root -o json"_qs); // it names who gets the new secrets
    QVERIFY2(begun.exitCode == 0, begun.err);
    QCOMPARE(json(begun)[u"holders"].toArray(), (QJsonArray{u"admin"_qs, u"bob"_qs, u"machine"_qs}));
    QCOMPARE(run(m_admin, u"key rotate --root --abandon"_qs).exitCode, 0);
}

// An administrator whose machine has kept nothing. Workers have.
void RevocationListTest::itIsMadeAnewFromNothing()
{
    await(removeList());
    QVERIFY(QFile::remove(kept()));
    const Finished mended = run(m_admin, u"user rm"_qs);
    QVERIFY2(mended.exitCode == 0 && mended.err.contains("who was revoked before is to be revoked again"), mended.err);
    QVERIFY(published().number > 1'000'000'000);
    const std::unique_ptr<QProcess> worker = startWorker("one");
    QCOMPARE(run(m_admin, u"release "_qs + QString::fromLatin1(m_second)).exitCode, 0);
    QVERIFY(run(m_admin, u"wait --timeout 120s "_qs + QString::fromLatin1(m_second)).exitCode != 0);
    const QByteArray shown = run(m_admin, u"show "_qs + QString::fromLatin1(m_second)).out;
    QVERIFY2(shown.contains("the certificate of alice is revoked"), shown);
    worker->terminate();
    DroverProgram::finish(*worker);
    const Finished again = run(m_admin, u"user rm alice"_qs);
    QVERIFY2(again.exitCode == 0, again.err);
    QCOMPARE(stateOf(u"alice"_qs), u"revoked"_qs);
}

QTEST_GUILESS_MAIN(RevocationListTest)
#include "revocation_list_test.moc"
