#include "async/or_timeout.h"
#include "recipes/values/value.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

#include <limits>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class ValueTest : public QObject
{
    Q_OBJECT

    using Version = std::optional<qint32>;
    const zk::Path m_path{"/values/a"};

    const FakeTree::Znode *node(const FakeCluster &fake) const { return fake.server.tree().find(m_path); }

    static async::Task<void> create(zk::Client &zk, zk::Path path, zk::CreateMode mode)
    {
        const zk::Answer<zk::Created> created = co_await zk.create(path, QByteArray(), mode);
        created.require();
    }
    static async::Task<void> remove(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
        removed.require();
    }

    static async::Task<void> write(Value &value, QByteArray data) { co_await value.set(data); }

private Q_SLOTS:
    void isReadAndWritten()
    {
        FakeCluster fake(2);
        Value value(fake[0], m_path);
        QVERIFY(!fake.run(value.get()));
        QCOMPARE(fake.run(value.set("one")), Version(0)); // makes the parent as well
        QCOMPARE(fake.run(value.set("two")), Version(1));
        Value other(fake[1], m_path);
        const std::optional<zk::Node> read = fake.run(other.get());
        QCOMPARE(read->data, QByteArray("two"));
        QCOMPARE(read->stat.version, 1);
        QCOMPARE(read->stat.ephemeralOwner, 0);
    }

    void isWrittenUnderACondition()
    {
        FakeCluster fake(2);
        Value value(fake[0], m_path);
        Value other(fake[1], m_path);
        QCOMPARE(fake.run(value.setIf(0, "x")), Version());
        QVERIFY(!node(fake));
        QCOMPARE(fake.run(value.setIf(std::nullopt, "one")), Version(0));
        QCOMPARE(fake.run(other.setIf(std::nullopt, "x")), Version());
        QCOMPARE(fake.run(other.setIf(0, "two")), Version(1));
        QCOMPARE(fake.run(value.setIf(0, "x")), Version());
        QCOMPARE(fake.run(value.setIf(1, "three")), Version(2));
        QCOMPARE(node(fake)->data, QByteArray("three"));
    }

    void aWriteIsOneRoundTripAndOneRequest()
    {
        FakeCluster fake(1, {.latency = 5ms});
        fake.run(fake[0].ensurePath(m_path));
        Value value(fake[0], m_path);
        for (qint32 i = 0; i < 3; ++i) {
            const async::TimePoint before = fake.world.now();
            const quint64 requests = fake[0].counters().requests;
            QCOMPARE(fake.run(value.setIf(i, "x")), Version(i + 1));
            QCOMPARE(fake.world.now() - before, async::Duration(10ms));
            QCOMPARE(fake[0].counters().requests - requests, 1u);
        }
    }

    void receiptsGoWithTheirOwner()
    {
        FakeCluster fake(1);
        {
            Value value(fake[0], m_path);
            fake.run(value.set("one"));
            fake.run(value.set("two"));
            QCOMPARE(fake.childrenOf(m_path).size(), 1);
            QVERIFY(Receipts::isReceipt(fake.childrenOf(m_path).front()));
        }
        fake.settle();
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        QCOMPARE(fake[0].pendingCleanups(), 0);
    }

    void writesUnderWayAtOnceHaveAReceiptEach()
    {
        FakeCluster fake(1);
        Value value(fake[0], m_path);
        fake.run(value.set("one"));
        async::TaskGroup writers;
        for (int i = 0; i < 3; ++i)
            writers.spawn(write(value, QByteArray::number(i)));
        fake.settle();
        QVERIFY(writers.empty());
        QCOMPARE(node(fake)->stat.version, 3);
        QCOMPARE(fake.childrenOf(m_path).size(), 3);
    }

    void aCancelledWriteLeavesNoReceipt()
    {
        FakeCluster fake(1, {.latency = 50ms});
        fake.run(fake[0].ensurePath(m_path));
        Value value(fake[0], m_path);
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(0), value.set("x"), 60ms)));
        QCOMPARE(fake.childrenOf(m_path).size(), 1); // it had been carried out
        fake.settle(1s);
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

    // Each request in turn, lost on the way there or back: every write is carried out once, and reported so.
    void lostRepliesAreMadeUpFor_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void lostRepliesAreMadeUpFor()
    {
        QFETCH(int, fault);
        for (quint64 operation = 1; operation <= 12; ++operation) {
            FaultPlan plan;
            plan.scripted[operation] = static_cast<Fault>(fault);
            FaultInjector faults(plan);
            FakeCluster fake(0);
            fake.add({.faults = &faults});
            Value value(fake[0], m_path);
            QCOMPARE(fake.run(value.setIf(std::nullopt, "one")), Version(0));
            QCOMPARE(fake.run(value.setIf(0, "two")), Version(1));
            QCOMPARE(fake.run(value.setIf(0, "x")), Version());
            QCOMPARE(fake.run(value.setIf(1, "two")), Version(2)); // the bytes do not change
            fake.run(value.set("four"));
            QCOMPARE(node(fake)->stat.version, 3);
            QCOMPARE(node(fake)->data, QByteArray("four"));
        }
    }

    // What only a receipt can tell: the version is one more and the bytes are ours, but not by us.
    void theSameWriteOfAnotherIsNotTakenForOurs()
    {
        FaultPlan plan;
        plan.scripted[2] = Fault::LoseRequest;
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        Value value(fake[1], m_path);
        QCOMPARE(fake.run(value.setIf(0, "one")), Version(1));
        Value other(fake[0], m_path);
        Version ours = 99;
        async::TaskGroup writing;
        const auto writeIf = [&]() -> async::Task<void> { ours = co_await value.setIf(1, "two"); };
        writing.spawn(writeIf());
        QCOMPARE(fake.run(other.setIf(1, "two")), Version(2)); // while we are without a connection
        fake.settle(5s);
        QVERIFY(writing.empty());
        QCOMPARE(ours, Version());
        QCOMPARE(node(fake)->stat.version, 2);
    }

    void aWriteThatWasOverwrittenSinceIsReportedAsWritten()
    {
        FaultPlan plan;
        plan.scripted[2] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        Value value(fake[1], m_path);
        QCOMPARE(fake.run(value.setIf(0, "one")), Version(1));
        Value other(fake[0], m_path);
        Version ours;
        async::TaskGroup writing;
        const auto writeIf = [&]() -> async::Task<void> { ours = co_await value.setIf(1, "two"); };
        writing.spawn(writeIf());
        fake.world.runUntil([&] { return node(fake)->stat.version == 2; });
        QCOMPARE(fake.run(other.setIf(2, "three")), Version(3));
        fake.settle(5s);
        QCOMPARE(ours, Version(2));
        QCOMPARE(node(fake)->data, QByteArray("three"));
    }

    void aNodeMadeAnewIsNotTakenForTheOldOne()
    {
        FakeCluster fake(2);
        Value value(fake[0], m_path);
        fake.run(value.setIf(std::nullopt, "one"));
        fake.run(remove(fake[1], m_path / fake.childrenOf(m_path).front()));
        fake.run(remove(fake[1], m_path));
        Value other(fake[1], m_path);
        fake.run(other.set("other"));
        QCOMPARE(fake.run(value.setIf(0, "x")), Version());
        QCOMPARE(node(fake)->data, QByteArray("other"));
        QCOMPARE(fake.run(value.setIf(0, "seen")), Version(1));
    }

    // The receipts of earlier writes went with the node.
    void aNodeThatWasDeletedIsCreatedIfAbsent()
    {
        FakeCluster fake(2);
        Value value(fake[0], m_path);
        fake.run(value.setIf(std::nullopt, "one"));
        async::TaskGroup writers; // two receipts
        for (const char *word : {"two", "three"})
            writers.spawn(write(value, word));
        fake.settle();
        for (const QByteArray &receipt : fake.childrenOf(m_path))
            fake.run(remove(fake[1], m_path / receipt));
        fake.run(remove(fake[1], m_path));
        QCOMPARE(fake.run(value.setIf(std::nullopt, "four")), Version(0));
        QCOMPARE(node(fake)->data, QByteArray("four"));
        QCOMPARE(fake.run(value.setIf(std::nullopt, "x")), Version());
    }

    void anEphemeralNodeIsRefusedClearly()
    {
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path.parent()));
        fake.run(create(fake[0], m_path, zk::CreateMode::Ephemeral));
        Value value(fake[0], m_path);
        QVERIFY_THROWS_EXCEPTION(zk::UnexpectedAnswer, fake.run(value.set("x")));
    }

    void isWatched()
    {
        FakeCluster fake(2);
        Value value(fake[0], m_path);
        Value other(fake[1], m_path);
        QByteArrayList seen;
        async::TaskGroup watching;
        watching.spawn(value.watch([&](const zk::Node *n) { seen.push_back(n ? n->data : "none"); }));
        fake.settle();
        fake.run(other.set("one"));
        fake.settle();
        fake.run(other.set("two"));
        fake.settle();
        QCOMPARE(seen, (QByteArrayList{"none", "one", "two"}));
    }

    void aDeletedParentIsMadeAnew()
    {
        FakeCluster fake(2);
        Value value(fake[0], m_path);
        fake.run(value.set("one"));
        fake.run(remove(fake[1], m_path / fake.childrenOf(m_path).front()));
        fake.run(remove(fake[1], m_path));
        fake.run(remove(fake[1], m_path.parent()));
        QCOMPARE(fake.run(value.setIf(0, "x")), Version());
        fake.run(value.set("two"));
        QCOMPARE(node(fake)->data, QByteArray("two"));
    }

    void aWriteWaitsForTheConnection()
    {
        FakeCluster fake(1);
        Value value(fake[0], m_path);
        fake.run(value.set("one"));
        fake.session(0).disconnect();
        async::TaskGroup writing;
        writing.spawn(write(value, "two"));
        fake.settle(1s);
        QCOMPARE(node(fake)->data, QByteArray("one"));
        fake.session(0).reconnect();
        fake.settle(1s);
        QVERIFY(writing.empty());
        QCOMPARE(node(fake)->data, QByteArray("two"));
    }

    // CURATOR-688, ZOOKEEPER-4743: version -1 means any, so a condition on it is none.
    void theVersionOverflows()
    {
        FakeCluster fake(1);
        Value value(fake[0], m_path);
        fake.run(value.set("one"));
        fake.server.tree().setVersion(m_path, std::numeric_limits<qint32>::max());
        QCOMPARE(fake.run(value.setIf(std::numeric_limits<qint32>::max(), "two")),
                 Version(std::numeric_limits<qint32>::min()));
        QCOMPARE(fake.run(value.setIf(std::numeric_limits<qint32>::max(), "x")), Version());
        fake.server.tree().setVersion(m_path, -2);
        QCOMPARE(fake.run(value.setIf(-2, "three")), Version(0)); // not -1
        QCOMPARE(node(fake)->data, QByteArray("three"));
        fake.server.tree().setVersion(m_path, -1); // by another client
        QVERIFY_THROWS_EXCEPTION(VersionUnusable, fake.run(value.setIf(-1, "x")));
        QCOMPARE(node(fake)->data, QByteArray("three"));
        fake.run(value.set("four"));
        QCOMPARE(fake.run(value.setIf(0, "five")), Version(1));
    }

    void theReceiptsVersionOverflows()
    {
        FaultPlan plan;
        plan.scripted[2] = plan.scripted[5] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        Value value(fake[1], m_path);
        fake.run(value.set("one"));
        async::TaskGroup writing;
        writing.spawn(write(value, "two"));
        fake.world.runUntil([&] { return node(fake)->stat.version == 2; });
        // It looks there when it is connected again, and so learns of it.
        const zk::Path receipt = m_path / fake.childrenOf(m_path).front();
        fake.server.tree().setVersion(receipt, std::numeric_limits<qint32>::max());
        fake.settle(5s);
        QVERIFY(writing.empty());
        fake.run(value.set("three"));
        QCOMPARE(fake.server.tree().find(receipt)->stat.version, std::numeric_limits<qint32>::min());
        fake.run(value.set("four"));
        QCOMPARE(faults.log().total(), 2u);
        QCOMPARE(node(fake)->stat.version, 4);
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{receipt.name()});
    }

    void aReceiptWrittenByAnotherHandIsReplaced()
    {
        FakeCluster fake(1);
        Value value(fake[0], m_path);
        fake.run(value.set("one"));
        fake.server.tree().setVersion(m_path / fake.childrenOf(m_path).front(), 7);
        QCOMPARE(fake.run(value.setIf(0, "x")), Version());
        fake.run(value.set("two"));
        QCOMPARE(node(fake)->stat.version, 1);
    }

    void theEndOfTheSessionIsReportedAndTheValueStays()
    {
        FakeCluster fake(1);
        Value value(fake[0], m_path);
        fake.run(value.set("one"));
        fake.server.expire(fake[0].sessionId());
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, fake.run(value.set("two")));
        QCOMPARE(node(fake)->data, QByteArray("one"));
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }
};

QTEST_GUILESS_MAIN(ValueTest)
#include "value_test.moc"
