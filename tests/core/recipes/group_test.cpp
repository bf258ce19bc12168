#include "async/or_timeout.h"
#include "recipes/group.h"
#include "support/fake_party.h"

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
            QCOMPARE(party.run(first.members()), (QByteArrayList{"one", "two"}));
        }
        party.settle();
        QCOMPARE(party.run(first.members()), QByteArrayList{"one"});
        party.server.expire(party[0].sessionId());
        QCOMPARE(party.run(second.members()), QByteArrayList());
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
};

QTEST_GUILESS_MAIN(GroupTest)
#include "group_test.moc"
