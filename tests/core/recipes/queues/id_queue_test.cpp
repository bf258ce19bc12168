#include "recipes/queues/id_queue.h"
#include "support/fake/fake_cluster.h"

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
        FakeCluster fake(1);
        IdQueue queue(fake[0], m_path);
        fake.run(queue.put("zebra", "1"));
        fake.run(queue.putAll("an/odd-id 7%", {"2", "3"}));
        fake.run(queue.put("apple-0000000009", "4"));
        std::vector<ClaimedItem> claims = fake.run(queue.getSome(10));
        QCOMPARE(claims.size(), std::size_t(4));
        const QByteArrayList ids{"zebra", "an/odd-id 7%", "an/odd-id 7%", "apple-0000000009"};
        for (int i = 0; i < 4; ++i) {
            QCOMPARE(claims[static_cast<std::size_t>(i)].data(), QByteArray::number(i + 1));
            QCOMPARE(IdQueue::idOf(claims[static_cast<std::size_t>(i)]), ids[i]);
        }
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, fake.run(queue.put("", "x")));
    }

    void itemsAreFoundAndRemovedByTheirId()
    {
        FakeCluster fake(2);
        IdQueue queue(fake[0], m_path);
        IdQueue other(fake[1], m_path);
        QCOMPARE(fake.run(other.remove("a")), 0);
        fake.run(queue.putAll("a", {"1", "2"}));
        fake.run(queue.put("b", "3"));
        fake.run(queue.put("a", "4"));
        QCOMPARE(fake.run(other.find("a")), (QByteArrayList{"1", "2", "4"}));
        QCOMPARE(fake.run(other.find("b")), (QByteArrayList{"3"}));
        QVERIFY(fake.run(other.find("c")).isEmpty());
        ClaimedItem claim = fake.run(queue.get());
        QCOMPARE(fake.run(other.remove("a")), 2); // the first one is claimed
        QCOMPARE(fake.run(other.find("a")), (QByteArrayList{"1"}));
        QVERIFY(fake.run(claim.consume()));
        QVERIFY(fake.run(other.find("a")).isEmpty());
        QCOMPARE(fake.run(queue.size()), qsizetype(1));
        QVERIFY(fake.childrenOf(m_path / "taken").isEmpty());
    }

    void removesOnceWhicheverReplyIsLost()
    {
        for (quint64 n = 1; n <= 6; ++n) {
            FaultPlan plan;
            plan.scripted[n] = Fault::LoseReply;
            FaultInjector faults(plan);
            FakeCluster fake(1);
            fake.add({.latency = 1ms, .faults = &faults});
            IdQueue queue(fake[0], m_path);
            IdQueue other(fake[1], m_path);
            fake.run(queue.putAll("a", {"1", "2"}));
            fake.run(queue.put("b", "3"));
            QCOMPARE(fake.run(other.remove("a")), 2);
            QCOMPARE(fake.run(queue.size()), qsizetype(1));
            QVERIFY(fake.childrenOf(m_path / "taken").isEmpty());
        }
    }
};

QTEST_GUILESS_MAIN(IdQueueTest)
#include "id_queue_test.moc"
