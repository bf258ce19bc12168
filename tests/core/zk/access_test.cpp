#include "recipes/locks/mutex.h"
#include "support/session_test_case.h"
#include "zk/access.h"
#include "zk/permissions.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::zk;
using async::Task;
using test::outcome;

// The identity of a session and the access to its nodes: how the setting is parsed, and what a real server does.
class AccessTest : public test::SessionTestCase
{
    Q_OBJECT

    std::unique_ptr<Session> sessionOf(const char *user, const char *acl)
    {
        SessionOptions options = m_fixture.options();
        if (user)
            options.access.auth.push_back(parseAuthInfo(QByteArray("digest:") + user));
        if (acl)
            options.access.acl = [list = parseAcl(acl)](const Path &) { return list; };
        return m_fixture.connected(options);
    }

private Q_SLOTS:
    void textIsRead()
    {
        const AuthInfo auth = parseAuthInfo("digest:ann:a:b");
        QCOMPARE(auth.scheme, QByteArray("digest"));
        QCOMPARE(auth.secret, QByteArray("ann:a:b"));
        QCOMPARE(parseAcl("open"), openAcl());
        QCOMPARE(parseAcl("creator"), (AclList{{AllPermissions, "auth", ""}}));
        QCOMPARE(parseAcl("digest:ann:hash=:cdrwa,world:anyone:r,ip:10.0.0.0/8:rw"),
                 (AclList{{31, "digest", "ann:hash="}, {1, "world", "anyone"}, {3, "ip", "10.0.0.0/8"}}));
    }

    // One table for the settings, the rights of roles and the words of the console.
    void eachPermissionHasItsLetter()
    {
        const QList<std::pair<qint32, QByteArray>> all{
            {ReadPermission, "r"},     {WritePermission, "w"},
            {CreatePermission, "c"},   {DeletePermission, "d"},
            {AdminPermission, "a"},    {CreatePermission | ReadPermission, "cr"},
            {AllPermissions, "cdrwa"}, {0, ""}};
        for (const auto &[permissions, letters] : all) {
            QCOMPARE(permissionsOf(letters).value_or(-1), permissions);
            QCOMPARE(permissionLetters(permissions), letters);
        }
        QVERIFY(!permissionsOf("rx"));
    }

    void nonsenseIsRefused_data()
    {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("no scheme") << QByteArray("DROVER_AUTH") << QByteArray("secret");
        QTest::newRow("no secret") << QByteArray("DROVER_AUTH") << QByteArray("digest:");
        QTest::newRow("a word") << QByteArray("DROVER_ACL") << QByteArray("closed");
        QTest::newRow("no permissions") << QByteArray("DROVER_ACL") << QByteArray("world:anyone:");
        QTest::newRow("other permissions") << QByteArray("DROVER_ACL") << QByteArray("world:anyone:rx");
    }
    void nonsenseIsRefused()
    {
        QFETCH(QByteArray, variable);
        QFETCH(QByteArray, value);
        qputenv(variable.constData(), value);
        QString told;
        try {
            Access::fromEnvironment();
        } catch (const InvalidAccess &error) {
            told = QString::fromUtf8(error.what());
        }
        qunsetenv(variable.constData());
        QVERIFY2(told.startsWith(QString::fromLatin1(variable) + QStringLiteral(": ")), qPrintable(told));
        QVERIFY(!told.contains(u"secret"));
    }

    void nodesHaveTheAclOfTheirSession() { test::await(creates(m_root)); }
    void aRecipeIsSharedByThoseWithTheCredentials() { test::await(locks(m_root)); }
    void aRefusedReleaseIsReportedAndTheSessionsEndFreesTheLock() { test::await(refusedRelease(m_root)); }

private:
    Task<void> creates(Path root)
    {
        const auto ann = sessionOf("ann:secret", "creator");
        const auto again = sessionOf("ann:secret", nullptr);
        const auto stranger = sessionOf("bob:secret", nullptr);
        Transaction transaction;
        transaction.create(root / "b", "2")
            .create(root / "open", "3", CreateMode::Persistent, parseAcl("world:anyone:r"));
        const Answer<Created> made = co_await ann->create(root / "a", "1");
        made.require();
        const Answer<Committed> committed = co_await ann->commit(transaction);
        committed.require();
        for (const char *const name : {"a", "b"}) {
            const Code own = co_await outcome(again->get(root / name));
            CO_COMPARE(own, Code::Ok);
            const Code other = co_await outcome(stranger->get(root / name));
            CO_COMPARE(other, Code::NoAuth);
        }
        const Code open = co_await outcome(stranger->get(root / "open"));
        CO_COMPARE(open, Code::Ok);
    }

    Task<void> locks(Path root)
    {
        const auto ann = sessionOf("ann:secret", "creator");
        const auto other = sessionOf("ann:secret", "creator");
        const auto stranger = sessionOf(nullptr, nullptr);
        recipes::Mutex first(*ann, root / "lock");
        recipes::Mutex second(*other, root / "lock");
        recipes::Lock held = co_await first.acquire();
        held.release();
        recipes::Lock next = co_await second.acquire();
        const Code denied = co_await outcome(stranger->children(root / "lock"));
        CO_COMPARE(denied, Code::NoAuth);
    }

    Task<void> refusedRelease(Path root)
    {
        auto holder = sessionOf(nullptr, nullptr);
        const auto other = sessionOf(nullptr, nullptr);
        recipes::Mutex lock(*other, root / "refused");
        Path node;
        {
            recipes::Mutex first(*holder, root / "refused");
            recipes::Lock held = co_await first.acquire();
            node = held.fence().path;
            const Answer<Nothing> closed = co_await other->setAcl(node.parent(), parseAcl("world:anyone:crwa"));
            closed.require();
            QTest::ignoreMessage(QtCriticalMsg, QRegularExpression(QStringLiteral("^a clean-up is given up.*denied")));
            Code told = Code::Ok;
            const async::Future<Nothing> released = held.releaseAndConfirm();
            try {
                const Nothing done = co_await released;
                Q_UNUSED(done)
            } catch (const AccessDenied &error) {
                told = error.code();
            }
            CO_COMPARE(told, Code::NoAuth);
        }
        const Answer<Stat> stays = co_await other->exists(node);
        CO_VERIFY(stays.ok());
        co_await holder->close();
        const Answer<Stat> gone = co_await other->exists(node);
        CO_COMPARE(gone.code(), Code::NoNode);
        const Answer<Nothing> opened = co_await other->setAcl(node.parent(), openAcl());
        opened.require();
        recipes::Lock next = co_await lock.acquire();
        CO_VERIFY(next.isHeld());
    }
};

QTEST_GUILESS_MAIN(AccessTest)
#include "access_test.moc"
