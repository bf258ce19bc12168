#include "core/jobs/job_cluster.h"
#include "jobs/cluster/cluster_key.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

class ClusterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isMadeOnceByTheFirstClient()
    {
        FakeCluster fake(2);
        const Layout layout("test");
        const QByteArrayList queues{"default", "gpu"};
        async::TaskGroup both;
        both.spawn(ensureCluster(Cluster(fake[0], layout), queues));
        both.spawn(ensureCluster(Cluster(fake[1], layout), queues));
        fake.settle();
        QVERIFY(both.empty());
        QCOMPARE(fake.run(queueNames(Cluster(fake[0], layout))), queues);
        const std::optional<QByteArray> key = fake.run(clusterKey(Cluster(fake[0], layout)));
        QVERIFY(key && key->size() == 32);
        fake.run(ensureCluster(Cluster(fake[1], layout), queues)); // leaves it as it is
        QCOMPARE(fake.run(clusterKey(Cluster(fake[1], layout))), key);
    }

    void eachClusterHasAKeyOfItsOwn()
    {
        FakeCluster fake(1);
        QByteArrayList keys;
        for (const char *const name : {"one", "two"}) {
            const Layout layout(name);
            QVERIFY(!fake.run(clusterKey(Cluster(fake[0], layout))));
            fake.run(ensureCluster(Cluster(fake[0], layout), {}));
            keys.append(fake.run(clusterKey(Cluster(fake[0], layout))).value());
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
                FakeCluster fake(1);
                const Layout layout("test");
                fake.run(fake[0].ensurePath(layout.root()));
                fake.add({.faults = &faults});
                fake.add({.faults = &faults});
                async::TaskGroup both;
                both.spawn(ensureClusterKey(Cluster(fake[1], layout)));
                both.spawn(ensureClusterKey(Cluster(fake[2], layout)));
                fake.settle(std::chrono::seconds(60));
                QVERIFY(both.empty());
                QVERIFY(fake.run(clusterKey(Cluster(fake[0], layout))));
                QCOMPARE(fake.server.tree().find(layout.key())->stat.version, 0); // no other client has written over it
                bitten += faults.log().count(fault);
            }
            QVERIFY(bitten > 0);
        }
    }

    void aMalformedKeyIsNone()
    {
        JobCluster fake;
        for (const char *const text : {"", "{]", R"({"v":1})", R"({"v":1,"key":"abcd"})", R"({"v":2,"key":"abcd"})"}) {
            fake.write(fake.layout.key(), text);
            QVERIFY2(!fake.run(clusterKey(fake.cluster())), text);
        }
    }

    void anUnknownClusterIsNamedWithThoseThatAreThere()
    {
        JobCluster fake;
        try {
            fake.run(readClusterConfig(Cluster(fake[0], Layout("tset"))));
            QFAIL("it was found");
        } catch (const NotFound &error) {
            QVERIFY(QString::fromUtf8(error.what()).contains(QStringLiteral("clusters: test")));
        }
    }

    void thoseOfANewerDroverAreNot()
    {
        JobCluster fake;
        fake.write(fake.layout.config(), R"({"v":2,"limits":{"queue":7}})");
        try {
            fake.run(readClusterConfig(fake.cluster()));
            QFAIL("they were understood");
        } catch (const WrongState &error) {
            QCOMPARE(QString::fromUtf8(error.what()),
                     QStringLiteral("cluster test is in the hands of a newer drover (its config: it is of version 2 of "
                                    "its format, this drover knows 1); update drover on this machine"));
        }
    }

    void malformedSettingsAreTheDefaults()
    {
        JobCluster fake;
        fake.write(fake.layout.config(), "{]");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("malformed")));
        QCOMPARE(fake.run(readClusterConfig(fake.cluster())).queueLimit, ClusterConfig::DefaultQueueLimit);
        ClusterConfig config;
        config.queueLimit = 7;
        config.historyKeep = std::chrono::hours(24);
        config.historyLimit = 1000;
        fake.write(fake.layout.config(), config.encode());
        QCOMPARE(fake.run(readClusterConfig(fake.cluster())), config);
    }
};

QTEST_GUILESS_MAIN(ClusterTest)
#include "cluster_test.moc"
