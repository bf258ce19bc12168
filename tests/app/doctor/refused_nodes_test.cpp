#include "app/doctor/checks.h"
#include "core/jobs/job_cluster.h"
#include "jobs/cluster/acl_table.h"
#include "support/fake/fake_acl.h"
#include "trust/issuer.h"

#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace drover::test;
using namespace std::chrono_literals;
using Level = Finding::Level;

// What `drover doctor` says of nodes with an ACL of another program, and of a clock that is wrong.
class RefusedNodesTest : public QObject
{
    Q_OBJECT

    static zk::AclList ofAnother()
    {
        return {{zk::AllPermissions, QByteArrayLiteral("digest"), digestId("another:secret")}};
    }

    static void setAcl(JobCluster &fake, const zk::Path &path, const zk::AclList &acl)
    {
        fake.run(fake[0].ensurePath(path));
        fake.get(fake[0].setAcl(path, acl));
    }

    // The session of a person with this role, in a cluster that is closed.
    static std::shared_ptr<const trust::Credentials> join(JobCluster &fake, trust::Role role)
    {
        const trust::Issuer issuer = trust::Issuer::found("test", {});
        auto mine =
            std::make_shared<const trust::Credentials>(issuer.issue({.name = QStringLiteral("me"), .roles = {role}}));
        for (const QByteArray &secret : mine->digestSecrets())
            fake.get(fake[0].addAuth(QByteArrayLiteral("digest"), secret));
        return mine;
    }

    static zk::AclList withWorkers(zk::AclList acl, const trust::Credentials &credentials, qint32 permissions)
    {
        for (zk::Acl &entry : acl) {
            if (entry.id == credentials.identities.at(trust::Role::Worker))
                entry.permissions = permissions;
        }
        return acl;
    }

    static QStringList subjectsIn(const Findings &findings)
    {
        QStringList subjects;
        for (const Finding &finding : findings)
            subjects.append(finding.subject);
        return subjects;
    }

    static async::Task<void> findThenMeet(jobs::Cluster cluster, Findings &findings)
    {
        findings.append({Level::Problem, QStringLiteral("first"), QStringLiteral("is ill")});
        const zk::Answer<zk::Node> refused = co_await cluster.zk.get(cluster.layout.queue("secret"));
        static_cast<void>(refused);
        findings.append({Level::Problem, QStringLiteral("last"), QStringLiteral("is ill, too")});
    }

private Q_SLOTS:
    void findingsBeforeARefusalStay()
    {
        JobCluster fake;
        setAcl(fake, fake.layout.queue("secret"), ofAnother());
        Findings findings;
        fake.run(unlessRefused("queues", findThenMeet(fake.cluster(), findings), findings));
        QCOMPARE(subjectsIn(findings).join(u','), QStringLiteral("first,queues"));
        QCOMPARE(findings[1].level, Level::Warning);
        QVERIFY2(findings[1].what.contains(u"/queues/secret: permission denied"), qPrintable(findings[1].what));
    }

    void aQueueThatCannotBeReadHidesNoOther()
    {
        JobCluster fake;
        setAcl(fake, fake.layout.queue("secret"), ofAnother());
        Findings findings;
        const QByteArrayList readable = fake.run(
            findShutQueues(fake.cluster(), {"default", "secret", "tests"}, {QStringLiteral("gone")}, findings));
        QCOMPARE(readable, QByteArrayList({"default", "tests"}));
        QCOMPARE(subjectsIn(findings).join(u','), QStringLiteral("queue secret,queue gone"));
        QVERIFY2(findings[0].what.contains(u"/queues/secret: permission denied"), qPrintable(findings[0].what));
    }

    // The person who looks may use it.
    void aQueueThatWorkersMayNotUseIsNamed()
    {
        JobCluster fake;
        const auto mine = join(fake, trust::Role::Operate);
        const jobs::Cluster cluster(fake[0], fake.layout, mine);
        const zk::AclList usual = jobs::aclOf(fake.layout, fake.layout.queue("x"), mine->identities);
        constexpr qint32 all = zk::AllPermissions - zk::AdminPermission;
        setAcl(fake, fake.layout.queue("usual"), usual);
        setAcl(fake, fake.layout.queue("read"), withWorkers(usual, *mine, zk::ReadPermission));
        setAcl(fake, fake.layout.queue("kept"),
               withWorkers(usual, *mine, all - zk::DeletePermission)); // no job could be ended
        Findings findings;
        const QByteArrayList readable = fake.run(findShutQueues(cluster, {"usual", "read", "kept"}, {}, findings));
        QCOMPARE(readable, QByteArrayList({"usual", "read", "kept"}));
        QCOMPARE(subjectsIn(findings).join(u','), QStringLiteral("queue read,queue kept"));
        QCOMPARE(findings[0].what, QStringLiteral("its ACL keeps workers from it: none claims its jobs"));
        QVERIFY2(findings[0].advice.endsWith(u"drover cluster secure"), qPrintable(findings[0].advice));
    }
    void inAnOpenClusterAQueueThatNoClientMayChangeIsNamed()
    {
        JobCluster fake;
        setAcl(fake, fake.layout.queue("read"),
               {{zk::ReadPermission, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}});
        Findings findings;
        fake.run(findShutQueues(fake.cluster(), {"default", "read"}, {}, findings));
        QCOMPARE(subjectsIn(findings).join(u','), QStringLiteral("queue read"));
    }

