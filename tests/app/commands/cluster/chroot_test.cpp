#include "app/support/drover_program.h"
#include "async/qt_loop.h"
#include "support/await.h"
#include "support/session_fixture.h"

#include <QDir>
#include <QTest>

using namespace drover;
using namespace drover::test;

// The programs with a path after the servers: --connect host:port/team/one.
class ChrootedClusterTest : public QObject
{
    Q_OBJECT

    SessionFixture m_fixture;
    std::unique_ptr<zk::Session> m_whole;
    DroverProgram m_drover;

    QString below(const char *path) const { return m_fixture.server.connectString() + QString::fromLatin1(path); }
    Finished run(const char *command, const QString &connect) const
    {
        return m_drover.run(QStringList{QStringLiteral("--connect"), connect} + words(command));
    }
    bool exists(const char *path) { return await(existence(*m_whole, zk::Path(path))) == zk::Code::Ok; }

private Q_SLOTS:
    void initTestCase()
    {
        m_fixture.server.start();
        m_whole = m_fixture.connected(m_fixture.options());
    }
    void cleanupTestCase() { m_whole.reset(); }

    // The worker makes what is missing of the path.
    void aClusterLivesBelowThePath()
    {
        const QString connect = below("/team/one");
        m_drover.setVariable("DROVER_CONNECT", connect);
        const std::unique_ptr<QProcess> worker = m_drover.start(words("worker --slots 1 --id w1 --grace 1s"));
        QByteArray said;
        QVERIFY2(waitForMessage(*worker, "cluster default is open", said), said);
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("worker ls")).out.contains("w1"), 30'000); // it has joined
        const Finished ran = m_drover.run({QStringLiteral("run"), QStringLiteral("--"), QStringLiteral("sh"),
                                           QStringLiteral("-c"), QStringLiteral("echo $DROVER_CONNECT")});
        QVERIFY2(ran.out == connect.toUtf8() + '\n', ran.out + ran.err);
        QVERIFY(exists("/team/one/drover/default/members/w1"));
        QVERIFY(!exists("/drover"));

        QCOMPARE(m_drover.run(words("submit --hold -- true")).out, QByteArray("default-1\n"));
        for (const char *const line : {"ls", "show default-1", "why default-1", "worker ls", "queue ls",
                                       "lock db -- true", "config set a 1", "cancel default-1", "complete -- show "}) {
            const Finished finished = m_drover.run(words(line));
            QVERIFY2(finished.exitCode == 0 && finished.err.isEmpty(), line + (": " + finished.err));
        }
        const Finished tree = m_drover.run(words("tree /"));
        QVERIFY2(tree.out.contains("drover") && !tree.out.contains("team"), tree.out);
        const Finished completed = m_drover.run(words("complete -- show default-"));
        QVERIFY2(completed.out.contains("default-1"), completed.out + completed.err);

        // The four-letter words go to the servers, and have no paths.
        QCOMPARE(json(m_drover.run(words("cluster status -o json"))).value(u"serving").toInt(), 1);
        const Finished doctor = m_drover.run(words("doctor"));
        QVERIFY2(doctor.out.contains(m_fixture.server.connectString().toUtf8()), doctor.out + doctor.err);
        worker->terminate();
        const Finished ended = DroverProgram::finish(*worker);
        QCOMPARE(ended.exitCode, 0);
        QVERIFY2(ended.err.endsWith("drover: worker w1: stopping\n") && !ended.err.contains("session"), ended.err);
        m_drover.setVariable("DROVER_CONNECT", QString());
    }

    void pathsOfOneNameAreApart()
    {
        for (const char *const path : {"/team/two", "/team/three"})
            QCOMPARE(run("config set --path /colour blue", below(path)).exitCode, 0);
        QCOMPARE(run("config set --path /colour red", below("/team/two")).exitCode, 0);
        QCOMPARE(run("config get --path /colour", below("/team/two")).out, QByteArray("red\n"));
        QCOMPARE(run("config get --path /colour", below("/team/three")).out, QByteArray("blue\n"));
        QCOMPARE(run("config get --path /team/two/colour", below("")).out, QByteArray("red\n"));
        QCOMPARE(run("lock --path /lock -- echo held", below("/team/five")).out, QByteArray("held\n"));
        QVERIFY(exists("/team/five/lock"));

        // Who reads makes nothing.
        for (const char *const command : {"config get --path /colour", "ls", "tree /", "worker ls"}) {
            const Finished missing = run(command, below("/team/four"));
            QVERIFY2(missing.exitCode == 3 && missing.complainsOnce(), command + (": " + missing.err));
        }
        QVERIFY(!exists("/team/four"));
    }

    void credentialsNameThePath()
    {
        const QString keys = m_drover.directory() + QStringLiteral("/keys");
        QVERIFY(QDir().mkpath(keys));
        const Finished founded = run(qPrintable(QStringLiteral("cluster init --dir %1").arg(keys)), below("/safe"));
        QVERIFY2(founded.exitCode == 0, founded.err);
        QVERIFY(exists("/safe/drover/default"));
        const Finished set = m_drover.run(words("config set colour green"));
        QVERIFY2(set.exitCode == 0 && set.err.isEmpty(), set.err);
        QVERIFY(exists("/safe/drover/default/settings/colour"));
    }

    // Where the nodes above are closed, no open cluster can be made, and none is talked of.
    void aWorkerWithoutCredentialsComplainsOnce()
    {
        const auto setAcl = [this](const zk::AclList &acl) {
            const auto send = [](zk::Client &zk, zk::AclList list) -> async::Task<void> {
                const zk::Answer<zk::Nothing> set = co_await zk.setAcl(zk::Path("/locked"), list);
                set.require();
            };
            await(send(*m_whole, acl));
        };
        await(m_whole->ensurePath(zk::Path("/locked")));
        setAcl({{1, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}, // to be read
                {zk::AllPermissions, QByteArrayLiteral("ip"), QByteArrayLiteral("10.255.255.255")}});
        for (const char *const path : {"/safe", "/locked"}) {
            const Finished worker = run("worker --id w2 --credentials none --allow-root --policy none", below(path));
            QVERIFY2(worker.exitCode == 5 && worker.complainsOnce(), worker.err);
            QVERIFY2(worker.err.contains(" is closed, and there are no credentials for it; "), worker.err);
        }
        for (const char *const command : {"ls", "run -- true", "submit -- true", "lock db -- true"}) {
            const Finished refused =
                run(qPrintable(QStringLiteral("--credentials none ") + QLatin1String(command)), below("/safe"));
            QVERIFY2(refused.exitCode == 5 && refused.complainsOnce(), refused.err);
        }
    }

    void aBenchThroughARelayKeepsThePath()
    {
        const Finished finished = run("bench lock --rtt 1ms --clients 2 --for 1s", below("/bench"));
        QVERIFY2(finished.exitCode == 0, finished.err);
        QVERIFY(exists("/bench/drover"));
    }
};

QTEST_GUILESS_MAIN(ChrootedClusterTest)
#include "chroot_test.moc"
