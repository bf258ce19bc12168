#include "core/jobs/job_cluster.h"
#include "jobs/cluster/output_access.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

namespace {

async::Task<void> publish(Cluster cluster, OutputAccess access, bool &published)
{
    published = co_await publishOutputAccess(cluster, "w1", access);
}

} // namespace

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
    }

    // The request to publish it is lost, or the reply.
    void theAccessToOutputIsPublishedWhateverIsLost()
    {
        for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply}) {
            quint64 bitten = 0;
            for (quint64 step = 1; step <= 3; ++step) {
                FaultPlan plan;
                plan.scripted[step] = fault;
                FaultInjector faults(plan);
                FakeCluster fake(1);
                const Layout layout("test");
                fake.run(fake[0].ensurePath(layout.outputs()));
                fake.add({.faults = &faults});
                const OutputAccess access{.endpoint = QStringLiteral("h:1"), .key = OutputAccess::newKey()};
                bool published = false;
                async::TaskGroup publishing;
                publishing.spawn(publish(Cluster(fake[1], layout), access, published));
                fake.settle(std::chrono::seconds(60));
                QVERIFY(published && publishing.empty());
                const OutputAccess read = OutputAccess::decode(fake.server.tree().find(layout.output("w1"))->data);
                QCOMPARE(read.endpoint, access.endpoint);
                QCOMPARE(read.key, access.key);
                bitten += faults.log().count(fault);
            }
            QVERIFY(bitten > 0);
        }
    }

    void aNodeOfAnotherClientIsLeftAlone()
    {
        JobCluster fake;
        fake.write(fake.layout.output("w1"), "theirs");
        QVERIFY(!fake.run(publishOutputAccess(fake.cluster(), "w1", {.endpoint = {}, .key = OutputAccess::newKey()})));
        QCOMPARE(fake.server.tree().find(fake.layout.output("w1"))->data, QByteArray("theirs"));
    }

    void malformedOutputAccessIsNotDecoded()
    {
        for (const char *const text : {"", "{]", R"({"v":1})", R"({"v":1,"key":"abcd"})", R"({"v":2,"key":"abcd"})"})
            QVERIFY2(!tryDecode<OutputAccess>(QByteArray(text)), text);
        QVERIFY(OutputAccess::newKey() != OutputAccess::newKey());
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

    // Its settings come last. Until then a command that lists the clusters sees it.
    void aClusterThatIsBeingMadeIsNotDenied()
    {
        JobCluster fake;
        fake.run(fake[0].ensurePath(Layout("made").root()));
        try {
            fake.run(readClusterConfig(Cluster(fake[0], Layout("made"))));
            QFAIL("it was found");
        } catch (const NotFound &error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QStringLiteral("is not whole yet")), error.what());
        }
    }

    void settingsOfANewerDroverAreRefused()
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
