#include "interop/contention_run.h"
#include "interop/interop_fixture.h"
#include "recipes/elections/group.h"
#include "recipes/elections/leader_latch.h"
#include "recipes/elections/leader_selector.h"

#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// Who leads and who is there, as clients of all libraries see it.
class LeadersTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<InteropFixture> m_fixture;

    ForeignPeer &curator() { return m_fixture->curator(); }
    ForeignPeer &kazoo() { return m_fixture->kazoo(); }
    zk::Client &ours(std::size_t index) { return m_fixture->ours(index); }

    template <typename Election>
    QByteArray weSee(Election &election)
    {
        const std::optional<Participant> leader = await(election.leader());
        return leader ? leader->data : QByteArray();
    }

    QByteArray theySee(ForeignPeer &peer, const QByteArray &recipe, const zk::Path &path)
    {
        return peer.ask("reader", recipe + " leader " + path.bytes())[u"leader"].toString().toUtf8();
    }

    // The leader as each of the libraries sees it.
    QByteArrayList latchLeader(const zk::Path &path)
    {
        LeaderLatch latch(ours(0), path);
        return {weSee(latch), theySee(curator(), "latch", path), theySee(kazoo(), "latch", path)};
    }

    QByteArrayList selectorLeader(const zk::Path &path)
    {
        LeaderSelector selector(ours(0), path);
        return {weSee(selector), theySee(curator(), "selector", path)};
    }

    // A candidate in the line, before the next one comes.
    void stand(ForeignPeer &peer, const QByteArray &client, const QByteArray &recipe, const zk::Path &path, int place)
    {
        peer.ask(client, recipe + " start " + path.bytes() + ' ' + peer.name() + '-' + client);
        if (!m_fixture->hasChildren(path, place))
            throw std::runtime_error("a candidate does not get in line");
    }

private Q_SLOTS:
    void initTestCase() { m_fixture = std::make_unique<InteropFixture>(); }
    void cleanupTestCase() { m_fixture.reset(); }

    // Leadership goes to each library from each other one, and everybody knows whose it is.
    void oneLatchForAll()
    {
        const zk::Path path("/latch");
        const QByteArray here = ' ' + path.bytes();
        LeaderLatch first(ours(1), path);
        LeaderLatch second(ours(2), path);
        std::optional<Leadership> led;
        const auto campaign = [&](LeaderLatch &latch, const QByteArray &id) -> async::Task<void> {
            Leadership leadership = co_await latch.campaign(id);
            led.emplace(std::move(leadership));
        };
        OurTasks us;

        stand(curator(), "a", "latch", path, 1);
        us.spawn(campaign(first, "drover-a"));
        QVERIFY(m_fixture->hasChildren(path, 2));
        stand(kazoo(), "a", "latch", path, 3);
        stand(curator(), "b", "latch", path, 4);
        stand(kazoo(), "b", "latch", path, 5);
        us.spawn(campaign(second, "drover-b"));
        QVERIFY(m_fixture->hasChildren(path, 6));

        curator().ask("a", "latch await" + here);
        QCOMPARE(latchLeader(path), QByteArrayList(3, "curator-a"));
        QVERIFY(!led);

        curator().ask("a", "latch close" + here);
        QVERIFY(QTest::qWaitFor([&] { return led.has_value(); }, 60'000));
        QCOMPARE(latchLeader(path), QByteArrayList(3, "drover-a"));

        led.reset();
        kazoo().ask("a", "latch await" + here);
        QCOMPARE(latchLeader(path), QByteArrayList(3, "kazoo-a"));

        kazoo().ask("a", "latch close" + here);
        curator().ask("b", "latch await" + here);
        QCOMPARE(latchLeader(path), QByteArrayList(3, "curator-b"));

        curator().ask("b", "latch close" + here);
        kazoo().ask("b", "latch await" + here);
        QCOMPARE(latchLeader(path), QByteArrayList(3, "kazoo-b"));
        QVERIFY(!led);

        kazoo().ask("b", "latch close" + here);
        us.finish();
        QVERIFY(led);
        QCOMPARE(latchLeader(path), QByteArrayList(3, "drover-b"));
    }

    void oneSelectorForBoth()
    {
        const zk::Path path("/selector");
        const QByteArray here = ' ' + path.bytes();
        LeaderSelector selector(ours(1), path);
        async::Event retire;
        const auto lead = [&](Leadership &) -> async::Task<void> { co_await retire.wait(); };
        const auto run = [&]() -> async::Task<void> {
            const bool ended = co_await selector.run("drover-a", lead);
            if (!ended)
                throw std::runtime_error("the leadership was cut off");
        };
        OurTasks us;

        stand(curator(), "a", "selector", path, 1);
        us.spawn(run());
        QVERIFY(m_fixture->hasChildren(path, 2));
        stand(curator(), "b", "selector", path, 3);

        curator().ask("a", "selector await" + here);
        QCOMPARE(selectorLeader(path), QByteArrayList(2, "curator-a"));
        QVERIFY(!selector.leads());

        curator().ask("a", "selector close" + here);
        QVERIFY(QTest::qWaitFor([&] { return selector.leads(); }, 60'000));
        QCOMPARE(selectorLeader(path), QByteArrayList(2, "drover-a"));

        retire.set();
        us.finish();
        curator().ask("b", "selector await" + here);
        QCOMPARE(selectorLeader(path), QByteArrayList(2, "curator-b"));
        curator().ask("b", "selector close" + here);
    }

    void oneGroupForBoth_data()
    {
        QTest::addColumn<int>("layout");
        QTest::newRow("Curator's") << int(Group::Layout::GroupMember);
        QTest::newRow("kazoo's") << int(Group::Layout::Party);
    }

    void oneGroupForBoth()
    {
        QFETCH(int, layout);
        const bool isParty = Group::Layout(layout) == Group::Layout::Party;
        ForeignPeer &peer = isParty ? kazoo() : curator();
        const zk::Path path(isParty ? "/party" : "/group");
        const QByteArray here = ' ' + path.bytes();
        Group group(ours(1), path, Group::Layout(layout));
        const auto theySee = [&](const QByteArrayList &wanted) {
            return QTest::qWaitFor(
                [&] {
                    QByteArrayList ids;
                    for (const QJsonValue &id : peer.ask("a", "group members" + here)[u"members"].toArray())
                        ids << id.toString().toUtf8();
                    return ids == wanted;
                },
                60'000); // Curator has them from a cache
        };

        std::optional<Membership> membership(await(group.join("drover-a")));
        peer.ask("a", "group join" + here + " a");
        QVERIFY(m_fixture->hasChildren(path, 2));
        QCOMPARE(idsOf(await(group.members())), (QByteArrayList{"a", "drover-a"}));
        QVERIFY(theySee({"a", "drover-a"}));

        membership.reset();
        QVERIFY(theySee({"a"}));
        QCOMPARE(idsOf(await(group.members())), QByteArrayList{"a"});
        peer.ask("a", "group leave" + here);
        QVERIFY(m_fixture->hasChildren(path, 0));
    }
};

QTEST_GUILESS_MAIN(LeadersTest)
#include "leaders_test.moc"
