#include "core/jobs/job_cluster.h"
#include "gui/feeds/cluster_changes.h"
#include "gui/feeds/znode_edits.h"
#include "gui/servers.h"
#include "jobs/events/audit_log.h"

#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

using Act = std::function<void(ZnodeEdits &edits, ClusterChanges &changes, const LockNode &holder)>;

// A change, and how the audit names it.
struct Deed {
    const char *action;
    const char *target;
    Act act;
};

// A cluster, a tree beside it, and the feeds that change these, on a session of their own.
struct World {
    JobCluster fake;
    ProcessLoop loop{fake.world};
    std::unique_ptr<FakeSession> zk;
    ZnodeEdits edits;
    ClusterChanges changes;
    LockNode holder;

    explicit World(FaultInjector *faults = nullptr, const std::shared_ptr<const trust::Credentials> &who = nullptr,
                   const QByteArray &cluster = {})
    {
        for (const char *const path : {"/app", "/app/a", "/app/a/b", "/app/one", "/app/line"})
            fake.commit(zk::Transaction().create(zk::Path(path), "data"));
        const zk::Answer<zk::Created> ticket = fake.run(takeTicket(fake[0]));
        holder = {ticket->path, fake.node(ticket->path).stat.czxid, u"pid 7"_qs};
        zk = fake.server.connect(loop, {.faults = faults});
        const Target target{test::Nowhere, cluster.isEmpty() ? fake.layout.clusterName() : cluster};
        edits.attach(*zk, target, who);
        changes.attach(*zk, target, who);
        fake.settle(1s);
    }
    static async::Task<zk::Answer<zk::Created>> takeTicket(zk::Client &zk)
    {
        const auto made =
            co_await zk.create(zk::Path("/app/line/_c_x-lock-"), "pid 7", zk::CreateMode::EphemeralSequential);
        co_return made;
    }

    // What is said of it, once it is over.
    QString carryOut(const Deed &deed)
    {
        QString said;
        QObject::connect(&edits, &ZnodeEdits::answered, &edits, [&](int, const ZnodeAnswer &answer) {
            said = (answer.kind == ZnodeAnswer::Kind::Done ? u"done: "_qs : u"not: "_qs) + answer.text;
        });
        QObject::connect(&changes, &ClusterChanges::changed, &edits,
                         [&](int, const QString &remark) { said = u"done: "_qs + remark; });
        QObject::connect(&changes, &ClusterChanges::failed, &edits,
                         [&](int, const QString &why) { said = u"not: "_qs + why; });
        deed.act(edits, changes, holder);
        fake.settle(10s);
        return said;
    }
    std::vector<jobs::AuditRecord> audit() { return fake.run(jobs::readAudit(fake.cluster())); }
};

std::vector<Deed> deeds()
{
    const zk::Path a("/app/a");
    return {
        {"znode-created", "/app/new",
         [](ZnodeEdits &e, ClusterChanges &, const LockNode &) {
             e.create(1, {zk::Path("/app/new"), "secret"});
         }},
        {"znode-written", "/app/a",
         [a](ZnodeEdits &e, ClusterChanges &, const LockNode &) {
             e.write(1, {a, "secret", 0});
         }},
        {"znodes-deleted", "/app/one",
         [](ZnodeEdits &e, ClusterChanges &, const LockNode &) { e.remove(1, zk::Path("/app/one"), 1); }},
        {"lock-asked", nullptr, [](ZnodeEdits &, ClusterChanges &c, const LockNode &holder) { c.ask(1, holder); }},
        {"lock-broken", nullptr,
         [](ZnodeEdits &, ClusterChanges &c, const LockNode &holder) { c.breakLock(1, holder); }},
        {"znode-acl-changed", "/app/a",
         [a](ZnodeEdits &e, ClusterChanges &, const LockNode &) {
             e.setAcl(1, {a, zk::openAcl(), 0});
         }},
        {"znodes-deleted", "/app/a", [a](ZnodeEdits &e, ClusterChanges &, const LockNode &) { e.remove(1, a, 2); }},
        {"znodes-copied", "/app/a",
         [a](ZnodeEdits &e, ClusterChanges &, const LockNode &) {
             e.copy(1, {a, zk::Path("/app/c")});
         }},
        {"znodes-moved", "/app/a",
         [a](ZnodeEdits &e, ClusterChanges &, const LockNode &) {
             e.copy(1, {a, zk::Path("/app/c"), true});
         }},
    };
}

