#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QDir>
#include <QTest>

using namespace drover;
using namespace drover::test;

// The tests share one ensemble, for three servers take seconds to start; each leaves it complete.
class LocalEnsembleTest : public QObject
{
    Q_OBJECT

private:
    TestEnsemble m_servers;

    static async::Task<bool> makeNode(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Created> made = co_await zk.create(path, QByteArray());
        co_return made.ok();
    }
    static async::Task<bool> hasNode(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Stat> present = co_await zk.exists(path);
        co_return present.ok();
    }
    // In a session of its own.
    bool ask(async::Task<bool> (*question)(zk::Client &, zk::Path), const zk::Path &path)
    {
        async::QtLoop loop;
        zk::SessionOptions options;
        options.servers = m_servers.connectString();
        zk::Session session(loop, options);
        session.open();
        await(session.connected());
        const bool answer = await(question(session, path));
        await(session.close());
        return answer;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QElapsedTimer clock;
        clock.start();
        m_servers.start();
        qInfo("an ensemble of three was ready after %lld ms", clock.elapsed());
        QCOMPARE(m_servers.connectString().split(u',').size(), 3);
    }

    void anotherLeadsWhenTheLeaderIsKilled()
    {
        const int first = m_servers.elected(3);
        QElapsedTimer clock;
        clock.start();
        m_servers.kill9(first);
        const int second = m_servers.elected(2);
        qInfo("a new leader served %lld ms after the old one was killed", clock.elapsed());
        QVERIFY(second != first);
        m_servers.restart(first);
        QCOMPARE(m_servers.elected(3), second); // the old leader follows
    }

    void aPausedLeaderIsReplacedAndFollowsWhenResumed()
    {
        const int first = m_servers.elected(3);
        m_servers.pause(first);
        const int second = m_servers.elected(2);
        QVERIFY(second != first);
        m_servers.resume(first);
        QCOMPARE(m_servers.elected(3), second);
    }

    void aMinorityDoesNotServeUntilTheOthersAreBack()
    {
        const int leader = m_servers.elected(3);
        for (int i = 0; i < 3; ++i) {
            if (i != leader)
                m_servers.kill9(i);
        }
        QVERIFY(
            QTest::qWaitFor([&] { return m_servers.ask(leader, "srvr").contains("not currently serving"); }, 60000));
        const QString connectString = m_servers.connectString();
        m_servers.start(); // starts the two that are down, and returns when all three serve
        QCOMPARE(m_servers.connectString(), connectString);
        m_servers.elected(3);
    }

    // One server was down when a node was made, and another loses its disk: together they must not forget that node.
    void aServerThatLostItsDiskDoesNotVote()
    {
        async::QtLoop loop;
        m_servers.kill9(1);
        m_servers.elected(2);
        const zk::Path kept("/kept");
        QVERIFY(ask(&makeNode, kept));
        m_servers.stop();
        QVERIFY(QDir(m_servers.ensemble().server(0).dataDirectory()).removeRecursively());
        async::TaskGroup starting;
        starting.spawn(m_servers.ensemble().server(0).start());
        starting.spawn(m_servers.ensemble().server(1).start());
        QVERIFY(!QTest::qWaitFor([&] { return starting.empty(); }, 5'000)); // they would serve within two seconds
        starting.spawn(m_servers.ensemble().server(2).start());
        QVERIFY(QTest::qWaitFor([&] { return starting.empty(); }, 60'000));
        m_servers.elected(3);
        QVERIFY(ask(&hasNode, kept));
    }

    // A server that is killed in the first moments has the folder of its data already, and its mark no more.
    void anEnsembleThatWasKilledBeforeItsFirstSnapshotBegins()
    {
        QTemporaryDir directory;
        for (int i = 1; i <= 3; ++i)
            QVERIFY(QDir().mkpath(directory.filePath(QStringLiteral("%1/data/version-2").arg(i))));
        async::QtLoop loop;
        zk::LocalServerOptions options = testServerOptions();
        options.directory = directory.path();
        options.startLimit = std::chrono::seconds(60);
        zk::LocalEnsemble killed(loop, options);
        await(killed.start(), std::chrono::minutes(3));
        await(killed.stop(), std::chrono::minutes(2));
    }

    void cleanupTestCase()
    {
        m_servers.stop();
        for (int i = 0; i < 3; ++i)
            QVERIFY(!m_servers.ensemble().server(i).running());
    }
};

QTEST_GUILESS_MAIN(LocalEnsembleTest)
#include "local_ensemble_test.moc"
