#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_config.h"
#include "support/session_test_case.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using async::Task;
using test::outcome;
using trust::Role;
using zk::Code;

// An open cluster is closed node by node, and stays as it is otherwise.
class CloseTreeTest : public test::SessionTestCase
{
    Q_OBJECT

private Q_SLOTS:
    void anOpenClusterIsClosed() { test::await(close(false)); }
    void aNewClusterIsClosed() { test::await(close(true)); }
    void aClosedClusterGetsItsRightsAgain() { test::await(apply()); }
    void directoriesGetTheRightsOfThisVersion() { test::await(update()); }
    void identitiesAreReplaced() { test::await(replace()); }
    void aNodeThatItsMakerKeepsStopsNothing() { test::await(closeAround()); }

private:
    static Task<void> everyNode(zk::Client &zk, zk::Path path, std::vector<zk::Path> &nodes)
    {
        nodes.push_back(path);
        const zk::Answer<zk::Children> children = co_await zk.children(path);
        for (const QByteArray &name : children->names)
            co_await everyNode(zk, path / name, nodes);
    }

    // The identities of new passwords, which go into `access`.
    static trust::Identities newIdentities(zk::Access &access)
    {
        trust::Identities identities;
        for (const Role role : trust::AllRoles) {
            const QByteArray user = trust::roleName(role);
            const QByteArray password = trust::newPassword();
            identities[role] = trust::digestIdentity(user, password);
            access.auth.push_back({"digest", user + ':' + password});
        }
        return identities;
    }
    static zk::AclOfPath aclOfBoth(const Layout &layout, const trust::Identities &identities,
                                   const trust::Identities &former)
    {
        return aclOfNewNodes(layout, identities, former, [](const zk::Path &) { return zk::openAcl(); });
    }

    Task<bool> everyAclIs(zk::Client &zk, Layout layout, trust::Identities identities, trust::Identities former)
    {
        std::vector<zk::Path> nodes;
        co_await everyNode(zk, layout.root(), nodes);
        for (const zk::Path &path : nodes) {
            const zk::Answer<zk::AclOfNode> acl = co_await zk.acl(path);
            if (path.parent() != layout.renewals() && acl->acl != aclOf(layout, path, identities, former)) {
                qWarning("%s", path.c_str());
                co_return false;
            }
        }
        co_return nodes.size() > 30U;
    }

    // An older version has closed it, with another table, or a person has changed the rights of a node.
    Task<void> apply()
    {
        const Layout layout("older");
        zk::SessionOptions options = m_fixture.options();
        const trust::Identities identities = newIdentities(options.access);
        const trust::Identities none;
        options.access.acl = aclOfBoth(layout, identities, none);
        const auto admin = m_fixture.connected(options);
        const Cluster cluster(*admin, layout);
        const QByteArrayList queues(1, QByteArrayLiteral("default"));
        co_await closeTree(cluster, identities);
        co_await ensureCluster(cluster, queues);
        zk::AclList wide = aclOf(layout, layout.members(), identities);
        wide.push_back({zk::AllPermissions, "digest", identities.at(Role::Worker)});
        for (const zk::Path &path : {layout.members(), layout.throttle()}) {
            const zk::Answer<zk::Nothing> set = co_await admin->setAcl(path, wide);
            CO_VERIFY(set.ok());
        }
        const int closed = co_await closeTree(cluster, identities);
        CO_COMPARE(closed, 0); // it looks at the root alone
        const int applied = co_await applyAclTable(cluster, identities);
        CO_COMPARE(applied, 2);
        const bool isRight = co_await everyAclIs(*admin, layout, identities, none);
        CO_VERIFY(isRight);
        const int again = co_await applyAclTable(cluster, identities);
        CO_COMPARE(again, 0);
    }

    // `drover up` of a new version opens the cluster of an older one.
    Task<void> update()
    {
        const Layout layout("updated");
        zk::SessionOptions options = m_fixture.options();
        const trust::Identities identities = newIdentities(options.access);
        options.access.acl = aclOfBoth(layout, identities, {});
        const auto admin = m_fixture.connected(options);
        const Cluster cluster(*admin, layout);
        co_await closeTree(cluster, identities);
        const zk::Acl foreign{zk::AllPermissions, "digest", "another:program"};
        zk::AclList before = aclOf(layout, layout.outputs(), identities);
        for (zk::Acl &entry : before)
            entry.permissions = zk::AllPermissions;
        before.push_back(foreign);
        const zk::Answer<zk::Nothing> widened = co_await admin->setAcl(layout.outputs(), before);
        CO_VERIFY(widened.ok());
        const int updated = co_await updateDirectories(cluster, identities);
        CO_COMPARE(updated, 1);
        const int updatedAgain = co_await updateDirectories(cluster, identities);
        CO_COMPARE(updatedAgain, 0);
        zk::AclList expected = aclOf(layout, layout.outputs(), identities);
        expected.push_back(foreign);
        const zk::Answer<zk::AclOfNode> outputs = co_await admin->acl(layout.outputs());
        CO_VERIFY(outputs.ok() && outputs->acl == expected);
    }

