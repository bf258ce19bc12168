#include "core/jobs/job_party.h"
#include "jobs/cluster_key.h"

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
        const std::optional<QByteArray> key = party.run(clusterKey(party[0], layout));
        QVERIFY(key && key->size() == 32);
        party.run(ensureCluster(party[1], layout, queues)); // leaves it as it is
        QCOMPARE(party.run(clusterKey(party[1], layout)), key);
    }

    void eachClusterHasAKeyOfItsOwn()
    {
        FakeParty party(1);
        QByteArrayList keys;
        for (const char *const name : {"one", "two"}) {
            const Layout layout(name);
            QVERIFY(!party.run(clusterKey(party[0], layout)));
            party.run(ensureCluster(party[0], layout, {}));
            keys.append(party.run(clusterKey(party[0], layout)).value());
        }
        QVERIFY(keys[0] != keys[1]);
    }

    // The request to make it is lost, or the reply, or the connection; another makes it at the same time.
    void aKeyIsMadeOnceWhateverIsLost()
    {
        for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply, Fault::Disconnect}) {
            quint64 bitten = 0;
            for (quint64 step = 1; step <= 6; ++step) {
                FaultPlan plan;
                plan.scripted[step] = fault;
                FaultInjector faults(plan);
                FakeParty party(1);
                const Layout layout("test");
                party.run(party[0].ensurePath(layout.root()));
                party.add({.faults = &faults});
                party.add({.faults = &faults});
                async::TaskGroup both;
                both.spawn(ensureClusterKey(party[1], layout));
                both.spawn(ensureClusterKey(party[2], layout));
                party.settle(std::chrono::seconds(60));
                QVERIFY(both.empty());
                QVERIFY(party.run(clusterKey(party[0], layout)));
                QCOMPARE(party.server.tree().find(layout.key())->stat.version, 0); // nobody has written over it
                bitten += faults.log().count(fault);
            }
            QVERIFY(bitten > 0);
        }
    }

    void aMalformedKeyIsNone()
    {
        JobParty party;
        for (const char *const text : {"", "{]", R"({"v":1})", R"({"v":1,"key":"abcd"})", R"({"v":2,"key":"abcd"})"}) {
            party.write(party.layout.key(), text);
            QVERIFY2(!party.run(clusterKey(party[0], party.layout)), text);
        }
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
