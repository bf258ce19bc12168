#include "app/support/access_of.h"
#include "app/support/drover_program.h"
#include "app/support/open_nodes.h"
#include "async/qt_loop.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/model/job_spec.h"
#include "support/session_fixture.h"
#include "trust/issuer.h"
#include "zk/server/four_letter_word.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <unistd.h>

using namespace drover;
using namespace drover::test;
using zk::Code;

// `drover up` closes its cluster: it works for its user with nothing to type, and for no other client.
class ClosedClusterTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;
    async::QtLoop m_loop;
    const jobs::Layout m_layout{QByteArrayLiteral("default")};
    QString m_connect;

    QString trustFile(const char *name) const
    {
        return m_drover.environment().value(QStringLiteral("XDG_DATA_HOME")) + QStringLiteral("/drover/trust/")
            + QLatin1StringView(name);
    }

    static QString droverFile() { return qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"); }
    Finished drover(const char *line) const { return m_drover.run(words(line)); }

    void start(const char *line = "up --detach --workers 1 --slots 1 -o json")
    {
        const Finished up = m_drover.run(words(line), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
        QCOMPARE(up.err.contains("all users of this machine can run commands as you"),
                 words(line).contains(QStringLiteral("--open")));
        m_connect = json(up).value(QStringLiteral("connect")).toString();
    }

    std::unique_ptr<zk::Session> session(zk::Access access)
    {
        zk::SessionOptions options;
        options.servers = m_connect;
        options.access = std::move(access);
        auto session = std::make_unique<zk::Session>(m_loop, options);
        session->open();
        await(session->connected());
        return session;
    }
    std::unique_ptr<zk::Session> stranger() { return session({}); }
    std::unique_ptr<zk::Session> owner()
    {
        return session(accessOf(trust::Credentials::read(trustFile("default.drover"))));
    }

private Q_SLOTS:
    void initTestCase() { start(); }

    void cleanupTestCase()
    {
        if (!QTest::currentTestFailed())
            QCOMPARE(openNodes(*owner(), m_layout.root()), QByteArrayList());
    }

    void itsUserHasNothingToType()
    {
        const Finished ran = drover("run -- echo hello");
        QVERIFY2(ran.exitCode == 0, ran.err);
        QCOMPARE(ran.out, QByteArray("hello\n"));
        for (const char *const line :
             {"submit --dedupe once -- true", "submit --array 1-3 -- true", "ls --all", "config set limit 8",
              "counter tickets add 1", "queue events put hello", "lock db -- true", "cron ls", "worker ls", "doctor"}) {
            const Finished finished = drover(line);
            QVERIFY2(finished.exitCode == 0, line + (": " + finished.err));
        }
        QVERIFY(drover("doctor").out.contains("closed: clients need credentials"));
        const Finished named = m_drover.run(words("ls --connect") << m_connect);
        QVERIFY2(named.exitCode == 0, named.err);
    }

    // No other person may submit there, so there is nothing to do about it; once there is one, there is.
    void rootIsNotWarnedOfRootInAClusterOfItsOwn()
    {
        if (::geteuid() != 0)
            QSKIP("the workers of another user than root do not run jobs as root");
        QVERIFY(!drover("doctor").out.contains("runs jobs as root"));
        const Finished added =
            m_drover.run(words("user add bob --role submit --root-key") << trustFile("default.root.key"));
        QVERIFY2(added.exitCode == 0, added.err);
        QVERIFY(drover("doctor").out.contains("runs jobs as root"));
        const Finished removed = m_drover.run(words("user rm bob --root-key") << trustFile("default.root.key"));
        QVERIFY2(removed.exitCode == 0, removed.err);
        QVERIFY(!drover("doctor").out.contains("runs jobs as root"));
    }

    // What CVE-2023-1299 was: what a job is given for talking back had all rights.
    void aJobOfAnotherPersonCanSubmitAndLook()
    {
        const QString bobs = m_drover.directory() + QStringLiteral("/of-bob.drover");
        const QString root = trustFile("default.root.key");
        QVERIFY(!drover("doctor").out.contains("jobs of others"));
        const Finished added = m_drover.run(words("user add bob --role submit --role viewer")
                                            << words("--root-key") << root << words("--file") << bobs);
        QVERIFY2(added.exitCode == 0 && added.err.contains("jobs of bob will run as you"), added.err);
        const Finished warned = drover("doctor");
        QVERIFY2(warned.out.contains("jobs of others") && warned.out.contains("bob may submit"), warned.out);
        const QString held = QString::fromUtf8(drover("submit --hold -- true").out.trimmed());

        const auto ofBob = [&](const QString &line) {
            return m_drover.run(words("run --credentials")
                                << bobs << words("-- sh -c") << droverFile() + u' ' + line + u"; echo exit $?"_qs);
        };
        const Finished who = ofBob(QStringLiteral("whoami -o json"));
        QVERIFY2(who.exitCode == 0 && who.out.contains("jobs-of-up"), who.out + who.err);
        const QByteArray about = who.out.left(who.out.lastIndexOf("exit"));
        QCOMPARE(QJsonDocument::fromJson(about).object().value(QStringLiteral("roles")).toArray(),
                 (QJsonArray{QStringLiteral("viewer"), QStringLiteral("submit")}));
        for (const char *const line : {"submit -- true", "ls --all", "counter tickets add 1"}) {
            const Finished done = ofBob(QLatin1String(line));
            QVERIFY2(done.out.endsWith("exit 0\n"), line + (": " + done.out + done.err));
        }
        for (const QString &line :
             {u"cancel "_qs + held, u"release "_qs + held, u"queue pause default"_qs, u"worker cordon up-1"_qs,
              u"master stepdown"_qs, u"user add eve --role admin --root-key "_qs + root}) {
            const Finished done = ofBob(line);
            QVERIFY2(done.out.endsWith("exit 5\n"),
                     qPrintable(line + u": "_qs + QString::fromUtf8(done.out + done.err)));
        }
        const auto job = session(accessOf(trust::Credentials::read(trustFile("default.jobs")))); // a client of its own
        QCOMPARE(await(outcome(job->children(m_layout.queue("default")))), Code::Ok);
        QCOMPARE(await(outcome(job->remove(m_layout.members() / "up-1"))), Code::NoAuth);
        QCOMPARE(await(outcome(job->set(m_layout.config(), "{}"))), Code::NoAuth);
        QCOMPARE(await(outcome(job->create(m_layout.cancels() / "default-0", QByteArray()))), Code::NoAuth);
        const Finished removed = m_drover.run(words("user rm bob --root-key") << root);
        QVERIFY2(removed.exitCode == 0, removed.err);
        QVERIFY(!drover("doctor").out.contains("jobs of others"));
    }

    void jobsFollowANewRootKey()
    {
        const auto submits = [this] {
            const Finished ran =
                m_drover.run(words("run -- sh -c") << droverFile() + QStringLiteral(" submit -- true"));
            QVERIFY2(ran.exitCode == 0, ran.out + ran.err);
        };
        submits();
        for (const char *const step : {"", "--finish"}) {
            const Finished rotated =
                m_drover.run(words("key rotate --root") << (*step ? QStringList(QLatin1String(step)) : QStringList())
                                                        << words("--root-key") << trustFile("default.root.key"));
            QVERIFY2(rotated.exitCode == 0, rotated.err);
            submits();
        }
        QCOMPARE(drover("down").exitCode, 0);
        start();
        submits();
    }

    // The jobs run without. Only its user can do something about it, so it says so.
    void withoutTheRootKeyJobsGetNoCredentials()
    {
        const DroverProgram drover;
        const Finished first = drover.run(words("up --detach --workers 1"), 120'000);
        QVERIFY2(first.exitCode == 0, first.err);
        QCOMPARE(drover.run(words("down")).exitCode, 0);
        const QString trust =
            drover.environment().value(QStringLiteral("XDG_DATA_HOME")) + u"/drover/trust/default."_qs;
        QVERIFY(QFile::remove(trust + u"root.key"_qs) && QFile::exists(trust + u"jobs"_qs));
        const auto startsAndSays = [&](const QByteArray &text) {
            const std::unique_ptr<QProcess> up = drover.start(words("up --workers 1"));
            QByteArray seen;
            const bool isSaid = waitForMessage(*up, text, seen);
            up->terminate();
            const Finished ended = DroverProgram::finish(*up);
            return isSaid ? QByteArray() : seen + ended.err;
        };
        QFile damaged(trust + u"jobs"_qs);
        QVERIFY(damaged.open(QIODevice::WriteOnly | QIODevice::Truncate) && damaged.write("x") == 1);
        damaged.close();
        QCOMPARE(startsAndSays("default.jobs: drover up makes another"), QByteArray());
        QVERIFY(damaged.remove());
        QCOMPARE(startsAndSays("the jobs get no credentials"), QByteArray());
    }

    void aStrangerCannotReadOrChangeIt()
    {
        const auto other = stranger();
        const Finished held = drover("submit --hold -- sh -c secret");
        QCOMPARE(held.exitCode, 0);
        const zk::Path queue = m_layout.queue("default");
        QCOMPARE(await(outcome(other->children(m_layout.root()))), Code::NoAuth);
        QCOMPARE(await(outcome(other->children(queue))), Code::NoAuth);
        QCOMPARE(await(outcome(other->get(m_layout.members()))), Code::NoAuth);
        QCOMPARE(await(outcome(other->set(m_layout.config(), "{}"))), Code::NoAuth);
        QCOMPARE(await(outcome(
                     other->create(queue / "q5-", "{\"command\":[\"id\"]}", zk::CreateMode::PersistentSequential))),
                 Code::NoAuth);
        QCOMPARE(await(outcome(other->remove(m_layout.members()))), Code::NoAuth);
        QCOMPARE(await(outcome(other->remove(m_layout.root()))), Code::NoAuth);
        QCOMPARE(await(outcome(other->create(zk::Path("/drover/other"), QByteArray()))), Code::NoAuth);
        QCOMPARE(await(outcome(other->create(zk::Path("/elsewhere"), QByteArray()))), Code::NoAuth);
        for (const char *const path : {"/", "/drover", "/drover/default", "/drover/default/config"})
            QCOMPARE(await(outcome(other->setAcl(zk::Path(path), zk::openAcl()))), Code::NoAuth);

        // An identity for the asking: ZooKeeper accepts any pair, and only a node's ACL compares it.
        const auto pretender = session({{{"digest", "admin:guessed"}}, {}});
        QCOMPARE(await(outcome(pretender->children(queue))), Code::NoAuth);
    }

    // Neither of who is connected, nor of what they watch.
    void fourLetterWordsRevealNoSession()
    {
        const quint16 port = m_connect.section(u':', 1).toUShort();
        const auto answerTo = [port](const char *word) {
            return await(zk::fourLetterWord(QStringLiteral("127.0.0.1"), port, word));
        };
        for (const char *const word : {"srvr", "mntr", "conf"})
            QVERIFY(!answerTo(word).contains("whitelist"));
        for (const char *const word : {"cons", "dump", "wchp", "wchs", "wchc", "stat", "crst", "srst", "envi"}) {
            const QByteArray answer = answerTo(word);
            QVERIFY2(answer.contains("is not in the whitelist") && !answer.contains("0x"), answer);
        }
    }

    // Who has heard all passwords on the network has no key that signs.
    void sniffedPasswordsRunNothing()
    {
        const auto thief = owner();
        jobs::JobSpec spec;
        spec.command = {QStringLiteral("touch"), m_drover.directory() + QStringLiteral("/evil")};
        spec.submitter = qEnvironmentVariable("USER");
        await(create(*thief, m_layout.queue("default") / "q0-0000900000", spec.encode()));
        QCOMPARE(drover("wait default-900000").exitCode, 125);
        QVERIFY(drover("show default-900000").out.contains("it is not signed"));
        const trust::SigningKey key = trust::SigningKey::generate(); // and a certificate by it
        const trust::Certificate own{.clusterId =
                                         trust::Credentials::read(trustFile("default.drover")).anchors.clusterId,
                                     .serial = trust::Certificate::newSerial(),
                                     .name = QStringLiteral("thief"),
                                     .key = key.publicKey(),
                                     .roles = {trust::Role::Submit}};
        await(create(*thief, m_layout.certificate(own.serial), own.signedBy(key)));
        jobs::JobRecord record = spec.record();
        record.certificate = own.serial;
        record.signature = "AAAA";
        await(create(*thief, m_layout.queue("default") / "q0-0000900001", record.bytes()));
        QCOMPARE(drover("wait default-900001").exitCode, 125);
        const Finished forged = drover("show default-900001");
        QVERIFY2(forged.out.contains("not signed by the cluster's root key"), forged.out);
        QVERIFY(!QFile::exists(spec.command.back()));
        QVERIFY(drover("doctor").out.contains("refused"));
        QCOMPARE(drover("run -- echo hello").out, QByteArray("hello\n"));
    }

    void withoutCredentialsTheProgramSaysWhatIsMissing()
    {
        for (const char *const line : {"ls", "cancel default-0", "worker --id stranger"}) {
            const Finished refused = m_drover.run(words(line) << words("--credentials none --connect") << m_connect);
            QCOMPARE(refused.exitCode, 5);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("is closed"), refused.err);
        }
    }

    void theSecretsAreForTheirUserAlone()
    {
        const auto modeOf = [](const QString &path) { return QFileInfo(path).permissions() & 0x0fff; };
        QCOMPARE(int(modeOf(QFileInfo(trustFile("x")).path())), 0x700);
        QCOMPARE(int(modeOf(trustFile("default.drover"))), 0x600);
        QCOMPARE(int(modeOf(trustFile("default.root.key"))), 0x600);
        if (::geteuid() == 0) {
            QProcess cat;
            cat.start(QStringLiteral("setpriv"),
                      {QStringLiteral("--reuid=65534"), QStringLiteral("--regid=65534"),
                       QStringLiteral("--clear-groups"), QStringLiteral("cat"), trustFile("default.drover")});
            const Finished finished = DroverProgram::finish(cat);
            QCOMPARE(finished.exitCode, 1);
            QVERIFY2(finished.out.isEmpty() && finished.err.contains("Permission denied"), finished.err);
        }
    }

    void aFileThatOthersMayReadIsRefused()
    {
        const QString file = m_drover.directory() + QStringLiteral("/shared.drover");
        QVERIFY(QFile::copy(trustFile("default.drover"), file));
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::ReadGroup));
        const Finished refused = m_drover.run(words("ls --credentials") << file);
        QCOMPARE(refused.exitCode, 5);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("is not safe"), refused.err);
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
        QCOMPARE(m_drover.run(words("ls --credentials") << file).exitCode, 0);
        const Finished wrong = m_drover.run(words("ls --cluster other --credentials") << file);
        QCOMPARE(wrong.exitCode, 5);
        QVERIFY2(wrong.complainsOnce() && wrong.err.contains("is of cluster default"), wrong.err);
        const Finished missing = drover("ls --credentials /nowhere/x");
        QCOMPARE(missing.exitCode, 5);
        QVERIFY2(missing.complainsOnce(), missing.err);
    }

    // Two clusters of one private server, and an open one that is closed when it starts again.
    void anOpenClusterIsClosedAtTheNextStart()
    {
        QCOMPARE(drover("down").exitCode, 0);
        start("up --open --cluster second --detach --workers 1 --slots 1 -o json");
        const jobs::Layout second("second");
        const Finished held = m_drover.run(words("submit --cluster second --hold -- echo kept"));
        QVERIFY2(held.exitCode == 0, held.err);
        {
            const auto other = stranger();
            QCOMPARE(await(outcome(other->children(second.queue("default")))), Code::Ok);
            QCOMPARE(await(outcome(other->children(m_layout.root()))), Code::NoAuth);
        }
        QVERIFY(drover("doctor --cluster second").out.contains("open: all who reach ZooKeeper"));
        const Finished mixed = m_drover.run(words("worker --cluster second --credentials")
                                            << credentialsOf("second") << words("--connect") << m_connect);
        QCOMPARE(mixed.exitCode, 5);
        QVERIFY2(mixed.complainsOnce() && mixed.err.contains("is open to all clients"), mixed.err);

        QCOMPARE(drover("down").exitCode, 0);
        start("up --cluster second --detach --workers 1 --slots 1 -o json");
        const auto other = stranger();
        QCOMPARE(await(outcome(other->children(second.queue("default")))), Code::NoAuth);
        const Finished released =
            m_drover.run(words("release --cluster second") << QString::fromUtf8(held.out.trimmed()));
        QVERIFY2(released.exitCode == 0, released.err);
        const Finished ended = m_drover.run(words("wait --cluster second") << QString::fromUtf8(held.out.trimmed()));
        QVERIFY2(ended.exitCode == 125 && ended.out.contains("refused"), ended.out + ended.err); // it has no signature
        QCOMPARE(drover("down").exitCode, 0);
        const Finished refused = drover("up --open --cluster second");
        QCOMPARE(refused.exitCode, 4);
        QVERIFY2(refused.err.contains("is closed, and --open is for a new one"), refused.err);
        start();
    }

private:
    static async::Task<void> create(zk::Session &session, zk::Path path, QByteArray data)
    {
        const zk::Answer<zk::Created> created = co_await session.create(path, data);
        created.require();
    }
    // Of nothing that runs: another cluster of that name.
    QString credentialsOf(const char *cluster) const;
};

QString ClosedClusterTest::credentialsOf(const char *cluster) const
{
    const QString file = m_drover.directory() + QStringLiteral("/made.drover");
    const trust::Issuer issuer = trust::Issuer::found(cluster, QString());
    issuer.issue({.name = QStringLiteral("somewhere"), .roles = {trust::Role::Worker}}).write(file);
    return file;
}

QTEST_GUILESS_MAIN(ClosedClusterTest)
#include "closed_cluster_test.moc"
