#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/output_access.h"
#include "support/session_test_case.h"

#include <QTest>

#include <map>

using namespace drover;
using namespace drover::jobs;
using async::Task;
using test::outcome;
using trust::Role;
using zk::Code;

// The table of rights, and what a real server makes of it: each kind of node, role and operation.
class AclTableTest : public test::SessionTestCase
{
    Q_OBJECT

    const Layout m_layout{QByteArrayLiteral("closed")};
    std::map<Role, QByteArray> m_passwords;
    trust::Identities m_identities;

    // A node of the kind that a row is for.
    zk::Path sample(const AclRow &row) const
    {
        QByteArray path = row.node;
        path.replace("**", "a/b").replace("*", "name");
        return path.isEmpty() ? m_layout.root() : m_layout.root() / path;
    }

    std::unique_ptr<zk::Session> sessionOf(std::optional<Role> role)
    {
        zk::SessionOptions options = m_fixture.options();
        if (role)
            options.access.auth.push_back({"digest", trust::roleName(*role) + ':' + m_passwords.at(*role)});
        options.access.acl = aclOfNewNodes(m_layout, m_identities, {}, [](const zk::Path &) { return zk::openAcl(); });
        return m_fixture.connected(options);
    }

    // To read, write, create, delete and administer: "+" or "-".
    static QByteArray allowedTo(const AclRow &row, std::optional<Role> role)
    {
        QByteArray allowed;
        for (const char letter : {'r', 'w', 'c', 'd', 'a'}) {
            const bool isAdmin = role == Role::Admin;
            allowed += isAdmin || (role && QByteArrayView(row.rightsOf(*role)).contains(letter)) ? '+' : '-';
        }
        return allowed;
    }

public:
    AclTableTest()
    {
        for (const Role role : trust::AllRoles) {
            m_passwords[role] = trust::newPassword();
            m_identities[role] = trust::digestIdentity(trust::roleName(role), m_passwords[role]);
        }
    }

private Q_SLOTS:
    void eachPathOfTheLayoutHasARow()
    {
        const Layout &l = m_layout;
        const JobId id{QByteArrayLiteral("q"), 7};
        const std::vector<zk::Path> paths{l.root(),
                                          l.config(),
                                          l.outputs(),
                                          l.output("w"),
                                          l.certificates(),
                                          l.certificate("5"),
                                          l.revocations(),
                                          l.members(),
                                          l.members() / "w",
                                          l.master(),
                                          l.master() / "_c_1-latch-",
                                          l.stats(),
                                          l.queues(),
                                          l.queue("q"),
                                          l.job("q", {QueueEntry::Class::Ready, 5, 1}),
                                          l.returned("q"),
                                          l.waiting(),
                                          l.waiting("q"),
                                          l.dedupe(),
                                          l.dedupe("q"),
                                          l.dedupe("q", QStringLiteral("key")),
                                          l.submitters(),
                                          l.submitters() / "_r_1",
                                          l.claims(),
                                          l.claim(id),
                                          l.cancels(),
                                          l.cancels() / id.bytes(),
                                          l.done(),
                                          l.done(id),
                                          l.audit(),
                                          l.audit() / "0123",
                                          l.cordons(),
                                          l.cordon("w"),
                                          l.idle(),
                                          l.idle("q"),
                                          l.idle("q") / "_c_1-w-",
                                          l.schedules(),
                                          l.schedule("s"),
                                          l.locks(),
                                          l.lock("x"),
                                          l.lock("x") / "_c_1-lock-",
                                          l.limits(),
                                          l.limit("queue:q"),
                                          l.permits("x"),
                                          l.gangs(),
                                          l.gang(id, 1),
                                          l.gang(id, 1) / "0.token",
                                          l.elections(),
                                          l.election("x"),
                                          l.barriers(),
                                          l.barrier("x"),
                                          l.doubleBarriers(),
                                          l.doubleBarrier("x"),
                                          l.groups(),
                                          l.group("x"),
                                          l.settings(),
                                          l.setting("x"),
                                          l.counters(),
                                          l.counter("x"),
                                          l.items(),
                                          l.items("x"),
                                          l.throttle(),
                                          l.backpressure(),
                                          l.historyLock(),
                                          l.files(),
                                          l.file(QStringLiteral("/x")) / "meta"};
        for (const zk::Path &path : paths)
            QVERIFY2(aclRowOf(l, path), path.c_str());
        QCOMPARE(QByteArray(aclRowOf(l, l.root())->node), QByteArray());
        QCOMPARE(QByteArray(aclRowOf(l, l.lock("x") / "_c_1-lock-")->node), QByteArray("locks/**"));
    }

    // A deleted certificate, list of the revoked or config opens a cluster. So no role but the admin's deletes there,
    // whatever rows come.
    void onlyAdminsDeleteDirectlyBelowTheRoot()
    {
        const AclRow *const root = aclRowOf(m_layout, m_layout.root());
        for (const Role role : trust::AllRoles) {
            const bool mayDelete = QByteArrayView(root->rightsOf(role)).contains('d');
            QVERIFY2(mayDelete == (role == Role::Admin), trust::roleName(role).constData());
        }
    }

    // On a server: each node that the table names directly below the root, by each role.
    void aServerLetsNoRoleDeleteDirectlyBelowTheRoot_data()
    {
        QTest::addColumn<int>("role");
        for (const Role role : trust::AllRoles) {
            if (role != Role::Admin)
                QTest::newRow(trust::roleName(role).constData()) << static_cast<int>(role);
        }
    }
    void aServerLetsNoRoleDeleteDirectlyBelowTheRoot()
    {
        QFETCH(int, role);
        test::await(deleteEach(static_cast<Role>(role)));
    }

