#include "app/doctor/checks.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_config.h"
#include "support/session_test_case.h"
#include "trust/issuer.h"

#include <QTest>

using namespace drover;
using namespace drover::app;
using async::Task;
using trust::Role;

// What `drover doctor` says of the access rights of a closed cluster, on a real server, whose answers differ by role.
class AclChecksTest : public test::SessionTestCase
{
    Q_OBJECT

    std::shared_ptr<const trust::Credentials> issue(trust::Roles roles) const
    {
        return std::make_shared<const trust::Credentials>(
            m_issuer.issue({.name = QStringLiteral("test"), .roles = std::move(roles)}));
    }

    std::unique_ptr<zk::Session> sessionOf(const std::shared_ptr<const trust::Credentials> &who)
    {
        zk::SessionOptions options = m_fixture.options();
        for (const QByteArray &secret : who->digestSecrets())
            options.access.auth.push_back({"digest", secret});
        options.access.acl =
            jobs::aclOfNewNodes(m_layout, m_issuer.identities(), {}, [](const zk::Path &) { return zk::openAcl(); });
        return m_fixture.connected(options);
    }

    Task<void> look()
    {
        const std::shared_ptr<const trust::Credentials> admin = issue({trust::AllRoles.begin(), trust::AllRoles.end()});
        const std::shared_ptr<const trust::Credentials> viewer = issue({Role::Viewer});
        const auto session = sessionOf(admin);
        const auto other = sessionOf(viewer);
        const jobs::Cluster cluster(*session, m_layout);
        const QByteArrayList queues(1, QByteArrayLiteral("default"));
        co_await jobs::closeTree(cluster, m_issuer.identities());
        co_await jobs::ensureCluster(cluster, queues);
        Findings ofAdmin;
        co_await checkAcls(cluster, admin, ofAdmin);
        CO_VERIFY(ofAdmin.isEmpty());
        Findings ofViewer;
        co_await checkAcls(jobs::Cluster(*other, m_layout), viewer, ofViewer);
        CO_VERIFY(ofViewer.isEmpty());

        for (const zk::Path &path : {m_layout.root(), m_layout.queue("default")}) {
            for (const QByteArray &who : {m_issuer.identities().at(Role::Worker), QByteArrayLiteral("anyone")}) {
                zk::AclList wide = jobs::aclOf(m_layout, path, m_issuer.identities());
                wide.push_back({zk::AllPermissions, who == "anyone" ? "world" : "digest", who});
                const zk::Answer<zk::Nothing> set = co_await session->setAcl(path, wide);
                CO_VERIFY(set.ok());
                for (const auto &person : {admin, viewer}) {
                    const jobs::Cluster theirs(person == admin ? *session : *other, m_layout);
                    Findings findings;
                    co_await checkAcls(theirs, person, findings);
                    CO_COMPARE(findings.size(), 1);
                    CO_VERIFY(findings[0].what.contains(QString::fromUtf8(path.c_str())));
                    CO_VERIFY(findings[0].advice.contains(QStringLiteral("drover cluster secure")));
                }
            }
            const int applied = co_await jobs::applyAclTable(cluster, m_issuer.identities());
            CO_COMPARE(applied, 1);
        }
        Findings mended;
        co_await checkAcls(cluster, admin, mended);
        CO_VERIFY(mended.isEmpty());
        // An administrator has given a user rights whose name is that of a role.
        zk::AclList namesake = jobs::aclOf(m_layout, m_layout.root(), m_issuer.identities());
        namesake.push_back({zk::AllPermissions, "digest", trust::digestIdentity("submit", "another")});
        const zk::Answer<zk::Nothing> given = co_await session->setAcl(m_layout.root(), namesake);
        CO_VERIFY(given.ok());
        Findings ofNamesake;
        co_await checkAcls(cluster, admin, ofNamesake);
        CO_VERIFY(ofNamesake.isEmpty());
        zk::AclList foreign = jobs::aclOf(m_layout, m_layout.lock("theirs"), m_issuer.identities());
        foreign.push_back({zk::AllPermissions, "world", "anyone"});
        const zk::Answer<zk::Created> made =
            co_await session->create(m_layout.lock("theirs"), QByteArray(), zk::CreateMode::Persistent, foreign);
        CO_VERIFY(made.ok());
        Findings ofLocks;
        co_await checkAcls(cluster, admin, ofLocks); // checkSharedNodes() looks at locks
        CO_VERIFY(ofLocks.isEmpty());
        Findings withoutCredentials;
        co_await checkAcls(cluster, nullptr, withoutCredentials);
        CO_VERIFY(withoutCredentials.isEmpty());
    }

    const jobs::Layout m_layout{QByteArrayLiteral("checked")};
    const trust::Issuer m_issuer = trust::Issuer::found("checked", {});

private Q_SLOTS:
    void rightsThatDifferAreNamed() { test::await(look()); }
};

QTEST_GUILESS_MAIN(AclChecksTest)
#include "acl_checks_test.moc"
