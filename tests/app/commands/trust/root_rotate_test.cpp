#include "app/support/access_of.h"
#include "app/support/key_machines.h"
#include "async/qt_loop.h"
#include "recipes/blocks/persistent.h"
#include "support/send_signal.h"
#include "support/session_fixture.h"
#include "zk/client/session.h"

#include <QJsonArray>

#include <csignal>

using namespace drover;
using namespace drover::test;

// The root key is replaced while jobs run: by the real program, with workers, on a real server.
class RootRotateTest : public KeyMachines
{
    Q_OBJECT

    DroverProgram m_away; // a machine that is not there while keys are replaced

    bool works(const QString &id) const
    {
        return QTest::qWaitFor([&] { return output(m_admin, u"worker ls"_qs).contains(id.toUtf8() + ' '); }, 60'000);
    }
    static QByteArray contents(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    // Unless it ends before.
    void killWhen(const QString &line, const std::function<bool()> &isTime) const
    {
        const std::unique_ptr<QProcess> process = m_admin.start(words(line));
        QVERIFY(QTest::qWaitFor([&] { return process->state() == QProcess::NotRunning || isTime(); }, 60'000));
        process->kill();
        DroverProgram::finish(*process);
    }
    // As a holder of the role submit can make one by another program: for a user of its own alone.
    void keepANode(const QString &name)
    {
        async::QtLoop loop;
        zk::SessionOptions options;
        options.servers = m_server.connectString();
        options.access.auth = accessOf(read(m_alice)).auth;
        options.access.acl = [](const zk::Path &) {
            return zk::AclList{{zk::AllPermissions, QByteArrayLiteral("digest"),
                                trust::digestIdentity(QByteArrayLiteral("eve"), QByteArrayLiteral("x"))}};
        };
        zk::Session session(loop, options);
        session.open();
        await(session.connected());
        const zk::Path path("/drover/default/" + name.toUtf8());
        QCOMPARE(await(outcome(session.create(path, QByteArray()))), zk::Code::Ok);
    }
    // Of credentials as they are while the root key is replaced.
    void newPasswordsOpenNothing(const trust::Credentials &between)
    {
        async::QtLoop loop;
        zk::SessionOptions options;
        options.servers = m_server.connectString();
        trust::Credentials onlyNew = between.copy();
        onlyNew.formerPasswords.clear();
        options.access = accessOf(onlyNew);
        zk::Session session(loop, options);
        session.open();
        await(session.connected());
        for (const char *const node :
             {"/drover/default", "/drover/default/queues/default", "/drover/default/certificates"})
            QCOMPARE(await(outcome(session.children(zk::Path(node)))), zk::Code::NoAuth);
    }

private Q_SLOTS:
    void initTestCase();
    void theRootKeyIsReplacedUnderLoad();
    void theRootKeyIsReplacedByAProgramThatIsKilled();
    void aChangeWhoseNewKeyIsLostIsAbandoned();
    void aNewKeyThatOthersCanReadIsAbandoned();
    void aBeginningThatAnAbandonmentOvertakesLeavesNothing();
    void anAbandonmentThatIsKilledIsEnded();
    void aRotationThatIsFinishingIsNotAbandoned();
    void theTreeNamesNoRootKeyToBelieve();
    void noRotationIsFinishedBeforeItBegins();
};

void RootRotateTest::initTestCase()
{
    found();
    QCOMPARE(run(m_admin, u"worker add away"_qs).exitCode, 0);
    login(m_away, u"away"_qs);
}

void RootRotateTest::theRootKeyIsReplacedUnderLoad()
{
    const trust::Credentials before = read(m_admin);
    const std::unique_ptr<QProcess> worker = startWorker("there");
    QVERIFY(works(u"there"_qs));
    const QString go = m_admin.directory() + u"/go"_qs;
    const QByteArray running =
        m_alice.run(words("submit -- sh -c") << u"until test -e %1; do sleep 0.05; done"_qs.arg(go)).out.trimmed();
    const QByteArray held = output(m_alice, u"submit --hold -- true"_qs);
    const QByteArray array = output(m_alice, u"submit --array 1-200 -- true"_qs);
    keepANode(u"audit/mine"_qs); // which an administrator may not read
    QProcess submits; // as people do
    submits.setProcessEnvironment(m_alice.environment());
    submits.setWorkingDirectory(m_alice.directory());
    submits.start(u"sh"_qs,
                  {u"-c"_qs, u"until test -e %1; do $DROVER_BIN_DIR/drover submit -- true || exit 1; done"_qs.arg(go)});

    DroverProgram second; // an administrator who is away meanwhile
    const QString mine = second.directory() + u"/mine"_qs;
    QVERIFY(QFile::copy(credentialsOf(m_admin), mine));
    QVERIFY(QFile::copy(m_admin.directory() + u"/root.key"_qs, second.directory() + u"/root.key"_qs));

    const Finished begun = run(m_admin, u"key rotate --root -o json"_qs);
    QVERIFY2(begun.exitCode == 0, begun.err);
    QCOMPARE(json(begun)[u"workers_behind"].toArray(), QJsonArray());
    QVERIFY(json(begun)[u"nodes"].toInt() > 30);
    QCOMPARE(read(m_workers).anchors.roots.size(), 2U); // the worker has written it to its file
    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0); // repeated: the same key
    QVERIFY(run(m_admin, u"doctor"_qs).out.contains("admin is replacing it"));
    const QByteArray meanwhile = output(m_alice, u"submit --hold -- true"_qs);

    // Another administrator, with the old root key, who does not know of it.
    DroverProgram other;
    for (const char *const name : {"root.key", "admin.drover"})
        QVERIFY(QFile::copy(m_admin.directory() + u'/' + QLatin1String(name),
                            other.directory() + u'/' + QLatin1String(name)));
    const Finished late = run(other, u"key rotate --root --credentials admin.drover"_qs);
    QVERIFY2(late.exitCode != 0 && late.complainsOnce(), late.err);
    QVERIFY(!QFile::exists(other.directory() + u"/root.key.new"_qs));

    const Finished ended = run(m_admin, u"key rotate --root --finish -o json"_qs);
    QVERIFY2(ended.exitCode == 0, ended.err);
    QCOMPARE(json(ended)[u"workers_behind"].toArray(), QJsonArray());
    QVERIFY(QFile(go).open(QIODevice::WriteOnly));
    QVERIFY(submits.waitForFinished(60'000));
    QVERIFY2(submits.exitCode() == 0, submits.readAllStandardError());
    const QList<QByteArray> submitted = submits.readAllStandardOutput().trimmed().split('\n');
    QVERIFY(submitted.size() > 3);
    for (const QByteArray &id : {submitted.first(), submitted.last(), running})
        QCOMPARE(endOf(m_alice, id), QByteArray("good"));
    for (const QByteArray &id : {held, meanwhile}) {
        QCOMPARE(run(m_alice, u"release "_qs + QString::fromLatin1(id)).exitCode, 0);
        QCOMPARE(endOf(m_alice, id), QByteArray("good"));
    }
    QCOMPARE(run(m_alice, u"wait --timeout 120s "_qs + QString::fromLatin1(array)).exitCode, 0);
    QVERIFY(!run(m_alice, u"ls --all --state failed"_qs).out.contains("refused"));

    QVERIFY(!run(m_admin, u"doctor"_qs).out.contains("is replacing it"));
    const trust::Credentials after = read(m_admin);
    QCOMPARE(after.anchors.roots.size(), 1U);
    QVERIFY(after.anchors.roots != before.anchors.roots && after.formerPasswords.empty());
    QVERIFY(!QFile::exists(m_admin.directory() + u"/root.key.new"_qs));
    QCOMPARE(run(m_admin, u"user add carol --role submit"_qs).exitCode, 0); // with the new root key
    for (const QString &line : {u"user add dora --role submit"_qs, u"user rm carol"_qs}) { // with the old one
        const Finished refused = second.run(words(line) << u"--credentials"_qs << mine);
        QCOMPARE(refused.exitCode, 5);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("root key"), refused.err);
    }
    QVERIFY(!QFile::exists(second.directory() + u"/dora.drover"_qs));
    QVERIFY(run(m_bob, u"submit -- true"_qs).exitCode == 0); // was away all the time
    QCOMPARE(read(m_bob).anchors.roots, after.anchors.roots);

    async::QtLoop loop;
    zk::SessionOptions options;
    options.servers = m_server.connectString();
    options.access = accessOf(before); // the old administrator's passwords open nothing
    zk::Session session(loop, options);
    session.open();
    await(session.connected());
    for (const char *const node : {"/drover/default", "/drover/default/queues/default", "/drover/default/certificates"})
        QCOMPARE(await(outcome(session.children(zk::Path(node)))), zk::Code::NoAuth);
    QCOMPARE(await(outcome(session.setAcl(zk::Path("/drover/default"), zk::openAcl()))), zk::Code::NoAuth);

    worker->terminate();
    DroverProgram::finish(*worker);
    const std::unique_ptr<QProcess> away = m_away.start(words("worker --slots 2 --id away"));
    QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
    QCOMPARE(read(m_away).anchors.roots, after.anchors.roots);
    away->terminate();
    DroverProgram::finish(*away);
}

// The program is killed at moments between the steps, and called again until it is done.
void RootRotateTest::theRootKeyIsReplacedByAProgramThatIsKilled()
{
    const trust::Credentials before = read(m_admin);
    const QString rootFile = m_admin.directory() + u"/root.key"_qs;
    const QByteArray oldRoot = contents(rootFile);
    const QByteArray held = output(m_alice, u"submit --hold -- true"_qs);
    const std::vector<std::function<bool()>> beginnings{
        [&] { return QFile::exists(rootFile + u".new"_qs); },
        [&] { return read(m_admin).anchors.roots.size() == 2U; },
        [&] { return read(m_bob).anchors.roots.size() == 2U || run(m_bob, u"ls"_qs).exitCode != 0; },
    };
    for (const std::function<bool()> &isTime : beginnings)
        killWhen(u"key rotate --root"_qs, isTime);
    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0);
    const trust::Credentials between = read(m_admin);
    QCOMPARE(between.anchors.roots.size(), 2U);
    QCOMPARE(between.formerPasswords, before.passwords);
    QCOMPARE(between.renewal, before.renewal + 1);

    const std::vector<std::function<bool()>> ends{
        [&] { return run(m_bob, u"ls"_qs).exitCode == 0 && read(m_bob).anchors.roots.size() == 1U; },
        [&] { return contents(rootFile) != oldRoot; },
    };
    for (const std::function<bool()> &isTime : ends)
        killWhen(u"key rotate --root --finish"_qs, isTime);
    if (!QFile::exists(rootFile + u".new"_qs))
        QVERIFY(QFile::copy(rootFile, rootFile + u".new"_qs)); // as if killed before the last step
    QCOMPARE(run(m_admin, u"key rotate --root --finish"_qs).exitCode, 0);
    QVERIFY(!QFile::exists(rootFile + u".new"_qs));
    const trust::Credentials after = read(m_admin);
    QVERIFY(after.anchors.roots != before.anchors.roots && after.anchors.roots.size() == 1U);
    QCOMPARE(after.renewal, before.renewal + 2);
    QVERIFY(contents(rootFile) != oldRoot);
    const std::unique_ptr<QProcess> worker = startWorker("late");
    QCOMPARE(run(m_alice, u"release "_qs + QString::fromLatin1(held)).exitCode, 0);
    QCOMPARE(endOf(m_alice, held), QByteArray("good"));
    worker->terminate();
    DroverProgram::finish(*worker);
}

// By the administrator who has lost it, and by another one who has the old root key. A holder who was away needs
// nothing.
void RootRotateTest::aChangeWhoseNewKeyIsLostIsAbandoned()
{
    const trust::Credentials before = read(m_admin);
    const QString newFile = m_admin.directory() + u"/root.key.new"_qs;
    const std::unique_ptr<QProcess> worker = startWorker("constant");
    QVERIFY(works(u"constant"_qs));
    const QByteArray held = output(m_alice, u"submit --hold -- true"_qs);
    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0);
    const QByteArray meanwhile = output(m_alice, u"submit --hold -- true"_qs); // alice has taken the first step
    QCOMPARE(read(m_alice).anchors.roots.size(), 2U);
    const trust::Credentials between = read(m_admin);
    QVERIFY(QFile::remove(newFile));
    const Finished again = run(m_admin, u"key rotate --root"_qs); // a third root key
    QCOMPARE(again.exitCode, 4);
    QVERIFY2(again.complainsOnce() && again.err.contains("--abandon"), again.err);
    QVERIFY(!QFile::exists(newFile));

    const Finished abandoned = run(m_admin, u"key rotate --root --abandon -o json"_qs);
    QVERIFY2(abandoned.exitCode == 0, abandoned.err);
    QCOMPARE(json(abandoned)[u"workers_behind"].toArray(), QJsonArray());
    QVERIFY(json(abandoned)[u"nodes"].toInt() > 30);
    for (const DroverProgram *const machine : {&m_admin, &m_alice, &m_workers}) {
        QCOMPARE(run(*machine, u"ls"_qs).exitCode, 0); // reads its renewal
        QCOMPARE(read(*machine).anchors.roots, before.anchors.roots);
        QVERIFY(read(*machine).formerPasswords.empty());
    }
    QCOMPARE(read(m_admin).passwords, before.passwords);
    QVERIFY(!run(m_admin, u"doctor"_qs).out.contains("is replacing it"));
    QCOMPARE(run(m_admin, u"key rotate --root --abandon"_qs).exitCode, 4); // it is over
    for (const QByteArray &id : {held, meanwhile}) {
        QCOMPARE(run(m_alice, u"release "_qs + QString::fromLatin1(id)).exitCode, 0);
        QCOMPARE(endOf(m_alice, id), QByteArray("good"));
    }
    newPasswordsOpenNothing(between);

    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0); // all go on with the next one
    QCOMPARE(run(m_admin, u"key rotate --root --finish"_qs).exitCode, 0);
    QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
    worker->terminate();
    DroverProgram::finish(*worker);
}

// No command takes it, and the next change has another one.
void RootRotateTest::aNewKeyThatOthersCanReadIsAbandoned()
{
    const QString newFile = m_admin.directory() + u"/root.key.new"_qs;
    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0);
    QVERIFY(QFile::setPermissions(newFile, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther));
    const Finished abandoned = run(m_admin, u"key rotate --root --abandon"_qs);
    QVERIFY2(abandoned.exitCode == 0, abandoned.err);
    QVERIFY(!QFile::exists(newFile));
    QCOMPARE(run(m_bob, u"submit --hold -- true"_qs).exitCode, 0);
}

