#include "core/jobs/job_party.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

class ClusterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isMadeOnceByWhoeverComesFirst()
    {
        FakeParty party(2);
        const Layout layout("test");
        const QByteArrayList queues{"default", "gpu"};
        async::TaskGroup both;
        both.spawn(ensureCluster(party[0], layout, queues));
        both.spawn(ensureCluster(party[1], layout, queues));
        party.settle();
        QVERIFY(both.empty());
        QCOMPARE(party.run(queueNames(party[0], layout)), queues);
    }

    void anUnknownClusterIsNamedWithThoseThatAreThere()
    {
        JobParty party;
        try {
            party.run(openCluster(party[0], Layout("tset")));
            QFAIL("it was found");
        } catch (const NotFound &error) {
            QVERIFY(QString::fromUtf8(error.what()).contains(QStringLiteral("clusters: test")));
        }
    }

    void malformedSettingsAreTheDefaults()
    {
        JobParty party;
        party.write(party.layout.config(), "{]");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("malformed")));
        QCOMPARE(party.run(openCluster(party[0], party.layout)).queueLimit, ClusterConfig::DefaultQueueLimit);
        ClusterConfig config;
        config.queueLimit = 7;
        config.historyKeep = std::chrono::hours(24);
        config.historyLimit = 1000;
        party.write(party.layout.config(), config.encode());
        QCOMPARE(party.run(openCluster(party[0], party.layout)), config);
    }
};

QTEST_GUILESS_MAIN(ClusterTest)
#include "cluster_test.moc"
