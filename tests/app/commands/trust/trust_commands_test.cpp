#include "app/support/drover_program.h"
#include "async/qt_loop.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "trust/credentials.h"
#include "trust/issuer.h"
#include "zk/client/session.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

// The commands of trust, by the real program on a real server. Each DroverProgram has directories of its own, as if it
// were another machine.
class TrustCommandsTest : public QObject
{
    Q_OBJECT

    TestServer m_server;
    DroverProgram m_first; // the administrator's machine
    DroverProgram m_second;

    QString connect() const { return QStringLiteral("--connect ") + m_server.connectString(); }
    static QString file(const DroverProgram &machine, const char *name)
    {
        return machine.directory() + u'/' + QLatin1String(name);
    }
    static void copy(const DroverProgram &from, const DroverProgram &to, const char *name)
    {
        QFile::remove(file(to, name));
        QVERIFY(QFile::copy(file(from, name), file(to, name)));
    }
    static int modeOf(const QString &path)
    {
        struct ::stat status = {};
        return ::stat(QFile::encodeName(path).constData(), &status) == 0 ? int(status.st_mode & 07777) : -1;
    }
    static Finished run(const DroverProgram &machine, const QString &command) { return machine.run(words(command)); }
    static Finished run(const DroverProgram &machine, const char *command)
    {
        return run(machine, QString::fromUtf8(command));
    }
    // What it complains, on one line with that exit code; else what it said instead.
    static QString refusal(const DroverProgram &machine, const QString &command, int exitCode)
    {
        const Finished finished = run(machine, command);
        if (finished.exitCode == exitCode && finished.complainsOnce())
            return QString::fromUtf8(finished.err.trimmed());
        return QStringLiteral("exit code %1: ").arg(finished.exitCode) + QString::fromUtf8(finished.out + finished.err);
    }
    static QJsonObject user(const DroverProgram &machine, const QString &name)
    {
        const QJsonArray users = json(run(machine, "user ls -o json"))[u"users"].toArray();
        for (const QJsonValue one : users) {
            if (one[u"name"] == name)
                return one.toObject();
        }
        return {};
    }

private Q_SLOTS:
    void initTestCase();
    void aFirstClosedClusterTakesThreeCommands();
    void aLoginForTheMachineLeavesItsConfigurationReadable();
    void usersAreAddedAndRevoked();
    void jobsOfARevokedUserAreRefused();
    void filesThatOthersMayReadAreRefused();
    void filesAreNeverOverwritten();
    void hostileNamesAreRefused();
    void onlyAdministratorsAddUsers();
    void expiredFilesAreRefused();
    void anAdministratorRunsAWorker();
    void workersWithoutAValidCertificateAreShutOut();
    void filesOfAnotherClusterAreRefused();
    void anExistingClusterIsNotFoundedAgain();
    void anOpenClusterIsClosed();
    void nothingAboveTheClusterIsLeftOpen();
    void whatOthersUseAboveIsLeftToThem();
};

void TrustCommandsTest::initTestCase()
{
    m_server.start();
}

