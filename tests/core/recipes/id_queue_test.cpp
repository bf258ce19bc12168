#include "recipes/id_queue.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class IdQueueTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/by-id"};

private Q_SLOTS:
    void itemsComeInTheOrderOfTheirNumbers()
    {
        FakeParty party(1);
        IdQueue queue(party[0], m_path);
        party.run(queue.put("zebra", "1"));
        party.run(queue.putAll("an/odd-id 7%", {"2", "3"}));
        party.run(queue.put("apple-0000000009", "4"));
        std::vector<Claim> claims = party.run(queue.getSome(10));
        QCOMPARE(claims.size(), std::size_t(4));
        const QByteArrayList ids{"zebra", "an/odd-id 7%", "an/odd-id 7%", "apple-0000000009"};
        for (int i = 0; i < 4; ++i) {
            QCOMPARE(claims[static_cast<std::size_t>(i)].data(), QByteArray::number(i + 1));
            QCOMPARE(IdQueue::idOf(claims[static_cast<std::size_t>(i)]), ids[i]);
        }
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, party.run(queue.put("", "x")));
    }

    void itemsAreFoundAndRemovedByTheirId()
    {
        FakeParty party(2);
        IdQueue queue(party[0], m_path);
        IdQueue other(party[1], m_path);
        QCOMPARE(party.run(other.remove("a")), 0);
        party.run(queue.putAll("a", {"1", "2"}));
        party.run(queue.put("b", "3"));
        party.run(queue.put("a", "4"));
        QCOMPARE(party.run(other.find("a")), (QByteArrayList{"1", "2", "4"}));
        QCOMPARE(party.run(other.find("b")), (QByteArrayList{"3"}));
        QVERIFY(party.run(other.find("c")).isEmpty());
        Claim claim = party.run(queue.get());
        QCOMPARE(party.run(other.remove("a")), 2); // the first one is claimed
        QCOMPARE(party.run(other.find("a")), (QByteArrayList{"1"}));
        QVERIFY(party.run(claim.consume()));
        QVERIFY(party.run(other.find("a")).isEmpty());
        QCOMPARE(party.run(queue.size()), qsizetype(1));
        QVERIFY(party.childrenOf(m_path / "taken").isEmpty());
    }

    void removesOnceWhicheverReplyIsLost()
    {
        for (quint64 n = 1; n <= 6; ++n) {
            FaultPlan plan;
            plan.scripted[n] = Fault::LoseReply;
            FaultInjector faults(plan);
            FakeParty party(1);
            party.add({.latency = 1ms, .faults = &faults});
            IdQueue queue(party[0], m_path);
            IdQueue other(party[1], m_path);
            party.run(queue.putAll("a", {"1", "2"}));
            party.run(queue.put("b", "3"));
            QCOMPARE(party.run(other.remove("a")), 2);
            QCOMPARE(party.run(queue.size()), qsizetype(1));
            QVERIFY(party.childrenOf(m_path / "taken").isEmpty());
        }
    }
};

QTEST_GUILESS_MAIN(IdQueueTest)
#include "id_queue_test.moc"
