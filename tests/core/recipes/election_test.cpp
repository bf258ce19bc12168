#include "recipes/election.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class ElectionTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/master"};

private Q_SLOTS:
    void theFirstLeadsAndAllSeeIt()
    {
        FakeParty party(2);
        Election first(party[0], m_path);
        Election second(party[1], m_path);
        QVERIFY(!party.run(second.leader()));
        const Leadership leadership = party.run(first.campaign("one"));
        QVERIFY(leadership.certain());
        const std::optional<Leader> leader = party.run(second.leader());
        QVERIFY(leader);
        QCOMPARE(leader->id, QByteArray("one"));
        QCOMPARE(leader->fence.czxid, leadership.fence().czxid);
    }

    void theNextLeadsWhenTheLeaderResignsOrExpires()
    {
        FakeParty party(3);
        std::vector<QByteArray> elected;
        std::vector<std::optional<Leadership>> held(3);
        async::TaskGroup campaigns;
        const auto campaign = [&](int who) -> async::Task<void> {
            Election election(party[who], m_path);
            Leadership leadership = co_await election.campaign(QByteArray::number(who));
            elected.push_back(QByteArray::number(who));
            held[static_cast<std::size_t>(who)].emplace(std::move(leadership));
        };
        for (int i = 0; i < 3; ++i) {
            campaigns.spawn(campaign(i));
            party.settle();
        }
        QCOMPARE(elected, (std::vector<QByteArray>{"0"}));
        held[0]->resign();
        party.settle();
        QCOMPARE(elected.back(), QByteArray("1"));
        party.server.expire(party[1].sessionId());
        party.settle();
        QCOMPARE(elected.back(), QByteArray("2"));
    }

    void aSuspendedLeaderIsNotCertain()
    {
        FakeParty party(1);
        Election election(party[0], m_path);
        const Leadership leadership = party.run(election.campaign("one"));
        party.session(0).disconnect();
        party.settle();
        QVERIFY(!leadership.certain());
        party.session(0).reconnect();
        party.settle(1s);
        QVERIFY(leadership.certain());
    }

    // CURATOR-696: a leader deposed while it was paused must not write as one.
    void theDeposedLeadersWriteIsRefused()
    {
        FakeParty party(2);
        Election first(party[0], m_path);
        Election second(party[1], m_path);
        const Leadership zombie = party.run(first.campaign("one"));
        party.process(0).freeze();
        party.world.runFor(20s); // the session expires while the process stands still
        const Leadership successor = party.run(second.campaign("two"));
        zk::Transaction late;
        zombie.fence().guard(late).create(zk::Path("/decision"), "late");
        const auto write = [&]() -> async::Task<bool> {
            const zk::Answer<zk::Committed> committed = co_await party[1].commit(late);
            co_return committed.ok();
        };
        QVERIFY(!party.run(write()));
        QVERIFY(successor.fence().czxid > zombie.fence().czxid);
    }
};

QTEST_GUILESS_MAIN(ElectionTest)
#include "election_test.moc"
