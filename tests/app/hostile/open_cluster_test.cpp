#include "app/support/drover_on_server.h"
#include "app/support/open_nodes.h"

#include <QTest>

#include <sys/resource.h>

using namespace drover;
using namespace drover::test;

namespace {

// "plant" leaves a node behind that all clients may use, "leave" one that is closed.
int actAsATest(const QString &what)
{
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    DroverOnServer cluster;
    cluster.start({"default"});
    if (what == u"plant")
        cluster.createFor(cluster.layout.lock("planted"), {}, zk::openAcl());
    else
        cluster.write(cluster.layout.lock("planted"), {});
    return 0;
}

} // namespace

// The tests of the programs run on closed clusters. What is different in an open one: no client needs credentials, and
// all programs say so.
class OpenClusterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anOpenClusterIsForEverybody()
    {
        DroverOnServer cluster(DroverOnServer::Access::Open);
        cluster.start({"default"});
        std::unique_ptr<QProcess> worker = cluster.drover.start(words("worker --slots 1"));
        QByteArray said;
        QVERIFY2(waitForMessage(*worker, "cluster default is open: all who reach ZooKeeper can run commands", said),
                 said);
        const Finished ran = cluster.drover.run(words("run -- echo hello"));
        QVERIFY2(ran.exitCode == 0 && ran.out == "hello\n", ran.err);
        for (const char *const line :
             {"submit --hold -- true", "ls", "show default-1", "cancel default-1", "lock db -- true", "worker ls"}) {
            const Finished finished = cluster.drover.run(words(line));
            QVERIFY2(finished.exitCode == 0 && finished.err.isEmpty(), line + (": " + finished.err));
        }
        const QJsonObject job = json(cluster.drover.run(words("show -o json default-1")));
        QVERIFY(job.value(u"submitter").toString().contains(u'@')); // as no certificate names a person
        QVERIFY(cluster.drover.run(words("doctor")).out.contains("open: all who reach ZooKeeper"));
        QVERIFY(openNodes(cluster.zk(), cluster.layout.root()).contains(cluster.layout.members().bytes()));
        cluster.stopWorker(worker);
    }

    // Each test of a closed cluster ends with a walk through all nodes.
    void anOpenNodeFailsTheTestOfAClosedOne_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<bool>("fails");
        QTest::newRow("a node for all clients") << QStringLiteral("plant") << true;
        QTest::newRow("a node as all others") << QStringLiteral("leave") << false;
    }
    void anOpenNodeFailsTheTestOfAClosedOne()
    {
        QFETCH(QString, what);
        QFETCH(bool, fails);
        QProcess test;
        test.start(QCoreApplication::applicationFilePath(), {what});
        QVERIFY(test.waitForFinished(60'000));
        const QByteArray said = test.readAllStandardError();
        QVERIFY2((test.exitStatus() == QProcess::CrashExit) == fails, said);
        QVERIFY2(fails == said.contains("open to all clients: /drover/default/locks/planted"), said);
    }
};

int main(int count, char **arguments)
{
    QCoreApplication app(count, arguments);
    const QString what = app.arguments().value(1);
    if (what == u"plant" || what == u"leave")
        return actAsATest(what);
    OpenClusterTest test;
    return QTest::qExec(&test, count, arguments);
}

#include "open_cluster_test.moc"