    // Who could, would take its place: the key of a worker's output channel says who it is.
    void aWorkerDoesNotDeleteAnothersOutput()
    {
        const auto admin = sessionOf(Role::Admin);
        auto worker = sessionOf(Role::Worker);
        const auto thief = sessionOf(Role::Worker);
        test::await(admin->ensurePath(m_layout.outputs()));
        const zk::Path output = m_layout.output("w");
        const auto publish = [&output](zk::Session &session) {
            return test::await(outcome(session.create(output, QByteArray(), zk::CreateMode::Ephemeral)));
        };
        QCOMPARE(publish(*worker), Code::Ok);
        QCOMPARE(test::await(outcome(thief->remove(output))), Code::NoAuth);
        QCOMPARE(test::await(outcome(thief->set(output, "key"))), Code::NoAuth);
        QCOMPARE(publish(*thief), Code::NodeExists);
        worker.reset(); // the end of a session needs no right
        QTRY_COMPARE_WITH_TIMEOUT(test::await(outcome(admin->exists(output))), Code::NoNode, 30'000);
        QCOMPARE(publish(*thief), Code::Ok);
    }

    // The reply to its request was lost, and it may not read what is there. It published it all the same.
    void aWorkerKnowsItsOwnOutputAgain()
    {
        const auto admin = sessionOf(Role::Admin);
        const auto worker = sessionOf(Role::Worker);
        const auto thief = sessionOf(Role::Worker);
        test::await(admin->ensurePath(m_layout.outputs()));
        const auto publish = [this](zk::Session &session) {
            return test::await(publishOutputAccess(Cluster(session, m_layout), "again",
                                                   {.endpoint = {}, .key = OutputAccess::newKey()}));
        };
        QVERIFY(publish(*worker));
        QVERIFY(publish(*worker));
        QVERIFY(!publish(*thief));
    }

    void whatTheLayoutDoesNotNameIsForAdmins()
    {
        for (const zk::Path &path : {m_layout.root() / "unknown", m_layout.config() / "below", zk::Path("/elsewhere"),
                                     zk::Path(m_layout.root().bytes() + "2")}) {
            QVERIFY(!aclRowOf(m_layout, path));
            const zk::AclList list = aclOf(m_layout, path, m_identities);
            QCOMPARE(list.size(), 1u);
            QCOMPARE(list[0].id, m_identities[Role::Admin]);
        }
        const zk::AclOfPath ofNew =
            aclOfNewNodes(m_layout, m_identities, {}, [](const zk::Path &) { return zk::openAcl(); });
        QCOMPARE(ofNew(zk::Path("/elsewhere")), zk::openAcl());
        QCOMPARE(ofNew(zk::Path("/drover")), zk::openAcl());
        QCOMPARE(ofNew(m_layout.config()), aclOf(m_layout, m_layout.config(), m_identities));
        QCOMPARE(ofNew(m_layout.root() / "unknown"), aclOf(m_layout, m_layout.root() / "unknown", m_identities));
    }

    void aServerAllowsWhatTheTableSays_data()
    {
        QTest::addColumn<int>("role");
        QTest::newRow("stranger") << -1;
        for (const Role role : trust::AllRoles)
            QTest::newRow(trust::roleName(role).constData()) << static_cast<int>(role);
    }
    void aServerAllowsWhatTheTableSays()
    {
        QFETCH(int, role);
        test::await(tryAll(role < 0 ? std::nullopt : std::optional(static_cast<Role>(role))));
    }

private:
    Task<void> deleteEach(Role role)
    {
        const auto admin = sessionOf(Role::Admin);
        const auto other = sessionOf(role);
        int tried = 0;
        for (const AclRow &row : aclTable()) {
            const QByteArray name = QByteArray(row.node).split('/').front();
            if (name.isEmpty())
                continue;
            const zk::Path path = m_layout.root() / name;
            co_await admin->ensurePath(path);
            const Code removed = co_await outcome(other->remove(path));
            CO_COMPARE(removed, Code::NoAuth);
            ++tried;
        }
        CO_VERIFY(tried > 30);
    }

    Task<void> tryAll(std::optional<Role> role)
    {
        const auto admin = sessionOf(Role::Admin);
        const auto other = sessionOf(role);
        for (const AclRow &row : aclTable()) {
            const zk::Path path = sample(row);
            co_await admin->ensurePath(path);
            co_await admin->ensurePath(path / "probe");
            const zk::AclList own = aclOf(m_layout, path, m_identities);
            const Code read = co_await outcome(other->get(path));
            const Code write = co_await outcome(other->set(path, "data"));
            const Code make = co_await outcome(other->create(path / "made", QByteArray()));
            const Code remove = co_await outcome(other->remove(path / "probe"));
            const Code administer = co_await outcome(other->setAcl(path, own));
            QByteArray allowed;
            for (const Code code : {read, write, make, remove, administer}) {
                CO_VERIFY(code == Code::Ok || code == Code::NoAuth);
                allowed += code == Code::Ok ? '+' : '-';
            }
            CO_COMPARE(path.bytes() + ' ' + allowed, path.bytes() + ' ' + allowedTo(row, role));
            const Code removed = co_await outcome(admin->remove(path / "made"));
            CO_COMPARE(removed, make == Code::Ok ? Code::Ok : Code::NoNode);
            const Code probe = co_await outcome(admin->remove(path / "probe"));
            CO_COMPARE(probe, remove == Code::Ok ? Code::NoNode : Code::Ok);
        }
    }
};

QTEST_GUILESS_MAIN(AclTableTest)
#include "acl_table_test.moc"