// It stands still while another administrator abandons it.
void RootRotateTest::aBeginningThatAnAbandonmentOvertakesLeavesNothing()
{
    const std::unique_ptr<QProcess> begins = m_admin.start(words("key rotate --root"));
    const auto hasBoth = [&] {
        return begins->state() == QProcess::NotRunning || read(m_admin).anchors.roots.size() == 2U;
    };
    QVERIFY(QTest::qWaitFor(hasBoth, 60'000));
    sendSignal(*begins, SIGSTOP);
    const trust::Credentials between = read(m_admin);
    const Finished abandoned = run(m_admin, u"key rotate --root --abandon"_qs);
    sendSignal(*begins, SIGCONT);
    const Finished begun = DroverProgram::finish(*begins);
    QVERIFY2(abandoned.exitCode == 0, abandoned.err);
    QVERIFY2(begun.exitCode != 0 || begun.out.contains("the new root key is in"), begun.err);
    newPasswordsOpenNothing(between);
    QCOMPARE(read(m_admin).anchors.roots.size(), 1U);
    QCOMPARE(run(m_bob, u"submit --hold -- true"_qs).exitCode, 0);
}

void RootRotateTest::anAbandonmentThatIsKilledIsEnded()
{
    const trust::Credentials before = read(m_admin);
    const QString newFile = m_admin.directory() + u"/root.key.new"_qs;
    killWhen(u"key rotate --root"_qs, [&] { return QFile::exists(newFile); }); // a beginning as well
    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0);
    QCOMPARE(run(m_bob, u"ls"_qs).exitCode, 0);
    QCOMPARE(read(m_bob).anchors.roots.size(), 2U);
    const std::vector<std::function<bool()>> moments{
        [&] { return !QFile::exists(newFile); },
        [&] { return run(m_bob, u"ls"_qs).exitCode == 0 && read(m_bob).anchors.roots.size() == 1U; },
    };
    for (const std::function<bool()> &isTime : moments)
        killWhen(u"key rotate --root --abandon"_qs, isTime);
    const Finished last = run(m_admin, u"key rotate --root --abandon"_qs);
    QVERIFY2(last.exitCode == 0 || last.err.contains("no root key is being replaced"), last.err);
    QCOMPARE(run(m_admin, u"key rotate --root --abandon"_qs).exitCode, 4);
    const trust::Credentials after = read(m_admin);
    QCOMPARE(after.anchors.roots, before.anchors.roots);
    QCOMPARE(after.passwords, before.passwords);
    QCOMPARE(after.renewal, before.renewal + 2);
    QCOMPARE(run(m_bob, u"submit --hold -- true"_qs).exitCode, 0);
}

// From then on workers believe the new root key alone.
void RootRotateTest::aRotationThatIsFinishingIsNotAbandoned()
{
    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0);
    killWhen(u"key rotate --root --finish"_qs,
             [&] { return run(m_bob, u"ls"_qs).exitCode == 0 && read(m_bob).anchors.roots.size() == 1U; });
    const Finished refused = run(m_admin, u"key rotate --root --abandon"_qs);
    QCOMPARE(refused.exitCode, 4);
    // The cluster's part may have ended before the program was killed.
    const bool isOver = refused.err.contains("no root key is being replaced");
    QVERIFY2(refused.complainsOnce() && (isOver || refused.err.contains("--finish")), refused.err);
    if (QFile::exists(m_admin.directory() + u"/root.key.new"_qs)) // the end's last step takes it away
        QCOMPARE(run(m_admin, u"key rotate --root --finish"_qs).exitCode, 0);
    QCOMPARE(run(m_bob, u"submit --hold -- true"_qs).exitCode, 0);
}