constexpr int InTransactions = 5; // the first of them

} // namespace

// What the console changes about znodes and the holders of locks is in the audit of the cluster.
class NotedChangesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachChangeLeavesOneEntry()
    {
        for (const Deed &deed : deeds()) {
            World world;
            QVERIFY2(world.carryOut(deed).startsWith(u"done: "_qs), deed.action);
            const std::vector<jobs::AuditRecord> entries = world.audit();
            QVERIFY2(entries.size() == 1, deed.action);
            QCOMPARE(entries[0].entry.action, QLatin1String(deed.action));
            QCOMPARE(entries[0].entry.target,
                     deed.target ? QString::fromLatin1(deed.target) : world.holder.path.toString());
            QVERIFY(!entries[0].entry.detail.contains(u"secret"_qs));
        }
    }

    // A request that asks twice what was done once finds the entry.
    void aLostReplyMakesNoSecondChange()
    {
        const std::vector<Deed> all = deeds();
        int bitten = 0;
        for (int i = 0; i < InTransactions; ++i) {
            for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply}) {
                for (quint64 operation = 1; operation <= 8; ++operation) {
                    FaultPlan plan;
                    plan.scripted[operation] = fault;
                    FaultInjector faults(plan);
                    World world(&faults);
                    const QString said = world.carryOut(all[std::size_t(i)]);
                    QVERIFY2(said.startsWith(u"done: "_qs), qPrintable(said));
                    QCOMPARE(world.audit().size(), 1u);
                    bitten += faults.log().count(fault) > 0 ? 1 : 0;
                }
            }
        }
        QVERIFY(bitten >= 2 * InTransactions);
    }

    void aRefusedChangeLeavesNoEntry()
    {
        for (const Deed &deed : deeds()) {
            if (deed.action == QByteArrayView("znode-created"))
                continue;
            World world;
            for (const char *const path : {"/app/a/b", "/app/a", "/app/one"})
                world.fake.commit(zk::Transaction().remove(zk::Path(path)));
            world.fake.commit(zk::Transaction().remove(world.holder.path));
            QVERIFY2(world.carryOut(deed).startsWith(u"not: "_qs), deed.action);
            QVERIFY2(world.audit().empty(), deed.action);
        }
    }

    // Another contender may have a node of that name, where names are not unique.
    void onlyTheHolderThatWasShownIsMeant()
    {
        for (const Deed &deed : deeds()) {
            if (deed.target)
                continue;
            World world;
            world.holder.czxid -= 1;
            const QString said = world.carryOut(deed);
            QVERIFY2(said.contains(u"has let go meanwhile"_qs), qPrintable(said));
            QVERIFY(world.fake.exists(world.holder.path));
            QCOMPARE(world.fake.node(world.holder.path).data, QByteArray("pid 7"));
        }
    }

    void anEnsembleWithoutThatClusterGetsNoAudit()
    {
        for (const Deed &deed : deeds()) {
            World world(nullptr, nullptr, "other");
            QCOMPARE(world.carryOut(deed).startsWith(u"done: "_qs), true);
            QVERIFY(!world.fake.exists(jobs::Layout("other").root()));
        }
    }

    void theAnswerSaysThatTheAuditHasNoEntry()
    {
        for (const Deed &deed : deeds()) {
            World world;
            world.fake.run(world.fake[0].ensurePath(world.fake.layout.audit()));
            const zk::AclList readOnly{{1, "world", "anyone"}};
            world.fake.run(lock(world.fake[0], world.fake.layout.audit(), readOnly));
            const QString said = world.carryOut(deed);
            QVERIFY2(said.startsWith(u"done: "_qs), qPrintable(said));
            QVERIFY2(said.contains(u"The audit has no entry of it"_qs), qPrintable(said));
        }
    }

private:
    static async::Task<void> lock(zk::Client &zk, zk::Path path, zk::AclList acl)
    {
        const auto set = co_await zk.setAcl(path, acl);
        set.require();
    }
};

QTEST_GUILESS_MAIN(NotedChangesTest)
#include "noted_changes_test.moc"