    // Old clients, which know the former passwords alone, make nodes at each step.
    Task<void> replace()
    {
        const Layout layout("renewed");
        zk::SessionOptions old = m_fixture.options();
        const trust::Identities former = newIdentities(old.access);
        old.access.acl = aclOfBoth(layout, former, {});
        zk::SessionOptions renewed = m_fixture.options();
        renewed.access.auth = old.access.auth;
        const trust::Identities identities = newIdentities(renewed.access);
        renewed.access.acl = aclOfBoth(layout, identities, former);
        const auto first = m_fixture.connected(old);
        const QByteArrayList queues(1, QByteArrayLiteral("default"));
        co_await closeTree(Cluster(*first, layout), former);
        co_await ensureCluster(Cluster(*first, layout), queues);
        co_await first->ensurePath(layout.renewal("serial"));

        const auto admin = m_fixture.connected(renewed);
        const int added = co_await addIdentities(Cluster(*admin, layout), identities, former);
        CO_VERIFY(added > 30);
        const bool hasBoth = co_await everyAclIs(*admin, layout, identities, former);
        CO_VERIFY(hasBoth);
        const int again = co_await addIdentities(Cluster(*admin, layout), identities, former);
        CO_COMPARE(again, 0);
        co_await first->ensurePath(layout.lock("late")); // it names the former identities alone
        const zk::Answer<zk::Children> locks = co_await admin->children(layout.lock("late"));
        CO_VERIFY(locks.ok());

        const int replaced = co_await replaceIdentities(Cluster(*admin, layout), identities, former);
        CO_VERIFY(replaced > 30);
        const trust::Identities none;
        const bool hasNew = co_await everyAclIs(*admin, layout, identities, none);
        CO_VERIFY(hasNew);
        const Code listed = co_await outcome(first->children(layout.queues()));
        CO_COMPARE(listed, Code::NoAuth);
        const Code read = co_await outcome(first->get(layout.renewal("serial")));
        CO_COMPARE(read, Code::Ok); // who was away catches up
        const Code written = co_await outcome(first->set(layout.renewal("serial"), "forged"));
        CO_COMPARE(written, Code::NoAuth);
        const int last = co_await replaceIdentities(Cluster(*admin, layout), identities, former);
        CO_COMPARE(last, 0);
    }

    Task<void> closeAround()
    {
        const Layout layout("kept");
        zk::SessionOptions own = m_fixture.options();
        own.access.auth.push_back({"digest", "mallory:secret"});
        own.access.acl = [](const zk::Path &) {
            constexpr qint32 all = 31;
            return zk::AclList{{all, "digest", trust::digestIdentity("mallory", "secret")}};
        };
        zk::SessionOptions options = m_fixture.options();
        const trust::Identities identities = newIdentities(options.access);
        options.access.acl = aclOfBoth(layout, identities, {});
        const auto admin = m_fixture.connected(options);
        const auto stranger = m_fixture.connected(m_fixture.options());
        const auto mallory = m_fixture.connected(own);
        co_await stranger->ensurePath(layout.locks());
        co_await mallory->ensurePath(layout.lock("evil"));

        QTest::ignoreMessage(QtWarningMsg,
                             "access to 1 nodes stays as others have set it, the first is "
                             "/drover/kept/locks/evil");
        co_await closeTree(Cluster(*admin, layout), identities);
        const std::optional<bool> open = co_await isOpen(Cluster(*stranger, layout));
        CO_VERIFY(open == false);
        const Code created = co_await outcome(mallory->create(layout.lock("evil2"), "x"));
        CO_COMPARE(created, Code::NoAuth);
    }

    Task<void> close(bool isNew)
    {
        const Layout layout(isNew ? "fresh" : "old");
        zk::SessionOptions options = m_fixture.options();
        const trust::Identities identities = newIdentities(options.access);
        options.access.acl = aclOfBoth(layout, identities, {});
        const auto admin = m_fixture.connected(options);
        const auto stranger = m_fixture.connected(m_fixture.options());

        const QByteArrayList queues(1, QByteArrayLiteral("default"));
        if (!isNew) {
            co_await ensureCluster(Cluster(*stranger, layout), queues);
            for (int i = 0; i < 200; ++i)
                co_await stranger->ensurePath(layout.lock("name") / QByteArray::number(i));
            const std::optional<bool> open = co_await isOpen(Cluster(*stranger, layout));
            CO_VERIFY(open == true);
        } else {
            const std::optional<bool> none = co_await isOpen(Cluster(*stranger, layout));
            CO_VERIFY(!none);
        }
        const int changed = co_await closeTree(Cluster(*admin, layout), identities);
        CO_VERIFY((changed > 200) == !isNew);
        co_await ensureCluster(Cluster(*admin, layout), queues);

        std::vector<zk::Path> nodes;
        co_await everyNode(*admin, layout.root(), nodes);
        CO_VERIFY(nodes.size() > 30u);
        for (const zk::Path &path : nodes) {
            const zk::Answer<zk::AclOfNode> acl = co_await admin->acl(path);
            CO_VERIFY(acl->acl == aclOf(layout, path, identities));
        }
        const std::optional<bool> open = co_await isOpen(Cluster(*stranger, layout));
        CO_VERIFY(open == false);
        const Code listed = co_await outcome(stranger->children(layout.queues()));
        CO_COMPARE(listed, Code::NoAuth);
        const int again = co_await closeTree(Cluster(*admin, layout), identities);
        CO_COMPARE(again, 0);
    }
};

QTEST_GUILESS_MAIN(CloseTreeTest)
#include "close_tree_test.moc"
