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

private:
    static Task<void> everyNode(zk::Client &zk, zk::Path path, std::vector<zk::Path> &nodes)
    {
        nodes.push_back(path);
        const zk::Answer<zk::Children> children = co_await zk.children(path);
        for (const QByteArray &name : children->names)
            co_await everyNode(zk, path / name, nodes);
    }

    Task<void> close(bool isNew)
    {
        const Layout layout(isNew ? "fresh" : "old");
        trust::Identities identities;
        zk::SessionOptions options = m_fixture.options();
        for (const Role role : trust::AllRoles) {
            const QByteArray user = trust::digestUser(layout.clusterName(), role);
            const QByteArray password = trust::newPassword();
            identities[role] = trust::digestIdentity(user, password);
            options.access.auth.push_back({"digest", user + ':' + password});
        }
        options.access.acl = aclOfNewNodes(layout, identities, [](const zk::Path &) { return zk::openAcl(); });
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