// Who can write what ZooKeeper holds gets no certificate signed by the new root key.
void RootRotateTest::theTreeNamesNoRootKeyToBelieve()
{
    QCOMPARE(run(m_admin, u"key rotate --root"_qs).exitCode, 0);
    const trust::Credentials admin = read(m_admin);
    const trust::SigningKey foreign = trust::SigningKey::generate();
    trust::Certificate forged = admin.ownCertificate();
    forged.serial = trust::Certificate::newSerial();
    forged.key = foreign.publicKey();
    const QByteArray line = forged.signedBy(foreign);

    async::QtLoop loop;
    zk::SessionOptions options;
    options.servers = m_server.connectString();
    options.access = accessOf(admin);
    zk::Session session(loop, options);
    session.open();
    await(session.connected());
    const jobs::Layout layout(admin.cluster);
    const zk::Path published = layout.certificate(forged.serial);
    QCOMPARE(await(outcome(session.create(published, line))), zk::Code::Ok);
    QByteArray told = await(recipes::Persistent(session).get(layout.renewals()))->data;
    told.replace(told.lastIndexOf('}'), 1, ", \"former_root\": \"" + foreign.publicKey().toText() + "\"}");
    QCOMPARE(await(outcome(session.set(layout.renewals(), told))), zk::Code::Ok);

    const Finished ended = run(m_admin, u"key rotate --root --finish"_qs);
    QVERIFY2(ended.exitCode == 0, ended.err);
    for (const QByteArray &secret : read(m_admin).digestSecrets())
        QCOMPARE(await(outcome(session.addAuth("digest", secret))), zk::Code::Ok);
    QCOMPARE(await(recipes::Persistent(session).get(published))->data, line);
    QCOMPARE(run(m_alice, u"submit --hold -- true"_qs).exitCode, 0);
}

void RootRotateTest::noRotationIsFinishedBeforeItBegins()
{
    const Finished refused = run(m_admin, u"key rotate --root --finish"_qs);
    QCOMPARE(refused.exitCode, 3);
    QVERIFY2(refused.complainsOnce() && refused.err.contains("root.key.new"), refused.err);
    QCOMPARE(run(m_admin, u"key rotate --finish"_qs).exitCode, 2);
    QCOMPARE(run(m_bob, u"key rotate --root"_qs).exitCode, 5);
}

QTEST_GUILESS_MAIN(RootRotateTest)
#include "root_rotate_test.moc"
