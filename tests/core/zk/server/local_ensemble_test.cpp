#include "support/zk_server.h"

#include <QTest>

using namespace drover;
using namespace drover::test;

// The tests share one ensemble, for three servers take seconds to start; each leaves it complete.
class LocalEnsembleTest : public QObject
{
    Q_OBJECT

private:
    TestEnsemble m_servers;

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

    void cleanupTestCase()
    {
        m_servers.stop();
        for (int i = 0; i < 3; ++i)
            QVERIFY(!m_servers.ensemble().server(i).running());
    }
};

QTEST_GUILESS_MAIN(LocalEnsembleTest)
#include "local_ensemble_test.moc"
