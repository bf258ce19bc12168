#include "app/support/drover_on_server.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/model/final_record.h"
#include "support/await.h"
#include "support/send_signal.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// No program crashes or stops because of what other programs or people have written into the cluster's nodes.
class ForeignNodesTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster{DroverOnServer::Access::Open};
    const jobs::Layout &m_layout = m_cluster.layout;
    DroverProgram &m_drover = m_cluster.drover;

    static QStringList submit(const char *queue)
    {
        return {QStringLiteral("submit"), QStringLiteral("--queue"), QLatin1String(queue), QStringLiteral("--"),
                QStringLiteral("true")};
    }

    // Everywhere, and with the same word: no job goes there.
    void requireMalformedMember(const QString &id)
    {
        const auto rowIn = [&id](const QJsonObject &said) {
            for (const QJsonValue worker : said[u"workers"].toArray()) {
                if (worker[u"worker"].toString() == id)
                    return worker.toObject();
            }
            return QJsonObject();
        };
        const QJsonObject listed = rowIn(json(m_drover.run(words("worker ls -o json"))));
        QCOMPARE(listed[u"state"].toString(), QStringLiteral("malformed"));
        const QJsonObject shown = json(m_drover.run(words("worker show -o json") << id));
        QCOMPARE(shown[u"state"].toString(), QStringLiteral("malformed"));
        QVERIFY(!shown[u"malformed"].toString().isEmpty());
        const QJsonObject atTop = rowIn(json(m_drover.run(words("top -o json"))));
        QCOMPARE(atTop[u"malformed"], shown[u"malformed"]);
        const Finished doctor = m_drover.run(words("doctor"));
        QVERIFY2(doctor.out.contains("member " + id.toUtf8()) && doctor.out.contains("is malformed"), doctor.out);
        const Finished drain = m_drover.run(words("worker drain") << id);
        QCOMPARE(drain.exitCode, 4);
        QCOMPARE(drain.err.count("drover: worker " + id.toUtf8() + " is malformed"), 1); // beside one about `config`
        const QJsonObject cordoned = json(m_drover.run(words("worker show -o json") << id));
        QCOMPARE(cordoned[u"state"].toString(), QStringLiteral("malformed"));
    }

    static QByteArray spec()
    {
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        return spec.encode();
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("guarded")}); }

    // What other programs wrote is shown as malformed and skipped; what is sound beside it is still shown.
    void malformedZnodes()
    {
        const QByteArray sound = m_drover.run(submit("default")).out.trimmed();
        const QByteArray garbage("\xff\x00{not json", 12);
        m_cluster.write(m_layout.queue("default") / "q5-0000000500", garbage);
        m_cluster.write(m_layout.queue("default") / "nonsense", garbage);
        m_cluster.write(m_layout.claims() / "nonsense", garbage);
        m_cluster.write(m_layout.done() / "default-501", garbage);
        m_cluster.write(m_layout.done() / "nonsense", garbage);
        m_cluster.write(m_layout.members() / "broken", garbage);
        m_cluster.write(m_layout.members() / "slotless", R"({"v":1})");
        m_cluster.write(m_layout.master() / "nonsense", garbage);
        m_cluster.write(m_layout.stats(), garbage);
        m_cluster.write(m_layout.config(), garbage);

        const Finished list = m_drover.run({QStringLiteral("ls"), QStringLiteral("--all")});
        QCOMPARE(list.exitCode, 0);
        QVERIFY2(list.out.contains("default-500") && list.out.contains("default-501") && list.out.contains(sound),
                 list.out);
        QCOMPARE(list.out.count("(malformed)"), 2);
        QVERIFY(!list.out.contains('\xff'));

        const Finished shown = m_drover.run({QStringLiteral("show"), QStringLiteral("default-500")});
        QCOMPARE(shown.exitCode, 0);
        QVERIFY2(shown.out.contains("malformed"), shown.out);
        QCOMPARE(m_drover.run({QStringLiteral("show"), QStringLiteral("default-501")}).exitCode, 0);

        const Finished waited = m_drover.run({QStringLiteral("wait"), QStringLiteral("default-501")});
        QCOMPARE(waited.exitCode, 1);
        QVERIFY2(waited.err.contains("malformed"), waited.err);

        const Finished workers = m_drover.run({QStringLiteral("worker"), QStringLiteral("ls")});
        QCOMPARE(workers.exitCode, 0);
        QVERIFY2(workers.out.contains("broken") && workers.out.contains("slotless"), workers.out);
        QCOMPARE(workers.out.count("(malformed)"), 2);

        requireMalformedMember(QStringLiteral("broken"));
        requireMalformedMember(QStringLiteral("slotless"));

        const Finished queues = m_drover.run({QStringLiteral("queue"), QStringLiteral("ls")});
        QCOMPARE(queues.exitCode, 0);
        QVERIFY2(queues.out.contains("default") && queues.out.contains("guarded"), queues.out);

        const Finished tree = m_drover.run({QStringLiteral("tree"), QStringLiteral("-o"), QStringLiteral("json")});
        QCOMPARE(tree.exitCode, 0);
        QVERIFY(tree.out.contains("nonsense"));

        // With the settings unreadable the defaults hold, and jobs are still taken.
        QCOMPARE(m_drover.run(submit("default")).exitCode, 0);
        m_cluster.write(m_layout.config(), jobs::ClusterConfig().encode());
    }

    // During an update of the cluster's machines, some programs meet what newer ones have stored.
    void znodesOfANewerFormatStayUnchanged()
    {
        const zk::Path job = m_layout.queue("default") / "q5-0000000600";
        const zk::Path record = m_layout.done() / "default-601";
        const QByteArray storedJob = spec().replace("\"v\":2", "\"v\":3");
        const QByteArray storedRecord = jobs::FinalRecord().encode().replace("\"v\":1", "\"v\":2");
        m_cluster.write(job, storedJob);
        m_cluster.write(record, storedRecord);
        const Finished list = m_drover.run(words("ls --all"));
        QCOMPARE(list.exitCode, 0);
        QCOMPARE(list.out.count("(newer format)"), 2);
        for (const char *const command : {"show default-600", "show default-601"}) {
            const Finished shown = m_drover.run(words(command));
            QCOMPARE(shown.exitCode, 0);
            QVERIFY2(shown.out.contains("; update drover on this machine"), shown.out);
        }
        for (const char *const command : {"cancel", "hold", "priority 3"}) {
            const Finished refused = m_drover.run(words(command) << QStringLiteral("default-600"));
            QCOMPARE(refused.exitCode, 4);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("update drover on this machine"), refused.err);
        }
        const Finished waited = m_drover.run(words("wait default-601"));
        QCOMPARE(waited.exitCode, 1);
        QVERIFY2(waited.complainsOnce() && waited.err.contains("cannot be read here"), waited.err);
        QCOMPARE(m_cluster.data(job), storedJob);
        QCOMPARE(m_cluster.data(record), storedRecord);
        m_cluster.remove(job);
        m_cluster.remove(record);
    }

    // A worker goes on beside jobs that it may not read, may not claim, or that have ended already.
    void nodesOutOfReachStopNoWorker()
    {
        await(authenticate(m_cluster.zk()));
        const zk::Acl owner{31, "auth", ""};
        const zk::Acl readers{1, "world", "anyone"};
        const zk::Path queue = m_layout.queue("guarded");
        m_cluster.createFor(queue / "q0-0000000900", spec(), {owner});
        m_cluster.createFor(queue / "q0-0000000901", spec(), {owner, readers});
        m_cluster.write(m_layout.done() / "guarded-902", jobs::FinalRecord().encode());
        m_cluster.write(queue / "q0-0000000902", "put back by hand");
        const QTemporaryDir directory;
        const QString history = directory.filePath(QStringLiteral("h.sqlite"));
        m_cluster.createFor(m_layout.done() / "guarded-903", jobs::FinalRecord().encode(), {owner});

        const std::unique_ptr<QProcess> worker =
            m_drover.start({QStringLiteral("worker"), QStringLiteral("--queue"), QStringLiteral("guarded"),
                            QStringLiteral("--history"), history});
        QByteArray latest;
        for (int i = 0; i < 3; ++i) {
            latest = m_drover.run(submit("guarded")).out.trimmed();
            const Finished waited = m_drover.run({QStringLiteral("wait"), QString::fromUtf8(latest)});
            QVERIFY2(waited.exitCode == 0, waited.err);
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(queue).size(), 2, 30'000);
        const QStringList archived{QStringLiteral("history"), QStringLiteral("--history"), history};
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(archived).out.contains(latest), 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(
            m_drover.run({QStringLiteral("doctor")}).out.contains("the master cannot read 1 final record"), 30'000);
        const Finished list =
            m_drover.run({QStringLiteral("ls"), QStringLiteral("--queue"), QStringLiteral("guarded")});
        QCOMPARE(list.exitCode, 0);
        QVERIFY2(list.out.contains("guarded-900") && list.out.contains("guarded-901"), list.out);

        QCOMPARE(worker->state(), QProcess::Running);
        sendSignal(*worker, SIGTERM);
        QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
    }

    // A worker goes on with its other queues when one may not be read, or has gone.
    void aQueueOutOfReachStopsNoOther()
    {
        const zk::Path queue = m_layout.queue("shut");
        const std::unique_ptr<QProcess> worker =
            m_drover.start(words("worker --slots 1 --queue open --queue shut --id two"));
        QByteArray said;
        QVERIFY2(waitForMessage(*worker, "worker two", said), said);
        const Finished before = m_drover.run(words("run --queue shut -- true"));
        QVERIFY2(before.exitCode == 0, before.err);
        for (const bool isRemoved : {false, true}) {
            if (isRemoved)
                m_cluster.remove(queue);
            else
                await(setRights(m_cluster.zk(), queue, zk::AllPermissions - 1));
            for (int i = 0; i < 3; ++i) {
                const Finished beside = m_drover.run(words("run --queue open -- true"));
                QVERIFY2(beside.exitCode == 0, beside.err);
            }
            QVERIFY2(waitForMessage(*worker, isRemoved ? "it is no longer there" : "nothing is claimed from it", said),
                     said);
            const QByteArray doctor = m_drover.run(words("doctor")).out;
            QVERIFY2(doctor.contains(isRemoved ? "it is not there, although a worker serves it"
                                               : "queues/shut: permission denied"),
                     doctor);
            for (const QByteArray &record : m_cluster.children(m_layout.done())) {
                if (isRemoved && record.startsWith("shut-"))
                    m_cluster.remove(m_layout.done() / record); // the ids begin again
            }
            if (isRemoved)
                m_cluster.write(queue, {});
            else
                await(setRights(m_cluster.zk(), queue, zk::AllPermissions));
            const Finished after = m_drover.run(words("run --queue shut -- true"));
            QVERIFY2(after.exitCode == 0, after.err);
        }
        QCOMPARE(worker->state(), QProcess::Running);
        sendSignal(*worker, SIGTERM);
        QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
    }

    void aJobDeletedByHandEndsItsWaiters()
    {
        const QByteArray id = m_drover.run(submit("guarded")).out.trimmed();
        const std::unique_ptr<QProcess> waiter = m_drover.start(words("wait -o json") << QString::fromUtf8(id));
        const std::optional<jobs::JobId> job = jobs::JobId::parse(QString::fromUtf8(id));
        QVERIFY(job);
        const zk::Path path = m_layout.job("guarded", {jobs::QueueEntry::Class::Ready, 5, job->number});
        // The waiter's is the only watch of all: the worker is gone.
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.server.watches(), 1, 30'000);
        m_cluster.remove(path);
        const Finished finished = DroverProgram::finish(*waiter);
        QCOMPARE(finished.exitCode, 3);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(id) && finished.err.contains("deleted"),
                 finished.err);
    }

private:
    static async::Task<void> authenticate(zk::Session &session)
    {
        const zk::Answer<zk::Nothing> added = co_await session.addAuth("digest", "another:user");
        added.require();
    }

    static async::Task<void> setRights(zk::Session &session, zk::Path path, qint32 permissions)
    {
        const zk::AclList acl(1, zk::Acl{permissions, "world", "anyone"});
        const zk::Answer<zk::Nothing> set = co_await session.setAcl(path, acl);
        set.require();
    }
};

QTEST_GUILESS_MAIN(ForeignNodesTest)
#include "foreign_nodes_test.moc"
