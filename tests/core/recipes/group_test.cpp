#include "async/or_timeout.h"
#include "recipes/group.h"
#include "support/fake_party.h"

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
        FakeParty party(2);
        Group first(party[0], m_path);
        Group second(party[1], m_path);
        const Membership one = party.run(first.join("one", "data"));
        {
            const Membership two = party.run(second.join("two", "data"));
            const std::vector<Member> members = party.run(first.members());
            QCOMPARE(idsOf(members), (QByteArrayList{"one", "two"}));
            QCOMPARE(members.front().data, QByteArray("data"));
            QCOMPARE(members.front().path, m_path / "one");
        }
        party.settle();
        QCOMPARE(idsOf(party.run(first.members())), QByteArrayList{"one"});
        party.server.expire(party[0].sessionId());
        QCOMPARE(idsOf(party.run(second.members())), QByteArrayList());
    }

    void aLostReplyIsNotANamesake()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        party.add({.faults = &faults});
        Group group(party[1], m_path);
        const Membership membership = party.run(group.join("one", "data"));
        QCOMPARE(membership.fence().session, party[1].sessionId());
        QCOMPARE(membership.fence().czxid, party.server.tree().find(m_path / "one")->stat.czxid);
    }

    void dataIsWrittenIntoOnesOwnEntryOnly()
    {
        FaultPlan plan;
        plan.scripted[3] = Fault::LoseReply; // create, get, set
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        party.add({.faults = &faults});
        Group first(party[0], m_path);
        Group second(party[1], m_path);
        Membership deposed = party.run(second.join("one", "a"));
        QVERIFY(party.run(deposed.setData("b")));
        QCOMPARE(faults.log().total(), 1u);
        QCOMPARE(party.server.tree().find(m_path / "one")->data, QByteArray("b"));
        const auto remove = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await party[0].remove(m_path / "one");
            removed.require();
        };
        party.run(remove());
        QVERIFY(!party.run(deposed.setData("c")));
        const Membership namesake = party.run(first.join("one", "theirs"));
        QVERIFY(!party.run(deposed.setData("c")));
        QCOMPARE(party.server.tree().find(m_path / "one")->data, QByteArray("theirs"));
        QCOMPARE(party.server.tree().find(m_path / "one")->stat.version, 0);
    }

    // The program was restarted, and the session of its last life has not expired yet.
    void waitsForTheLastLifeOfTheSameName()
    {
        FakeParty party(2);
        Group before(party[0], m_path);
        Group after(party[1], m_path);
        Membership old = party.run(before.join("one", "old"));
        party.session(0).crash();
        const async::TimePoint crashed = party.world.now();
        const Membership membership = party.run(after.join("one", "new"));
        QVERIFY(party.world.now() > crashed + 1s);
        QCOMPARE(party.server.tree().find(m_path / "one")->data, QByteArray("new"));
    }

    void aCancelledJoinLeavesAnothersNodeAlone()
    {
        FakeParty party(2);
        Group first(party[0], m_path);
        Group second(party[1], m_path);
        const Membership one = party.run(first.join("one", "data"));
        QVERIFY_THROWS_EXCEPTION(async::Timeout,
                                 party.run(async::orTimeout(party.process(1), second.join("one", "other"), 2s)));
        party.settle(1s);
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{"one"});
        QCOMPARE(party.server.tree().find(m_path / "one")->data, QByteArray("data"));
    }

    void aCancelledJoinTakesItsOwnNodeBack()
    {
        FakeParty party(1, {.latency = 50ms});
        party.run(party[0].ensurePath(m_path));
        Group group(party[0], m_path);
        QVERIFY_THROWS_EXCEPTION(async::Timeout,
                                 party.run(async::orTimeout(party.process(0), group.join("one", "data"), 60ms)));
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{"one"}); // the create had been carried out
        party.settle(1s);
        QVERIFY(party.childrenOf(m_path).isEmpty());
    }

    void eventsFollowFromEachOther()
    {
        FakeParty party(3);
        QByteArrayList events;
        const auto onEvent = [&](const GroupEvent &event) {
            const char *const sign = event.type == GroupEvent::Type::Joined ? "+"
                : event.type == GroupEvent::Type::Left                      ? "-"
                                                                            : "=";
            events.append(sign + event.member.id + ':' + event.member.data);
        };
        Group watched(party[0], m_path);
        async::TaskGroup tasks;
        tasks.spawn(watched.follow(onEvent));
        party.settle();
        Group first(party[1], m_path);
        Group second(party[2], m_path);
        std::optional<Membership> one = party.run(first.join("one", "a"));
        party.settle();
        Membership two = party.run(second.join("two", "b"));
        party.settle();
        QVERIFY(party.run(one->setData("c")));
        party.settle();
        one.reset();
        party.settle();
        party.server.expire(party[2].sessionId());
        party.settle();
        QCOMPARE(events, (QByteArrayList{"+one:a", "+two:b", "=one:c", "-one:c", "-two:b"}));
        tasks.cancelAll();
        party.settle();
        QVERIFY(party.server.watches().empty());
    }

    // Of the directory and of a member; as with TooManyWatches, the read itself throws.
    void whatCannotBeReadIsToldToTheFollower_data()
    {
        QTest::addColumn<QByteArray>("refused");
        QTest::newRow("the directory") << m_path.bytes();
        QTest::newRow("a member") << (m_path / "one").bytes();
    }
    void whatCannotBeReadIsToldToTheFollower()
    {
        QFETCH(QByteArray, refused);
        FakeParty party(1);
        party.add({.sabotage = [refused](zk::Request &request) {
            if (zk::pathOf(request).bytes() == refused)
                throw zk::AccessDenied(zk::Code::NoAuth, QString::fromUtf8(refused));
        }});
        Group group(party[0], m_path);
        const Membership one = party.run(group.join("one", "a"));
        Group followed(party[1], m_path);
        QVERIFY_THROWS_EXCEPTION(zk::AccessDenied, party.run(followed.follow([](const GroupEvent &) {})));
        party.settle();
        QVERIFY(party.server.watches().empty());
    }

    // Between two looks of the one who follows: the same name is another member.
    void whoComesBackAtOnceHasLeftAndJoined()
    {
        FakeParty party(2, {.latency = 20ms});
        QByteArray signs;
        const auto onEvent = [&](const GroupEvent &event) {
            signs += event.type == GroupEvent::Type::Joined ? '+' : event.type == GroupEvent::Type::Left ? '-' : '=';
        };
        Group watched(party[0], m_path);
        Group group(party[1], m_path);
        async::TaskGroup tasks;
        tasks.spawn(watched.follow(onEvent));
        std::optional<Membership> one = party.run(group.join("one", "a"));
        party.settle(1s);
        party.process(0).freeze();
        one.reset();
        one = party.run(group.join("one", "a"));
        party.process(0).thaw();
        party.settle(1s);
        QCOMPARE(signs, QByteArray("+-+"));
    }

    void endedTellsWhoEndedIt()
    {
        using End = Membership::End;
        FakeParty party(2);
        Group group(party[0], m_path);
        async::TaskGroup tasks;
        std::vector<End> ends;
        const auto note = [&](async::Task<End> ended) -> async::Task<void> {
            const End end = co_await ended;
            ends.push_back(end);
        };
        const auto remove = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await party[1].remove(m_path / "one");
            removed.require();
        };
        std::optional<Membership> one = party.run(group.join("one"));
        tasks.spawn(note(one->ended()));
        one.reset(); // cancelled by me
        party.settle();
        one = party.run(group.join("one"));
        tasks.spawn(note(one->ended()));
        party.run(remove()); // by another hand
        party.settle();
        one = party.run(group.join("one"));
        tasks.spawn(note(one->ended()));
        party.session(0).disconnect();
        party.settle(20s); // by expiry
        QCOMPARE(ends, (std::vector<End>{End::GivenUp, End::Deleted, End::SessionLost}));
    }

    void staysThoughItsNodeIsDeleted()
    {
        FakeParty party(2);
        Group group(party[0], m_path);
        async::TaskGroup tasks;
        tasks.spawn(group.stay("one", "data"));
        party.settle();
        const auto removeAll = [&]() -> async::Task<void> {
            for (const zk::Path &path : {m_path / "one", m_path}) {
                const zk::Answer<zk::Nothing> removed = co_await party[1].remove(path);
                removed.require();
            }
        };
        party.run(removeAll()); // lesson 9: the directory as well
        party.settle();
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{"one"});
    }

    // What kazoo's Party (2.8) writes and reads.
    void aPartyIsKazoos()
    {
        FakeParty party(3);
        Group ours(party[0], m_path, Group::Layout::Party);
        Membership one = party.run(ours.join("one"));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, party.run(one.setData("data")));
        const QRegularExpression form(QStringLiteral("^[0-9a-f]{32}__party__$"));
        const QByteArray name = party.childrenOf(m_path).front();
        QVERIFY2(form.match(QString::fromLatin1(name)).hasMatch(), name.constData());
        QCOMPARE(party.server.tree().find(m_path / name)->data, QByteArray("one"));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, party.run(ours.join("two", "data")));

        const auto create = [&](QByteArray child, QByteArray data) -> async::Task<void> {
            const zk::Answer<zk::Created> created =
                co_await party[1].create(m_path / child, data, zk::CreateMode::Ephemeral);
            created.require();
        };
        const QByteArray kazoos = "0123456789abcdef0123456789abcdef__party__";
        party.run(create(kazoos, "python"));
        party.run(create("stranger", "no member"));
        QCOMPARE(idsOf(party.run(ours.members())), (QByteArrayList{"one", "python"}));
        QByteArrayList joined;
        const auto onEvent = [&](const GroupEvent &event) { joined.append(event.member.id); };
        async::TaskGroup tasks;
        tasks.spawn(ours.follow(onEvent));
        party.settle();
        QCOMPARE(QSet<QByteArray>(joined.begin(), joined.end()), (QSet<QByteArray>{"one", "python"}));
    }

    // CURATOR-498: leaving and joining again at once, with the reply to any request lost.
    void lesson06_leavingSparesTheNextMembership()
    {
        for (quint64 request = 1; request <= 12; ++request) {
            FaultPlan plan;
            plan.scripted[request] = Fault::LoseReply;
            FaultInjector faults(plan);
            FakeParty party(1);
            party.run(party[0].ensurePath(m_path));
            party.add({.latency = 5ms, .faults = &faults});
            Group group(party[1], m_path);
            std::optional<Membership> one = party.run(group.join("one", "a"));
            one.reset();
            one = party.run(group.join("one", "b"));
            party.settle(5s);
            const FakeTree::Znode *node = party.server.tree().find(m_path / "one");
            QVERIFY(node);
            QCOMPARE(node->data, QByteArray("b"));
            QCOMPARE(node->stat.czxid, one->fence().czxid);
        }
    }
};

QTEST_GUILESS_MAIN(GroupTest)
#include "group_test.moc"
