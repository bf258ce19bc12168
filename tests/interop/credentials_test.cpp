#include "app/support/drover_on_server.h"
#include "app/support/open_nodes.h"
#include "interop/contention_run.h"

#include <QTest>

using namespace drover;
using namespace drover::test;

namespace {

// What tells that a node, its ACL or its children have been changed.
using TreeState = std::map<QByteArray, std::tuple<zk::Zxid, zk::Zxid, qint32, qint32>>;

async::Task<void> collectState(zk::Client &zk, zk::Path path, TreeState *state)
{
    const zk::Answer<zk::Children> children = co_await zk.children(path);
    const zk::Stat &stat = children->stat;
    (*state)[path.bytes()] = {stat.mzxid, stat.pzxid, stat.cversion, stat.aversion};
    for (const QByteArray &name : children->names)
        co_await collectState(zk, path / name, state);
}

} // namespace

// Curator and kazoo in a closed cluster: with the password of a role they share what is there, and without it they
// change nothing.
class CredentialsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster{testServerOptions(), DroverOnServer::Access::Closed};
    const jobs::Layout &m_layout = m_cluster.layout;
    std::map<QByteArray, std::unique_ptr<ForeignPeer>> m_peers; // "curator submit", "kazoo none"

    ForeignPeer &peer(const QByteArray &name, const QByteArray &role)
    {
        std::unique_ptr<ForeignPeer> &peer = m_peers[name + ' ' + role];
        if (!peer) {
            const std::optional<trust::Role> its = trust::parseRole(role);
            const QByteArray secret = its ? m_cluster.credentials().digestSecret(*its) : QByteArray();
            peer = std::make_unique<ForeignPeer>(name, m_cluster.server.connectString(),
                                                 its ? "digest:" + secret : QByteArray());
        }
        return *peer;
    }

    TreeState state()
    {
        TreeState state;
        await(collectState(m_cluster.zk(), m_layout.root(), &state));
        return state;
    }

    // Drover, Curator and kazoo wait for a holder and then contend. `meanwhile` looks at them while they wait.
    template <typename Meanwhile>
    void contend(const zk::Path &path, const QString &command, const QByteArray &role, const QByteArray &recipe,
                 const Meanwhile &meanwhile)
    {
        ContentionRun run(path);
        const QProcessEnvironment environment = m_cluster.drover.environment();
        QProcess &gate = run.join(environment, command, "drover-gate", "lock", 1, "echo held; cat; ");
        QByteArray seen;
        QVERIFY(waitForOutput(gate, "held", seen));
        run.join(environment, command, "drover-a", "lock", 3, "sleep 0.02; ");
        for (const char *const name : {"curator", "kazoo"})
            run.join(peer(name, role), "a", recipe);
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(path).size(), 4, 60'000);
        meanwhile();
        gate.closeWriteChannel();
        run.finish();
        QCOMPARE(run.verdict(), QString());
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default"}); }
    void cleanupTestCase() { m_peers.clear(); }

    void withARoleTheyShareALock()
    {
        contend(m_layout.lock("db"), QStringLiteral("lock db"), "submit", "write",
                [this] { QCOMPARE(openNodes(m_cluster.zk(), m_layout.root()), QByteArrayList()); });
    }

    void withoutOneTheyAreRefused_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("role");
        QTest::addColumn<QByteArray>("command"); // %1 is the cluster's root
        for (const QByteArray name : {"curator", "kazoo"}) {
            for (const QByteArray role : {"none", "viewer"}) {
                for (const QByteArray command :
                     {"write acquire %1/locks/db", "lock acquire %1/locks/new", "queue put %1/items/new x",
                      "count add %1/counters/new 1", "barrier set %1/barriers/new"})
                    QTest::newRow(name + " (" + role + "): " + command) << name << role << command;
            }
        }
    }
    void withoutOneTheyAreRefused()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, role);
        QFETCH(QByteArray, command);
        QCOMPARE(m_cluster.drover.run(words("lock db -- true")).exitCode, 0);
        const TreeState before = state();
        ForeignPeer &refused = peer(name, role);
        QString error;
        try {
            refused.ask("a", command.replace("%1", m_layout.root().bytes()));
        } catch (const PeerFailure &failure) {
            error = QString::fromUtf8(failure.what());
        }
        QVERIFY2(error.contains(u"NoAuth"), qPrintable(error));
        QCOMPARE(state(), before);
    }

    // As for programs that know nothing of Drover's roles. A line tells it to a user with credentials.
    void outsideTheClusterAllShareAsBefore()
    {
        const zk::Path path("/elsewhere/lock");
        const Finished told = m_cluster.drover.run(words("lock --path /elsewhere/lock -- true"));
        QCOMPARE(told.exitCode, 0);
        QVERIFY2(told.err.count('\n') == 1
                     && told.err.contains("is outside the cluster's /drover/default: all clients of ZooKeeper may"),
                 told.err);
        QVERIFY(openNodes(m_cluster.zk(), zk::Path("/elsewhere")).contains("/elsewhere"));
        contend(path, QStringLiteral("lock --path /elsewhere/lock"), "none", "lock", [] {});

        const Finished inside = m_cluster.drover.run(words("lock db -- true"));
        QCOMPARE(inside.exitCode, 0);
        QCOMPARE(inside.err, QByteArray());
    }
};

QTEST_GUILESS_MAIN(CredentialsTest)
#include "credentials_test.moc"
