#include "async/or_timeout.h"
#include "recipes/elections/group.h"
#include "support/fake/fake_cluster.h"

#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class GroupTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/members"};

private Q_SLOTS:
    void membersComeAndGo()
    {
        FakeCluster fake(2);
        Group first(fake[0], m_path);
        Group second(fake[1], m_path);
        const Membership one = fake.run(first.join("one", "data"));
        {
            const Membership two = fake.run(second.join("two", "data"));
            const std::vector<Member> members = fake.run(first.members());
            QCOMPARE(idsOf(members), (QByteArrayList{"one", "two"}));
            QCOMPARE(members.front().data, QByteArray("data"));
            QCOMPARE(members.front().path, m_path / "one");
        }
        fake.settle();
        QCOMPARE(idsOf(fake.run(first.members())), QByteArrayList{"one"});
        fake.server.expire(fake[0].sessionId());
        QCOMPARE(idsOf(fake.run(second.members())), QByteArrayList());
    }

    void aLostReplyIsNotANamesake()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        Group group(fake[1], m_path);
        const Membership membership = fake.run(group.join("one", "data"));
        QCOMPARE(membership.fence().session, fake[1].sessionId());
        QCOMPARE(membership.fence().czxid, fake.server.tree().find(m_path / "one")->stat.czxid);
    }

    void dataIsWrittenIntoOnesOwnEntryOnly()
    {
        FaultPlan plan;
        plan.scripted[3] = Fault::LoseReply; // create, get, set
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        Group first(fake[0], m_path);
        Group second(fake[1], m_path);
        Membership deposed = fake.run(second.join("one", "a"));
        QVERIFY(fake.run(deposed.setData("b")));
        QCOMPARE(faults.log().total(), 1u);
        QCOMPARE(fake.server.tree().find(m_path / "one")->data, QByteArray("b"));
        fake.get(fake[0].remove(m_path / "one")).require();
        QVERIFY(!fake.run(deposed.setData("c")));
        const Membership namesake = fake.run(first.join("one", "theirs"));
        QVERIFY(!fake.run(deposed.setData("c")));
        QCOMPARE(fake.server.tree().find(m_path / "one")->data, QByteArray("theirs"));
        QCOMPARE(fake.server.tree().find(m_path / "one")->stat.version, 0);
    }

    // The program was restarted, and the session of its last life has not expired yet.
    void waitsForTheLastLifeOfTheSameName()
    {
        FakeCluster fake(2);
        Group before(fake[0], m_path);
        Group after(fake[1], m_path);
        Membership old = fake.run(before.join("one", "old"));
        fake.session(0).crash();
        const async::TimePoint crashed = fake.world.now();
        const Membership membership = fake.run(after.join("one", "new"));
        QVERIFY(fake.world.now() > crashed + 1s);
        QCOMPARE(fake.server.tree().find(m_path / "one")->data, QByteArray("new"));
    }

    // The node of the first part stayed, and was a member that never left.
    void anIdWithASlashIsRefused()
    {
        FakeCluster fake(1);
        Group group(fake[0], m_path);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(group.join("one/two", "data")));
        QVERIFY(fake.run(group.members()).empty());
    }

    // A member of such a name would be in the way of that recipe, and kazoo's Party would read its data as an id.
    void anIdOfAnotherRecipesNodesIsRefused()
    {
        FakeCluster fake(1);
        Group group(fake[0], m_path);
        for (const char *const id : {"", "leases", "lock-0000000007", "0123__party__"})
            QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(group.join(id, "data")));
        QVERIFY(fake.run(group.members()).empty());
        Group party(fake[0], zk::Path("/party"), Group::Layout::Party);
        const Membership membership = fake.run(party.join("leases"));
        QCOMPARE(idsOf(fake.run(party.members())), QByteArrayList{"leases"});
    }

    void aCancelledJoinLeavesAnothersNodeAlone()
    {
        FakeCluster fake(2);
        Group first(fake[0], m_path);
        Group second(fake[1], m_path);
        const Membership one = fake.run(first.join("one", "data"));
        QVERIFY_THROWS_EXCEPTION(async::Timeout,
                                 fake.run(async::orTimeout(fake.process(1), second.join("one", "other"), 2s)));
        fake.settle(1s);
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{"one"});
        QCOMPARE(fake.server.tree().find(m_path / "one")->data, QByteArray("data"));
    }

    void aCancelledJoinTakesItsOwnNodeBack()
    {
        FakeCluster fake(1, {.latency = 50ms});
        fake.run(fake[0].ensurePath(m_path));
        Group group(fake[0], m_path);
        QVERIFY_THROWS_EXCEPTION(async::Timeout,
                                 fake.run(async::orTimeout(fake.process(0), group.join("one", "data"), 60ms)));
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{"one"}); // the create had been carried out
        fake.settle(1s);
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

    void eventsFollowFromEachOther()
    {
        FakeCluster fake(3);
        QByteArrayList events;
        const auto onEvent = [&](const GroupEvent &event) {
            const char *const sign = event.type == GroupEvent::Type::Joined ? "+"
                : event.type == GroupEvent::Type::Left                      ? "-"
                                                                            : "=";
            events.append(sign + event.member.id + ':' + event.member.data);
        };
        Group watched(fake[0], m_path);
        async::TaskGroup tasks;
        tasks.spawn(watched.follow(onEvent));
        fake.settle();
        Group first(fake[1], m_path);
        Group second(fake[2], m_path);
        std::optional<Membership> one = fake.run(first.join("one", "a"));
        fake.settle();
        Membership two = fake.run(second.join("two", "b"));
        fake.settle();
        QVERIFY(fake.run(one->setData("c")));
        fake.settle();
        one.reset();
        fake.settle();
        fake.server.expire(fake[2].sessionId());
        fake.settle();
        QCOMPARE(events, (QByteArrayList{"+one:a", "+two:b", "=one:c", "-one:c", "-two:b"}));
        tasks.cancelAll();
        fake.settle();
        QVERIFY(fake.server.watches().empty());
    }

    // Of the directory and of a member; as with TooManyWatches, the read itself throws.
    void anUnreadableValueIsReportedToTheFollower_data()
    {
        QTest::addColumn<QByteArray>("refused");
        QTest::newRow("the directory") << m_path.bytes();
        QTest::newRow("a member") << (m_path / "one").bytes();
    }
    void anUnreadableValueIsReportedToTheFollower()
    {
        QFETCH(QByteArray, refused);
        FakeCluster fake(1);
        fake.add({.sabotage = [refused](zk::Request &request) {
            if (zk::pathOf(request).bytes() == refused)
                throw zk::AccessDenied(zk::Code::NoAuth, QString::fromUtf8(refused));
        }});
        Group group(fake[0], m_path);
        const Membership one = fake.run(group.join("one", "a"));
        Group followed(fake[1], m_path);
        QVERIFY_THROWS_EXCEPTION(zk::AccessDenied, fake.run(followed.follow([](const GroupEvent &) {})));
        fake.settle();
        QVERIFY(fake.server.watches().empty());
    }

    // Between two looks of the one who follows: the same name is another member.
    void aMemberThatComesBackAtOnceHasLeftAndJoined()
    {
        FakeCluster fake(2, {.latency = 20ms});
        QByteArray signs;
        const auto onEvent = [&](const GroupEvent &event) {
            signs += event.type == GroupEvent::Type::Joined ? '+' : event.type == GroupEvent::Type::Left ? '-' : '=';
        };
        Group watched(fake[0], m_path);
        Group group(fake[1], m_path);
        async::TaskGroup tasks;
        tasks.spawn(watched.follow(onEvent));
        std::optional<Membership> one = fake.run(group.join("one", "a"));
        fake.settle(1s);
        fake.process(0).freeze();
        one.reset();
        one = fake.run(group.join("one", "a"));
        fake.process(0).thaw();
        fake.settle(1s);
        QCOMPARE(signs, QByteArray("+-+"));
    }

    void endedSaysHowItEnded()
    {
        using End = Membership::End;
        FakeCluster fake(2);
        Group group(fake[0], m_path);
        async::TaskGroup tasks;
        std::vector<End> ends;
        const auto note = [&](async::Task<End> ended) -> async::Task<void> {
            const End end = co_await ended;
            ends.push_back(end);
        };
        std::optional<Membership> one = fake.run(group.join("one"));
        tasks.spawn(note(one->ended()));
        one.reset(); // cancelled by me
        fake.settle();
        one = fake.run(group.join("one"));
        tasks.spawn(note(one->ended()));
        fake.get(fake[1].remove(m_path / "one")).require(); // by another client
        fake.settle();
        one = fake.run(group.join("one"));
        tasks.spawn(note(one->ended()));
        fake.session(0).disconnect();
        fake.settle(20s); // by expiry
        QCOMPARE(ends, (std::vector<End>{End::GivenUp, End::Deleted, End::SessionLost}));
    }

    void staysThoughItsNodeIsDeleted()
    {
        FakeCluster fake(2);
        Group group(fake[0], m_path);
        async::TaskGroup tasks;
        tasks.spawn(group.stay("one", "data"));
        fake.settle();
        const auto removeAll = [&]() -> async::Task<void> {
            for (const zk::Path &path : {m_path / "one", m_path}) {
                const zk::Answer<zk::Nothing> removed = co_await fake[1].remove(path);
                removed.require();
            }
        };
        fake.run(removeAll()); // lesson 9: the directory as well
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{"one"});
    }

    // What kazoo's Party (2.8) writes and reads.
    void aPartyIsKazoos()
    {
        FakeCluster fake(3);
        Group ours(fake[0], m_path, Group::Layout::Party);
        Membership one = fake.run(ours.join("one"));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, fake.run(one.setData("data")));
        const QRegularExpression form(QStringLiteral("^[0-9a-f]{32}__party__$"));
        const QByteArray name = fake.childrenOf(m_path).front();
        QVERIFY2(form.match(QString::fromLatin1(name)).hasMatch(), name.constData());
        QCOMPARE(fake.server.tree().find(m_path / name)->data, QByteArray("one"));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(ours.join("two", "data")));

        const auto create = [&](QByteArray child, QByteArray data) -> async::Task<void> {
            const zk::Answer<zk::Created> created =
                co_await fake[1].create(m_path / child, data, zk::CreateMode::Ephemeral);
            created.require();
        };
        const QByteArray kazoos = "0123456789abcdef0123456789abcdef__party__";
        fake.run(create(kazoos, "python"));
        fake.run(create("stranger", "no member"));
        QCOMPARE(idsOf(fake.run(ours.members())), (QByteArrayList{"one", "python"}));
        QByteArrayList joined;
        const auto onEvent = [&](const GroupEvent &event) { joined.append(event.member.id); };
        async::TaskGroup tasks;
        tasks.spawn(ours.follow(onEvent));
        fake.settle();
        QCOMPARE(QSet<QByteArray>(joined.begin(), joined.end()), (QSet<QByteArray>{"one", "python"}));
    }

    // CURATOR-498: leaving and joining again at once, with the reply to any request lost.
    void leavingSparesTheNextMembership()
    {
        for (quint64 request = 1; request <= 12; ++request) {
            FaultPlan plan;
            plan.scripted[request] = Fault::LoseReply;
            FaultInjector faults(plan);
            FakeCluster fake(1);
            fake.run(fake[0].ensurePath(m_path));
            fake.add({.latency = 5ms, .faults = &faults});
            Group group(fake[1], m_path);
            std::optional<Membership> one = fake.run(group.join("one", "a"));
            one.reset();
            one = fake.run(group.join("one", "b"));
            fake.settle(5s);
            const FakeTree::Znode *node = fake.server.tree().find(m_path / "one");
            QVERIFY(node);
            QCOMPARE(node->data, QByteArray("b"));
            QCOMPARE(node->stat.czxid, one->fence().czxid);
        }
    }
};

QTEST_GUILESS_MAIN(GroupTest)
#include "group_test.moc"
