#include "core/jobs/job_cluster.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/explain/reasons.h"
#include "jobs/explain/why.h"
#include "support/fake/fake_acl.h"
#include "trust/issuer.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

namespace {

constexpr qint32 Read = zk::ReadPermission;
constexpr qint32 Write = zk::WritePermission;

zk::AclList everybody(qint32 permissions)
{
    return {{permissions, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}};
}

async::Task<void> setAcl(zk::Client &zk, zk::Path path, zk::AclList acl)
{
    const zk::Answer<zk::Nothing> set = co_await zk.setAcl(path, acl);
    set.require();
}

// A cluster with one job, as a client of a role sees it; without credentials it is open.
struct Fixture {
    JobCluster fake;
    std::shared_ptr<const trust::Credentials> mine;
    JobId id = fake.submit();

    void close(trust::Role role)
    {
        const trust::Issuer issuer = trust::Issuer::found("test", {});
        mine =
            std::make_shared<const trust::Credentials>(issuer.issue({.name = QStringLiteral("me"), .roles = {role}}));
        for (const QByteArray &secret : mine->digestSecrets())
            fake.get(fake[0].addAuth(QByteArrayLiteral("digest"), secret));
    }
    Cluster cluster() { return {fake[0], fake.layout, mine}; }
    zk::AclList usual() const { return aclOf(fake.layout, fake.pathOf(id), mine->identities); }
    zk::AclList withWorkers(qint32 permissions) const
    {
        zk::AclList acl = usual();
        for (zk::Acl &entry : acl) {
            if (entry.id == mine->identities.at(trust::Role::Worker))
                entry.permissions = permissions;
        }
        return acl;
    }
    void set(const zk::AclList &acl) { fake.run(setAcl(fake[0], fake.pathOf(id), acl)); }
    bool isNamed()
    {
        const std::vector<QueueEntry> entries{{QueueEntry::Class::Ready, QueueEntry::DefaultPriority, id.number}};
        const auto reasons = fake.run(whyForbidden(cluster(), id.queue, entries));
        return reasons.size() == 1 && reasons.front() && reasons.front()->what.contains(u"does not let workers");
    }
};

} // namespace

// A job that no worker begins because of its znode's ACL.
class WhyForbiddenTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void inAnOpenClusterWhatNoClientMayClaim()
    {
        Fixture f;
        QVERIFY(!f.isNamed());
        f.set(everybody(Read));
        QVERIFY(f.isNamed());
    }
    void inAnOpenClusterSomeClientsMayBeTheWorkers()
    {
        Fixture f;
        f.set({{zk::AllPermissions, QByteArrayLiteral("digest"), digestId("ours:secret")}});
        QVERIFY(!f.isNamed());
    }

    // The server shows the hashes of passwords to administrators alone.
    void theUsualAclIsNotNamed_data()
    {
        QTest::addColumn<int>("role");
        QTest::newRow("a viewer") << int(trust::Role::Viewer);
        QTest::newRow("an administrator") << int(trust::Role::Admin);
    }
    void theUsualAclIsNotNamed()
    {
        QFETCH(int, role);
        Fixture f;
        f.close(trust::Role(role));
        QVERIFY(!f.isNamed()); // all may do all
        f.set(f.usual());
        QVERIFY(!f.isNamed());
    }
    void whatWorkersMayOnlyReadOrWrite_data() { theUsualAclIsNotNamed_data(); }
    void whatWorkersMayOnlyReadOrWrite()
    {
        QFETCH(int, role);
        for (const qint32 permissions : {Read, Write}) {
            Fixture f;
            f.close(trust::Role(role));
            f.set(f.withWorkers(permissions));
            QVERIFY(f.isNamed());
            const Explanation why = f.fake.run(explain(f.cluster(), f.id));
            QCOMPARE(why.reasons.size(), 1u);
            QVERIFY(why.reasons.front().what.contains(f.fake.pathOf(f.id).toString()));
        }
    }
    void whatIsKeptFromAllRoles()
    {
        Fixture f;
        f.close(trust::Role::Operate);
        f.set({{zk::AllPermissions, QByteArrayLiteral("digest"), digestId("eve:secret")}});
        QVERIFY(f.isNamed());
    }

    // Its znode is replaced before it begins.
    void aJobThatWaitsIsNotNamed()
    {
        Fixture f;
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = f.fake.world.wallClock() + std::chrono::hours(1);
        const JobId id = f.fake.submit(spec);
        const QueueEntry entry = *f.fake.view(id).entry;
        f.fake.setRights(f.fake.layout.job(id.queue, entry), Read);
        const auto reasons = f.fake.run(whyForbidden(f.cluster(), id.queue, {entry}));
        QVERIFY(!reasons.front());
    }
};

QTEST_GUILESS_MAIN(WhyForbiddenTest)
#include "why_forbidden_test.moc"
