#include "recipes/blocks/follow.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class FollowTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/watched"};

    static async::Task<void> create(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Created> created = co_await zk.create(path, QByteArray("data"));
        created.require();
    }
    static async::Task<void> remove(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
        removed.require();
    }
    static async::Task<void> set(zk::Client &zk, zk::Path path, QByteArray data)
    {
        const zk::Answer<zk::Stat> written = co_await zk.set(path, data);
        written.require();
    }

private Q_SLOTS:
    void childrenAreFollowedThroughCreationDeletionAndReconnection()
    {
        FakeCluster fake(2);
        std::vector<QByteArrayList> seen;
        async::TaskGroup following;
        following.spawn(followChildren(fake[0], m_path, [&](const zk::Children &children) {
            QByteArrayList names = children.names;
            std::sort(names.begin(), names.end());
            seen.push_back(names);
        }));
        fake.settle();
        QCOMPARE(seen.back(), QByteArrayList());
        fake.run(create(fake[1], m_path));
        fake.run(create(fake[1], m_path / "a"));
        fake.settle();
        QCOMPARE(seen.back(), QByteArrayList{"a"});
        fake.session(0).disconnect();
        fake.run(create(fake[1], m_path / "b")); // missed, and made up for
        fake.session(0).reconnect();
        fake.settle(1s);
        QCOMPARE(seen.back(), (QByteArrayList{"a", "b"}));
        fake.run(remove(fake[1], m_path / "a"));
        fake.run(remove(fake[1], m_path / "b"));
        fake.run(remove(fake[1], m_path));
        fake.settle();
        QCOMPARE(seen.back(), QByteArrayList());
        QCOMPARE(fake.server.watches().size(), 1u); // one watch, whatever has happened
        following.cancelAll();
        fake.settle();
        QVERIFY(fake.server.watches().empty());
    }

    void dataIsFollowed()
    {
        FakeCluster fake(2);
        std::vector<QByteArray> seen;
        async::TaskGroup following;
        following.spawn(followData(
            fake[0], m_path, [&](const zk::Node *node) { seen.push_back(node ? node->data : QByteArray("none")); }));
        fake.settle();
        fake.run(create(fake[1], m_path));
        fake.settle();
        fake.run(set(fake[1], m_path, "changed"));
        fake.settle();
        fake.run(remove(fake[1], m_path));
        fake.settle();
        QCOMPARE(seen, (std::vector<QByteArray>{"none", "data", "changed", "none"}));
    }

    void itEndsWithTheSession()
    {
        FakeCluster fake(1);
        std::exception_ptr error;
        async::TaskGroup following([&](const std::exception_ptr &e) { error = e; });
        following.spawn(followChildren(fake[0], m_path, [](const zk::Children &) {}));
        fake.settle();
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }
};

QTEST_GUILESS_MAIN(FollowTest)
#include "follow_test.moc"
