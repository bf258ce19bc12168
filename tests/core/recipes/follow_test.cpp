#include "recipes/follow.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class FollowTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/watched"};

    static async::Task<void> create(zk::Coordinator &zk, zk::Path path)
    {
        const zk::Answer<zk::Created> created = co_await zk.create(path, QByteArray("data"));
        created.require();
    }
    static async::Task<void> remove(zk::Coordinator &zk, zk::Path path)
    {
        const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
        removed.require();
    }
    static async::Task<void> set(zk::Coordinator &zk, zk::Path path, QByteArray data)
    {
        const zk::Answer<zk::Stat> written = co_await zk.set(path, data);
        written.require();
    }

private Q_SLOTS:
    void childrenAreFollowedThroughCreationDeletionAndReconnection()
    {
        FakeParty party(2);
        std::vector<QByteArrayList> seen;
        async::TaskGroup following;
        following.spawn(followChildren(party[0], m_path, [&](const zk::Children &children) {
            QByteArrayList names = children.names;
            std::sort(names.begin(), names.end());
            seen.push_back(names);
        }));
        party.settle();
        QCOMPARE(seen.back(), QByteArrayList());
        party.run(create(party[1], m_path));
        party.run(create(party[1], m_path / "a"));
        party.settle();
        QCOMPARE(seen.back(), QByteArrayList{"a"});
        party.session(0).disconnect();
        party.run(create(party[1], m_path / "b")); // missed, and made up for
        party.session(0).reconnect();
        party.settle(1s);
        QCOMPARE(seen.back(), (QByteArrayList{"a", "b"}));
        party.run(remove(party[1], m_path / "a"));
        party.run(remove(party[1], m_path / "b"));
        party.run(remove(party[1], m_path));
        party.settle();
        QCOMPARE(seen.back(), QByteArrayList());
        QCOMPARE(party.server.watches().size(), 1u); // one watch, whatever has happened
        following.cancelAll();
        party.settle();
        QVERIFY(party.server.watches().empty());
    }

    void dataIsFollowed()
    {
        FakeParty party(2);
        std::vector<QByteArray> seen;
        async::TaskGroup following;
        following.spawn(followData(
            party[0], m_path, [&](const zk::Node *node) { seen.push_back(node ? node->data : QByteArray("none")); }));
        party.settle();
        party.run(create(party[1], m_path));
        party.settle();
        party.run(set(party[1], m_path, "changed"));
        party.settle();
        party.run(remove(party[1], m_path));
        party.settle();
        QCOMPARE(seen, (std::vector<QByteArray>{"none", "data", "changed", "none"}));
    }

    void itEndsWithTheSession()
    {
        FakeParty party(1);
        std::exception_ptr error;
        async::TaskGroup following([&](const std::exception_ptr &e) { error = e; });
        following.spawn(followChildren(party[0], m_path, [](const zk::Children &) {}));
        party.settle();
        party.server.expire(party[0].sessionId());
        party.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }
};

QTEST_GUILESS_MAIN(FollowTest)
#include "follow_test.moc"
