#include "app/support/access_of.h"
#include "app/support/drover_on_server.h"
#include "gui/models/wait_graph.h"
#include "gui/session_as_user.h"
#include "gui/workspace/console_models.h"
#include "jobs/cluster/cluster_trust.h"
#include "support/await.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;

// The console's models and feeds beside `drover lock`, on a real server.
class RealLocksTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    DroverOnServer m_cluster;
    async::QtLoop m_loop;
    ConsoleModels m_models;
    std::unique_ptr<ConsoleSession> m_console;

    std::unique_ptr<QProcess> hold(const QStringList &options)
    {
        std::unique_ptr<QProcess> holder =
            m_cluster.drover.start(QStringList{u"lock"_qs} + options
                                   + QStringList{u"--"_qs, u"sh"_qs, u"-c"_qs,
                                                 u"trap 'exit 8' TERM; echo held; while :; do sleep 0.05; done"_qs});
        QByteArray seen;
        if (!waitForOutput(*holder, "held", seen))
            throw std::runtime_error("the lock is not held");
        return holder;
    }
    // The row of the holder; none: it is not shown.
    std::optional<LockRow> holderOf(const QByteArray &lock) const
    {
        for (int row = 0; row < m_models.locks.rowCount(); ++row) {
            if (m_models.locks.row(row).lock == lock && m_models.locks.row(row).place == 0)
                return m_models.locks.row(row);
        }
        return std::nullopt;
    }
    LockNode nodeOf(const QByteArray &lock) const
    {
        const LockRow row = holderOf(lock).value();
        return {zk::Path(row.directory) / row.ticket, row.czxid, u"a holder"_qs};
    }
    QStringList audited() const
    {
        QStringList actions;
        const QJsonArray all = json(m_cluster.drover.run(words("events --audit -o json")))[u"audit"].toArray();
        for (const QJsonValue &entry : all)
            actions << entry[u"action"].toString() + (entry[u"proven"].toBool() ? u""_qs : u" unproven"_qs);
        return actions;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        const trust::Credentials &user = m_cluster.credentials();
        await(jobs::publishCertificate(signedCluster(m_cluster.zk(), user), user)); // so that entries are proven
        m_console = std::make_unique<ConsoleSession>(m_loop, sessionAsUser(m_cluster));
        connectModels(m_models, *m_console);
        m_console->open({m_cluster.server.connectString(), "default"});
    }
    void cleanupTestCase() { m_console.reset(); }

    void aHolderIsAskedAndAPlaceIsTaken()
    {
        const std::unique_ptr<QProcess> asked = hold({u"db"_qs, u"--revocable"_qs});
        QTRY_VERIFY_WITH_TIMEOUT(holderOf("db").has_value(), Limit);
        QSignalSpy changed(&m_console->changes(), &ClusterChanges::changed);
        m_console->changes().ask(1, nodeOf("db"));
        QCOMPARE(DroverProgram::finish(*asked).exitCode, 8);
        QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, Limit);
        QTRY_VERIFY_WITH_TIMEOUT(!holderOf("db").has_value(), Limit);

        const std::unique_ptr<QProcess> broken = hold({u"db"_qs});
        QTRY_VERIFY_WITH_TIMEOUT(holderOf("db").has_value(), Limit);
        m_console->changes().breakLock(2, nodeOf("db"));
        const Finished lost = DroverProgram::finish(*broken);
        QCOMPARE(lost.exitCode, 1);
        QVERIFY2(lost.err.contains("its znode was deleted"), lost.err);
        m_console->znodeEdits().create(3, {zk::Path("/note"), "text"});
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(zk::Path()).contains("note"), Limit);
        QCOMPARE(audited(), (QStringList{u"lock-asked"_qs, u"lock-broken"_qs, u"znode-created"_qs}));
    }

    // Two sessions hold crosswise a lock of the cluster and one elsewhere.
    void aDeadlockWithALockElsewhereIsCertain()
    {
        const std::unique_ptr<zk::Session> one = connect();
        const std::unique_ptr<zk::Session> other = connect();
        const zk::Path ours = m_cluster.layout.lock("alpha");
        const zk::Path elsewhere("/app/mutex");
        await(stand(*one, ours, "A"));
        await(stand(*other, elsewhere, "B"));
        await(stand(*one, elsewhere, "A"));
        m_console->locks().search();
        QTRY_VERIFY_WITH_TIMEOUT(holderOf("/app/mutex") && holderOf("alpha"), Limit);
        QVERIFY(m_models.waits.deadlocks().isEmpty());
        await(stand(*other, ours, "B"));
        QTRY_COMPARE_WITH_TIMEOUT(m_models.waits.deadlocks().size(), 1, Limit);
        QCOMPARE(m_models.waits.deadlocks().front().evidence.size(), 4);
        QCOMPARE(m_models.locks.deadlocks().size(), 1);
        await(one->close());
        QTRY_VERIFY_WITH_TIMEOUT(m_models.waits.deadlocks().isEmpty(), Limit);
        await(other->close());
    }

    // Each command has a lock, and its drover waits for that of the other.
    void aDeadlockOfNestedCommandsIsNamed_data()
    {
        QTest::addColumn<QString>("outer"); // of the one; the other has --path /app/nested
        QTest::addColumn<QByteArray>("lock"); // as the model calls it
        QTest::newRow("a lock") << u"lock nested"_qs << QByteArray("nested");
        QTest::newRow("a semaphore") << u"semaphore nested --permits 1"_qs << QByteArray("limit nested");
    }
    void aDeadlockOfNestedCommandsIsNamed()
    {
        QFETCH(QString, outer);
        QFETCH(QByteArray, lock);
        const QString elsewhere = u"lock --write --path /app/nested"_qs;
        const std::unique_ptr<QProcess> one = nest(outer, elsewhere);
        const std::unique_ptr<QProcess> other = nest(elsewhere, u"lock between -- $DROVER_BIN_DIR/drover "_qs + outer);
        for (QProcess *const process : {one.get(), other.get()}) {
            QByteArray seen;
            QVERIFY(waitForOutput(*process, "held", seen));
        }
        m_console->locks().search();
        QTRY_VERIFY_WITH_TIMEOUT(holderOf("/app/nested") && holderOf(lock), Limit);
        QVERIFY(m_models.waits.deadlocks().isEmpty());
        one->write("go\n");
        other->write("go\n");
        QTRY_COMPARE_WITH_TIMEOUT(m_models.waits.deadlocks().size(), 1, Limit);
        const QString path = m_models.waits.deadlocks().front().path();
        QVERIFY2(path.contains(u"/app/nested → "_qs) && path.contains(QString::fromUtf8(lock) + u" → "_qs),
                 qPrintable(path));
        const WaitGraph graph = WaitGraph::of(m_models.waits.rows(), m_models.waits.deadlocks(), 300);
        const auto arrows = std::count_if(graph.arrows.begin(), graph.arrows.end(),
                                          [](const WaitGraph::Arrow &arrow) { return arrow.isInCircle; });
        QCOMPARE_GE(arrows, 6);

        one->terminate(); // its command gets the signal
        QVERIFY(DroverProgram::finish(*one).exitCode != 0);
        QCOMPARE(DroverProgram::finish(*other).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(m_models.waits.deadlocks().isEmpty(), Limit);
    }

private:
    // A drover in a drover: the inner one begins when a line is written to it.
    std::unique_ptr<QProcess> nest(const QString &outer, const QString &inner)
    {
        const QString script = u"echo held; read go; exec $DROVER_BIN_DIR/drover %1 -- true"_qs.arg(inner);
        return m_cluster.drover.start(words(outer) + QStringList{u"--"_qs, u"sh"_qs, u"-c"_qs, script});
    }
    std::unique_ptr<zk::Session> connect()
    {
        zk::SessionOptions options;
        options.servers = m_cluster.server.connectString();
        options.access = accessOf(m_cluster.credentials());
        auto session = std::make_unique<zk::Session>(m_loop, options);
        session->open();
        await(session->connected());
        return session;
    }
    static async::Task<void> stand(zk::Client &zk, zk::Path directory, QByteArray about)
    {
        co_await zk.ensurePath(directory);
        const auto made = co_await zk.create(directory / "_c_x-lock-", about, zk::CreateMode::EphemeralSequential);
        made.require();
    }
};

QTEST_GUILESS_MAIN(RealLocksTest)
#include "real_locks_test.moc"
