#include "recipes/locks/mutex.h"
#include "support/fake/fake_cluster.h"
#include "support/session_fixture.h"
#include "zk/client/watch_registry.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace drover::zk;
using async::Task;

// A client whose root is a znode, "host:port/team/app", beside one that sees the whole tree: on a real server and on
// the in-memory one.
class ChrootTest : public QObject
{
    Q_OBJECT

    using Body = std::function<Task<void>(Client &inside, Client &whole)>;

    std::unique_ptr<SessionFixture> m_real;

    std::unique_ptr<Session> connected(const QString &chroot)
    {
        SessionOptions options = m_real->options();
        options.servers += chroot;
        return m_real->connected(options);
    }

    void onBoth(const Body &body)
    {
        FakeCluster fake(1);
        fake.add({.chroot = Path("/team/app")});
        fake.run(body(fake[1], fake[0]));
        if (QTest::currentTestFailed())
            return;
        const auto whole = connected(QString());
        const auto inside = connected(QStringLiteral("/team/app"));
        await(body(*inside, *whole));
        await(inside->close());
        await(whole->close());
    }

    static Task<void> remove(Client &whole, Path path)
    {
        const Answer<Children> children = co_await whole.children(path);
        for (const QByteArray &name : children->names)
            co_await remove(whole, path / name);
        const Answer<Nothing> removed = co_await whole.remove(path);
        removed.requireUnless(Code::NoNode);
    }

    static Task<void> pathsOfRequests(Client &inside, Client &whole)
    {
        const Answer<Created> early = co_await inside.create(Path("/early"), "");
        CO_VERIFY(early.is(Code::NoNode)); // as with Curator and kazoo
        co_await inside.ensurePath(Path());
        const Answer<AclOfNode> acl = co_await whole.acl(Path("/team/app"));
        CO_VERIFY(acl->acl == openAcl());
        co_await inside.ensurePath(Path("/a/b"));
        const Code below = co_await existence(whole, Path("/team/app/a/b"));
        CO_COMPARE(below, Code::Ok);

        const Answer<Created> made = co_await inside.create(Path("/a/n-"), "x", CreateMode::EphemeralSequential);
        CO_COMPARE(made->path, Path("/a/n-0000000001"));
        const Code there = co_await existence(whole, Path("/team/app/a/n-0000000001"));
        CO_COMPARE(there, Code::Ok);
        const Answer<Stat> set = co_await inside.set(made->path, "y");
        CO_COMPARE(set->version, 1);
        const Answer<Node> got = co_await inside.get(made->path);
        CO_COMPARE(got->data, QByteArray("y"));
        const AclList readable{{1, "world", "anyone"}, {16, "world", "anyone"}};
        const Answer<Nothing> closed = co_await inside.setAcl(made->path, readable);
        closed.require();
        const Answer<AclOfNode> now = co_await inside.acl(made->path);
        CO_COMPARE(now->acl.size(), 2u);
        const Answer<Children> top = co_await inside.children(Path());
        CO_COMPARE(top->names, QByteArrayList{"a"});
        const Answer<Nothing> removed = co_await inside.remove(made->path);
        removed.require();
        const Answer<Node> config = co_await inside.configuration();
        const Answer<Node> same = co_await whole.configuration();
        CO_COMPARE(config.code(), same.code());
        try {
            const Answer<Node> missing = co_await inside.get(Path("/missing"));
            missing.require();
            CO_VERIFY(false);
        } catch (const UnexpectedAnswer &error) {
            CO_VERIFY(QByteArray(error.what()).contains(" /missing:"));
        }
        co_await remove(whole, Path("/team"));
    }

    static Task<void> transactions(Client &inside, Client &whole)
    {
        co_await inside.ensurePath(Path("/a"));
        Transaction carriedOut;
        carriedOut.check(Path("/a"))
            .create(Path("/a/n-"), "1", CreateMode::PersistentSequential)
            .create(Path("/a/m"), "2")
            .set(Path("/a/m"), "3")
            .remove(Path("/a/m"));
        const Answer<Committed> done = co_await inside.commit(carriedOut);
        done.require();
        CO_COMPARE(done->results[1].path, Path("/a/n-0000000000"));
        CO_COMPARE(done->results[2].path, Path("/a/m"));
        const Code there = co_await existence(whole, Path("/team/app/a/n-0000000000"));
        CO_COMPARE(there, Code::Ok);

        Transaction refused;
        refused.check(Path("/a")).remove(Path("/a/m"));
        const Answer<Committed> no = co_await inside.commit(refused);
        CO_VERIFY(no.is(Code::NoNode) && no->refusedAt() == 1u);
        co_await remove(whole, Path("/team"));
    }