// As the README has it: founded on the first machine, a file carried to the second, which then takes part.
void TrustCommandsTest::aFirstClosedClusterTakesThreeCommands()
{
    const Finished founded = run(m_first, QStringLiteral("cluster init --shared ") + connect());
    QVERIFY2(founded.exitCode == 0, founded.err);
    QCOMPARE(modeOf(file(m_first, "root.key")), 0600);
    QCOMPARE(modeOf(file(m_first, "admin.drover")), 0600);
    const Finished added = run(m_first, "worker add build-7");
    QVERIFY2(added.exitCode == 0, added.err);
    QCOMPARE(modeOf(file(m_first, "build-7.drover")), 0600);

    copy(m_first, m_second, "build-7.drover");
    const Finished in = run(m_second, "login build-7.drover");
    QVERIFY2(in.exitCode == 0, in.err);
    QCOMPARE(in.out, QByteArray("build-7 in cluster default: worker, without end\n"));
    const QJsonObject who = json(run(m_second, "whoami -o json"));
    QCOMPARE(who[u"name"].toString(), QStringLiteral("build-7"));
    QCOMPARE(who[u"connect"].toString(), m_server.connectString());
    QCOMPARE(who[u"roles"].toArray(), QJsonArray{QStringLiteral("worker")});

    const std::unique_ptr<QProcess> worker = m_second.start(words("worker --slots 1"));
    QVERIFY(QTest::qWaitFor([&] { return run(m_first, "worker ls").out.contains(" ready "); }, 60'000));
    worker->terminate();
    DroverProgram::finish(*worker);

    const DroverProgram stranger;
    QVERIFY(refusal(stranger, QStringLiteral("worker ls ") + connect(), 5).contains(u"closed"));
}

// The folder of its credentials stands beside its configuration, which all users read. In a mount namespace, whose /etc
// is a copy.
void TrustCommandsTest::aLoginForTheMachineLeavesItsConfigurationReadable()
{
    if (::geteuid() != 0)
        QSKIP("only root keeps a file for the machine");
    const Finished in = m_second.shell("umask 077; cp -a /etc etc && rm -rf etc/drover; unshare --mount sh -ec '"
                                       "mount --bind etc /etc; drover login --system build-7.drover;"
                                       "stat --format=%a /etc/drover /etc/drover/credentials/default'; rm -rf etc");
    QVERIFY2(in.out.endsWith("\n755\n600\n"), in.out + in.err);
}

void TrustCommandsTest::usersAreAddedAndRevoked()
{
    const Finished added =
        run(m_first, "user add alice --role submit --role viewer --queue gpu --run-as alice --for 90d -o json");
    QVERIFY2(added.exitCode == 0, added.err);
    const QJsonObject about = json(added);
    QCOMPARE(about[u"file"].toString(), QStringLiteral("alice.drover"));
    const trust::Credentials alice = trust::Credentials::read(file(m_first, "alice.drover"));
    const trust::Certificate certificate = alice.ownCertificate();
    QVERIFY(certificate.roles == (trust::Roles{trust::Role::Submit, trust::Role::Viewer}));
    QCOMPARE(certificate.queues, QByteArrayList{"gpu"});
    QCOMPARE(certificate.runAs, QStringList{QStringLiteral("alice")});
    QCOMPARE((certificate.notAfter - certificate.notBefore).count(), 90 * 24 * 3600);
    QCOMPARE(alice.passwords.size(), 2U);

    QCOMPARE(user(m_first, QStringLiteral("alice"))[u"state"].toString(), QStringLiteral("valid"));
    QCOMPARE(user(m_first, QStringLiteral("admin"))[u"state"].toString(), QStringLiteral("valid"));
    copy(m_first, m_second, "alice.drover");
    const Finished in = run(m_second, "login alice.drover"); // in the place of the worker's
    QVERIFY2(in.exitCode == 0, in.err);
    QVERIFY(in.out.startsWith("alice in cluster default: viewer and submit, until "));
    QCOMPARE(user(m_second, QStringLiteral("alice"))[u"state"].toString(), QStringLiteral("valid"));
    QVERIFY(
        refusal(m_second, QStringLiteral("submit -- true"), 5)
            .endsWith(
                u"alice may not submit to queue default, so no worker would run the job; an administrator makes other "
                "credentials: drover user add"));
    QVERIFY(refusal(m_second, QStringLiteral("submit --queue gpu --run-as root -- true"), 5)
                .contains(u"alice may not run jobs as root"));

    const Finished removed = run(m_first, "user rm alice");
    QVERIFY2(removed.exitCode == 0, removed.err);
    QVERIFY(removed.err.contains("still knows the ZooKeeper password of viewer and submit"));
    QCOMPARE(user(m_first, QStringLiteral("alice"))[u"state"].toString(), QStringLiteral("revoked"));
    QCOMPARE(json(run(m_second, "whoami -o json"))[u"state"].toString(), QStringLiteral("revoked"));
    const Finished alone = run(m_second, "whoami -o json --connect 127.0.0.1:1 --connect-timeout 200ms");
    QVERIFY2(alone.exitCode == 0 && alone.err.contains("whether it is revoked is not known"), alone.err);
    QCOMPARE(json(alone)[u"state"].toString(), QStringLiteral("valid"));
    QVERIFY(refusal(m_first, QStringLiteral("user rm alice"), 3).contains(u"no certificate that is not revoked"));
    QVERIFY(refusal(m_first, QStringLiteral("user rm bob"), 3).contains(u"bob"));
}

// It printed an id, and a worker refused the job.
void TrustCommandsTest::jobsOfARevokedUserAreRefused()
{
    QCOMPARE(run(m_first, "user add carol --role submit --role operate").exitCode, 0);
    const Finished before = run(m_first, "submit --hold --credentials carol.drover -- true");
    QVERIFY2(before.exitCode == 0, before.err);
    QCOMPARE(run(m_first, "user rm carol").exitCode, 0);
    for (const char *const command : {"submit", "cron add c @daily"}) {
        const QString line = QLatin1String(command) + QStringLiteral(" --credentials carol.drover -- true");
        const QString why = refusal(m_first, line, 5);
        QVERIFY2(why.contains(u"carol has a certificate that is revoked, so no worker would run the job"),
                 qPrintable(why));
    }
}

void TrustCommandsTest::filesThatOthersMayReadAreRefused()
{
    const QByteArray path = QFile::encodeName(file(m_second, "alice.drover"));
    ::chmod(path.constData(), 0644);
    QVERIFY(refusal(m_second, QStringLiteral("login alice.drover"), 5).contains(u"chmod 600"));
    ::chmod(path.constData(), 0600);
    const QByteArray root = QFile::encodeName(file(m_first, "root.key"));
    ::chmod(root.constData(), 0640);
    QVERIFY(refusal(m_first, QStringLiteral("user add eve --role submit"), 5).contains(u"chmod 600"));
    ::chmod(root.constData(), 0600);
    const QByteArray folder = QFile::encodeName(m_second.directory());
    ::chmod(folder.constData(), 0777);
    QVERIFY(refusal(m_second, QStringLiteral("login alice.drover"), 5).contains(u"other users may write to"));
    ::chmod(folder.constData(), 0700);
    QVERIFY(refusal(m_second, QStringLiteral("login missing.drover"), 5).contains(u"No such file"));
    QVERIFY(refusal(m_first, QStringLiteral("user add eve --role submit --root-key missing"), 3).contains(u"missing"));
}

void TrustCommandsTest::filesAreNeverOverwritten()
{
    QVERIFY(refusal(m_first, QStringLiteral("worker add build-7"), 4).contains(u"exists already"));
    QVERIFY(refusal(m_first, QStringLiteral("cluster init --cluster other ") + connect(), 4)
                .contains(u"root.key exists already"));
    QVERIFY(QFile::link(QStringLiteral("nowhere"), file(m_first, "link.drover")));
    QVERIFY(refusal(m_first, QStringLiteral("worker add link"), 4).contains(u"exists already"));
}

void TrustCommandsTest::hostileNamesAreRefused()
{
    for (const char *name : {"../alice", ".alice", "a/b", "\x1b[31mred", "a\nb", "\u202e"}) {
        const Finished finished = m_first.run({QStringLiteral("user"), QStringLiteral("add"), QStringLiteral("--role"),
                                               QStringLiteral("submit"), QString::fromUtf8(name)});
        QCOMPARE(finished.exitCode, 2);
        QVERIFY(finished.complainsOnce());
        QVERIFY(!finished.err.contains('\x1b'));
    }
    QVERIFY(refusal(m_first, QStringLiteral("user add bob"), 2).contains(u"--role is missing"));
    QVERIFY(refusal(m_first, QStringLiteral("user add bob --role root"), 2).contains(u"must be viewer"));
    QVERIFY(refusal(m_first, QStringLiteral("user add bob --role submit --run-as ../x"), 2).contains(u"--run-as"));
    QVERIFY(refusal(m_first, QStringLiteral("user add bob --role submit --for 0s"), 2).contains(u"--for"));
    QVERIFY(!QFile::exists(file(m_first, "bob.drover")));
}

void TrustCommandsTest::onlyAdministratorsAddUsers()
{
    copy(m_first, m_second, "root.key"); // alone it is not enough
    QVERIFY(refusal(m_second, QStringLiteral("user add eve --role admin"), 5)
                .contains(u"this needs the role admin, and alice is viewer and submit"));
    QFile::remove(file(m_second, "root.key"));
    const trust::Issuer other = trust::Issuer::found("default", {});
    other.root().write(file(m_first, "other.key"));
    QVERIFY(refusal(m_first, QStringLiteral("user add eve --role admin --root-key other.key"), 5)
                .contains(u"the root key is not that of these credentials"));
    const DroverProgram stranger;
    QVERIFY(refusal(stranger, QStringLiteral("whoami"), 4).contains(u"you have no credentials for cluster default"));
}

void TrustCommandsTest::expiredFilesAreRefused()
{
    const trust::Issuer issuer = trust::Issuer::found("default", {});
    const auto now = std::chrono::seconds(QDateTime::currentSecsSinceEpoch());
    trust::Grant past{.name = QStringLiteral("late"), .roles = {trust::Role::Submit}};
    past.notAfter = now - std::chrono::seconds(60);
    issuer.issue(past).write(file(m_second, "late.drover"));
    QVERIFY(refusal(m_second, QStringLiteral("login late.drover"), 5).contains(u"the certificate of late has expired"));
    const Finished added = run(m_first, "user add brief --role submit --for 1s");
    QVERIFY2(added.exitCode == 0, added.err);
    QTRY_VERIFY_WITH_TIMEOUT(
        refusal(m_first, QStringLiteral("submit --credentials brief.drover -- true"), 5).contains(u"has expired"),
        60'000);
    QCOMPARE(json(run(m_first, "whoami --credentials brief.drover -o json"))[u"state"].toString(),
             QStringLiteral("expired"));
    trust::Grant future{.name = QStringLiteral("early"), .roles = {trust::Role::Submit}};
    future.notBefore = now + std::chrono::hours(24);
    issuer.issue(future).write(file(m_second, "early.drover"));
    QVERIFY(refusal(m_second, QStringLiteral("login early.drover"), 5).contains(u"not valid yet"));
    QCOMPARE(json(run(m_second, "whoami -o json"))[u"name"].toString(), QStringLiteral("alice"));
}

// The role admin has each right, also that of a worker, which its certificate does not name.
void TrustCommandsTest::anAdministratorRunsAWorker()
{
    QVERIFY(run(m_first, "user add second --role admin").exitCode == 0);
    const QJsonArray roles = json(run(m_first, "whoami --credentials second.drover -o json"))[u"roles"].toArray();
    QCOMPARE(roles, QJsonArray{QStringLiteral("admin")});
    const std::unique_ptr<QProcess> worker =
        m_first.start(words("worker --id w7 --slots 1 --credentials second.drover"));
    QVERIFY(QTest::qWaitFor([&] { return run(m_first, "worker ls").out.contains("w7"); }, 60'000));
    worker->terminate();
    QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
}

// They joined and claimed without a word.
void TrustCommandsTest::workersWithoutAValidCertificateAreShutOut()
{
    QVERIFY(run(m_first, "worker add brief-worker --for 1s").exitCode == 0);
    QTRY_COMPARE_WITH_TIMEOUT(
        json(run(m_first, "whoami --credentials brief-worker.drover -o json"))[u"state"].toString(),
        QStringLiteral("expired"), 60'000);
    const QString expired = refusal(m_first, QStringLiteral("worker --id w8 --credentials brief-worker.drover"), 5);
    QVERIFY2(expired.contains(u"certificate of brief-worker has expired") && expired.contains(u"drover worker add")
                 && expired.contains(u"set this machine's clock right"),
             qPrintable(expired));

    QVERIFY(run(m_first, "worker add rogue").exitCode == 0);
    const QString line = QStringLiteral("worker --id w9 --slots 1 --credentials rogue.drover");
    const std::unique_ptr<QProcess> worker = m_first.start(words(line));
    QVERIFY(QTest::qWaitFor([&] { return run(m_first, "worker ls").out.contains(" ready "); }, 60'000));
    const Finished removed = run(m_first, "user rm rogue");
    QVERIFY2(removed.exitCode == 0, removed.err);
    const Finished ended = DroverProgram::finish(*worker); // by itself
    QCOMPARE(ended.exitCode, 5);
    QVERIFY2(ended.err.contains("the certificate of rogue is revoked"), ended.err);
    const QString again = refusal(m_first, line, 5);
    QVERIFY2(again.contains(u"the certificate of rogue is revoked") && !again.contains(u"clock"), qPrintable(again));
}

void TrustCommandsTest::filesOfAnotherClusterAreRefused()
{
    const Finished finished =
        run(m_second, QStringLiteral("worker ls --cluster lab --credentials alice.drover ") + connect());
    QCOMPARE(finished.exitCode, 5);
    QVERIFY(finished.complainsOnce());
    // A cluster of that name which another program has founded: its passwords do not fit.
    const DroverProgram other;
    const trust::Issuer issuer = trust::Issuer::found("default", m_server.connectString());
    issuer.issue({.name = QStringLiteral("eve"), .roles = {trust::Role::Admin}}).write(file(other, "eve.drover"));
    QVERIFY(!refusal(other, QStringLiteral("user ls --credentials eve.drover"), 5).startsWith(u"exit code"));
}

void TrustCommandsTest::anExistingClusterIsNotFoundedAgain()
{
    const DroverProgram other;
    QVERIFY(
        refusal(other, QStringLiteral("cluster init ") + connect(), 4).contains(u"there is a cluster default already"));
    QVERIFY(!QFile::exists(file(other, "root.key")));
    QVERIFY(refusal(other, QStringLiteral("cluster secure --yes ") + connect(), 4).contains(u"closed already"));
    QVERIFY(refusal(other, QStringLiteral("cluster secure --yes --cluster none ") + connect(), 3).contains(u"none"));
    QVERIFY(refusal(other, QStringLiteral("cluster init"), 2).contains(u"--connect is missing"));
}

void TrustCommandsTest::anOpenClusterIsClosed()
{
    const DroverProgram other;
    const QString lab = connect() + QStringLiteral(" --cluster lab");
    const std::unique_ptr<QProcess> worker = other.start(words(QStringLiteral("worker --slots 1 ") + lab));
    QVERIFY(QTest::qWaitFor(
        [&] { return run(other, QStringLiteral("worker ls -o json ") + lab).out.contains("slots"); }, 60'000));
    QVERIFY(refusal(other, QStringLiteral("cluster secure ") + lab, 2).contains(u"--yes is missing: 1 worker"));
    const Finished closed = run(other, QStringLiteral("cluster secure --yes ") + lab);
    QVERIFY2(closed.exitCode == 0, closed.err);
    QCOMPARE(json(run(other, QStringLiteral("user ls -o json ") + lab))[u"users"].toArray().size(), 1);
    const DroverProgram stranger;
    QVERIFY(refusal(stranger, QStringLiteral("ls ") + lab, 5).contains(u"closed"));
    worker->terminate();
    DroverProgram::finish(*worker);
}

namespace {

// A client without credentials.
class Stranger
{
public:
    explicit Stranger(const QString &servers) : m_session(m_loop, {.servers = servers})
    {
        m_session.open();
        await(m_session.connected());
    }
    zk::Code create(const char *path) { return await(code(m_session.create(zk::Path(path), QByteArray()))); }

private:
    static async::Task<zk::Code> code(zk::Reply<zk::Created> reply)
    {
        try {
            const zk::Answer<zk::Created> created = co_await reply;
            co_return created.ok() ? zk::Code::Ok : zk::Code::NodeExists;
        } catch (const zk::AccessDenied &) {
        }
        co_return zk::Code::NoAuth;
    }

    async::QtLoop m_loop;
    zk::Session m_session;
};

} // namespace

// Who can make nodes there can fill the servers' memory.
void TrustCommandsTest::nothingAboveTheClusterIsLeftOpen()
{
    TestServer server;
    server.start();
    const DroverProgram first;
    const QString servers = QStringLiteral("--connect ") + server.connectString();
    const Finished founded = run(first, QStringLiteral("cluster init ") + servers);
    QVERIFY2(founded.exitCode == 0 && !founded.err.contains("can still make nodes"), founded.err);
    Stranger stranger(server.connectString());
    for (const char *const path : {"/stranger", "/drover/stranger", "/zookeeper/stranger"})
        QCOMPARE(stranger.create(path), zk::Code::NoAuth);
    QVERIFY(!run(first, "doctor").out.contains("nodes above"));
    const DroverProgram second; // of another administrator
    QVERIFY(
        refusal(second, QStringLiteral("cluster init ") + servers, 4).contains(u"there is a cluster default already"));
    QVERIFY(refusal(second, QStringLiteral("cluster init --cluster second ") + servers, 5)
                .contains(u"they open it by drover cluster secure --shared"));
    QCOMPARE(run(first, "cluster secure --shared").exitCode, 0);
    QCOMPARE(stranger.create("/drover/stranger"), zk::Code::Ok);
}

void TrustCommandsTest::whatOthersUseAboveIsLeftToThem()
{
    TestServer server;
    server.start();
    Stranger stranger(server.connectString());
    QCOMPARE(stranger.create("/kafka"), zk::Code::Ok);
    const DroverProgram first;
    const QString servers = QStringLiteral("--connect ") + server.connectString();
    const Finished founded = run(first, QStringLiteral("cluster init --shared ") + servers);
    QVERIFY2(founded.exitCode == 0, founded.err);
    QCOMPARE(stranger.create("/stranger"), zk::Code::Ok);
    QCOMPARE(stranger.create("/drover/lab"), zk::Code::Ok);
    const Finished doctor = run(first, "doctor");
    QVERIFY2(doctor.out.contains("nodes above"), doctor.out + doctor.err);
    const Finished again = run(first, "cluster secure"); // of nodes that are others'
    QVERIFY2(again.exitCode == 0, again.err);
    QCOMPARE(stranger.create("/drover/more"), zk::Code::Ok);
}

QTEST_GUILESS_MAIN(TrustCommandsTest)
#include "trust_commands_test.moc"