    void locksAndLimitsOfAnotherProgram()
    {
        JobCluster fake;
        fake.run(fake[0].ensurePath(fake.layout.lock("ours")));
        setAcl(fake, fake.layout.lock("theirs"), ofAnother());
        setAcl(fake, fake.layout.lock("read"),
               {{zk::ReadPermission, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}});
        setAcl(fake, fake.layout.limit("db"), ofAnother());
        Findings findings;
        fake.run(checkSharedNodes(fake.cluster(), findings));
        QCOMPARE(subjectsIn(findings).join(u','), QStringLiteral("lock read,lock theirs,limit db"));
        QCOMPARE(findings[0].what,
                 QStringLiteral("its ACL keeps others from it: jobs and commands that need it do not get it"));
        QCOMPARE(findings[1].what,
                 QStringLiteral("its ACL keeps you from it: jobs and commands that need it do not get it"));
        QVERIFY(findings[1].advice.startsWith(u"another program has made /drover/test/locks/theirs; "));
    }

    // Roles that may do less than Drover lets them are named, although the server hides the hashes of their passwords.
    void inAClosedClusterTheRolesAreNamed()
    {
        JobCluster fake;
        const auto mine = join(fake, trust::Role::Operate);
        const jobs::Cluster cluster(fake[0], fake.layout, mine);
        const zk::AclList usual = jobs::aclOf(fake.layout, fake.layout.lock("x"), mine->identities);
        setAcl(fake, fake.layout.lock("usual"), usual);
        setAcl(fake, fake.layout.lock("less"), withWorkers(usual, *mine, zk::ReadPermission));
        Findings findings;
        fake.run(checkSharedNodes(cluster, findings));
        QCOMPARE(subjectsIn(findings).join(u','), QStringLiteral("lock less"));
        QVERIFY2(findings[0].what.startsWith(u"its ACL keeps worker from it"), qPrintable(findings[0].what));
    }

    // An administrator sees the hashes. A lock that was made before the passwords were replaced keeps all roles from
    // it.
    void anAdministratorSeesOldPasswords()
    {
        JobCluster fake;
        const auto mine = join(fake, trust::Role::Admin);
        const jobs::Cluster cluster(fake[0], fake.layout, mine);
        zk::AclList old = jobs::aclOf(fake.layout, fake.layout.lock("x"), mine->identities);
        for (zk::Acl &entry : old) {
            if (entry.id == mine->identities.at(trust::Role::Submit))
                entry.id = digestId("submit:replaced");
        }
        setAcl(fake, fake.layout.lock("old"), old);
        Findings findings;
        fake.run(checkSharedNodes(cluster, findings));
        QCOMPARE(subjectsIn(findings).join(u','), QStringLiteral("lock old"));
        QVERIFY2(findings[0].what.startsWith(u"its ACL keeps submit from it"), qPrintable(findings[0].what));
    }

    void theOwnClockIsCompared()
    {
        JobCluster fake;
        const auto look = [&fake] {
            Findings findings;
            fake.run(checkOwnClock(fake.cluster(), findings));
            return findings;
        };
        QVERIFY(look().isEmpty());
        fake.process(0).setClockAhead(10min);
        const QString ahead = look().value(0).what; // less the time that the request may have taken
        QVERIFY2(ahead == u"the clock of this machine is 10m00s ahead of ZooKeeper's"
                     || ahead == u"the clock of this machine is 9m59s ahead of ZooKeeper's",
                 qPrintable(ahead));
        fake.process(0).setClockAhead(-10min);
        const Findings behind = look();
        QCOMPARE(behind.size(), 1);
        QCOMPARE(behind[0].level, Level::Warning);
        QVERIFY2(behind[0].what.endsWith(u" behind ZooKeeper's"), qPrintable(behind[0].what));
        fake.settle();
        QVERIFY(fake.childrenOf(fake.layout.submitters()).isEmpty()); // nothing stays
    }

    void theClockIsNotCheckedWithoutTheRightToWrite()
    {
        JobCluster fake;
        fake.process(0).setClockAhead(10min);
        setAcl(fake, fake.layout.submitters(),
               {{zk::ReadPermission, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}});
        Findings findings;
        fake.run(unlessRefused("clock", checkOwnClock(fake.cluster(), findings), findings));
        QVERIFY(findings.isEmpty());
    }
};

QTEST_GUILESS_MAIN(RefusedNodesTest)
#include "refused_nodes_test.moc"