    static Task<void> watches(Client &inside, Client &whole)
    {
        co_await inside.ensurePath(Path("/a"));
        Watch data;
        Watch children;
        Watch root;
        Watch creation;
        const Answer<Node> armedData = co_await inside.get(Path("/a"), data);
        const Answer<Children> armedChildren = co_await inside.children(Path("/a"), children);
        const Answer<Children> armedRoot = co_await inside.children(Path(), root);
        const Answer<Stat> armedCreation = co_await inside.exists(Path("/b"), creation);
        CO_VERIFY(armedData.ok() && armedChildren.ok() && armedRoot.ok() && armedCreation.is(Code::NoNode));
        const Answer<Created> child = co_await whole.create(Path("/team/app/a/c"), "");
        const Answer<Stat> changed = co_await whole.set(Path("/team/app/a"), "new");
        const Answer<Created> sibling = co_await whole.create(Path("/team/app/b"), "");
        const auto dataFired = data.fired();
        const auto childrenFired = children.fired();
        const auto rootFired = root.fired();
        const auto creationFired = creation.fired();
        const WatchEvent first = co_await dataFired;
        const WatchEvent second = co_await childrenFired;
        const WatchEvent third = co_await rootFired;
        const WatchEvent fourth = co_await creationFired;
        CO_VERIFY(first.path == Path("/a") && first.type == WatchEvent::Type::DataChanged);
        CO_VERIFY(second.path == Path("/a") && second.type == WatchEvent::Type::ChildrenChanged);
        CO_VERIFY(third.path == Path() && third.type == WatchEvent::Type::ChildrenChanged);
        CO_VERIFY(fourth.path == Path("/b") && fourth.type == WatchEvent::Type::Created);
        co_await remove(whole, Path("/team"));
    }

    static Task<void> oneLock(Client &inside, Client &whole)
    {
        recipes::Mutex mine(inside, Path("/lock"));
        recipes::Mutex theirs(whole, Path("/team/app/lock"));
        std::optional<recipes::Lock> held = co_await mine.acquire(); // makes the chroot, too
        CO_COMPARE(held->fence().path.parent(), Path("/lock"));
        const std::optional<recipes::Lock> second = co_await theirs.tryAcquire();
        CO_VERIFY(!second);
        held.reset();
        const recipes::Lock third = co_await theirs.acquire();
        const std::optional<recipes::Lock> fourth = co_await mine.tryAcquire();
        CO_VERIFY(!fourth);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_real = std::make_unique<SessionFixture>();
        m_real->server.start();
    }
    void cleanupTestCase() { m_real.reset(); }

    void requestsAndAnswersHaveTheClientsPaths() { onBoth(&ChrootTest::pathsOfRequests); }
    void transactionsHaveTheClientsPaths() { onBoth(&ChrootTest::transactions); }
    void watchEventsHaveTheClientsPaths() { onBoth(&ChrootTest::watches); }
    void aLockIsThatOfTheWholePath() { onBoth(&ChrootTest::oneLock); }

    void aPathIsTranslatedAndBack()
    {
        const Chroot chroot(Path("/app"));
        for (const char *const path : {"/", "/a", "/app", "/app/a", "/apple"})
            QCOMPARE(chroot.seen(chroot.onServer(Path(path))), Path(path));
        QCOMPARE(chroot.onServer(Path()), Path("/app"));
        QCOMPARE(chroot.onServer(Path("/app")), Path("/app/app"));
        QCOMPARE(chroot.seen(Path("/apple")), Path("/apple")); // outside
        QVERIFY(!chroot.contains(Path("/apple")) && chroot.contains(Path("/app")));
        QCOMPARE(Chroot().onServer(Path("/a")), Path("/a"));
    }

    // A server takes the length of whole paths.
    void aRequestIsMeasuredWithItsWholePaths()
    {
        const auto inside = connected(QStringLiteral("/team/app"));
        const Transaction one = Transaction().check(Path("/a"));
        const qsizetype size = sizeOf(MultiRequest{one}) - sizeOf(MultiRequest{});
        Transaction checks;
        for (qsizetype bytes = 1000; bytes < MaxRequestSize; bytes += size)
            checks.append(one);
        QVERIFY(sizeOf(MultiRequest{checks}) < MaxRequestSize);
        try {
            static_cast<void>(inside->commit(checks));
            QFAIL("it is too large");
        } catch (const RequestTooLarge &error) {
            QVERIFY2(QByteArray(error.what()).contains("transaction on /a: "), error.what());
        }
    }

    // After a reconnection all watches are sent again in one packet, with their whole paths.
    void watchesAreCountedWithTheirWholePaths()
    {
        const QByteArray chroot = '/' + QByteArray(43, 'c');
        const auto inside = connected(QString::fromLatin1(chroot));
        constexpr qsizetype Length = 1000; // of a path, with the chroot
        std::vector<Watch> watches(WatchRegistry::MaxPathBytes / (Length + 4) + 1);
        std::size_t watched = 0;
        QByteArray told;
        for (Watch &watch : watches) {
            QByteArray path = '/' + QByteArray::number(watched);
            path += QByteArray(Length - chroot.size() - path.size(), 'x');
            try {
                static_cast<void>(inside->exists(Path(path), watch));
                ++watched;
            } catch (const TooManyWatches &error) {
                told = error.what();
                break;
            }
        }
        QCOMPARE(watched, watches.size() - 1);
        QVERIFY2(told.startsWith("watch /" + QByteArray::number(watched) + 'x'), told);
    }

    void aSessionKeepsItsRoot()
    {
        const auto inside = connected(QStringLiteral("/team/app"));
        QVERIFY_THROWS_EXCEPTION(InvalidConnectString, inside->setServers(m_real->server.connectString()));
        inside->setServers(m_real->server.connectString() + QStringLiteral("/team/app"));
        await(inside->ensurePath(Path("/a")));
    }
};

QTEST_GUILESS_MAIN(ChrootTest)
#include "chroot_test.moc"
