#include "async/or_timeout.h"
#include "recipes/value.h"
#include "support/fake_party.h"

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

    const FakeTree::Znode *node(const FakeParty &party) const { return party.server.tree().find(m_path); }

    static async::Task<void> create(zk::Coordinator &zk, zk::Path path, zk::CreateMode mode)
    {
        const zk::Answer<zk::Created> created = co_await zk.create(path, QByteArray(), mode);
        created.require();
    }
    static async::Task<void> remove(zk::Coordinator &zk, zk::Path path)
    {
        const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
        removed.require();
    }

    static async::Task<void> write(Value &value, QByteArray data) { co_await value.set(data); }

private Q_SLOTS:
    void isReadAndWritten()
    {
        FakeParty party(2);
        Value value(party[0], m_path);
        QVERIFY(!party.run(value.get()));
        QCOMPARE(party.run(value.set("one")), Version(0)); // makes the parent as well
        QCOMPARE(party.run(value.set("two")), Version(1));
        Value other(party[1], m_path);
        const std::optional<zk::Node> read = party.run(other.get());
        QCOMPARE(read->data, QByteArray("two"));
        QCOMPARE(read->stat.version, 1);
        QCOMPARE(read->stat.ephemeralOwner, 0);
    }

    void isWrittenUnderACondition()
    {
        FakeParty party(2);
        Value value(party[0], m_path);
        Value other(party[1], m_path);
        QCOMPARE(party.run(value.setIf(0, "x")), Version());
        QVERIFY(!node(party));
        QCOMPARE(party.run(value.setIf(std::nullopt, "one")), Version(0));
        QCOMPARE(party.run(other.setIf(std::nullopt, "x")), Version());
        QCOMPARE(party.run(other.setIf(0, "two")), Version(1));
        QCOMPARE(party.run(value.setIf(0, "x")), Version());
        QCOMPARE(party.run(value.setIf(1, "three")), Version(2));
        QCOMPARE(node(party)->data, QByteArray("three"));
    }

    void aWriteIsOneRoundTripAndOneRequest()
    {
        FakeParty party(1, {.latency = 5ms});
        party.run(party[0].ensurePath(m_path));
        Value value(party[0], m_path);
        for (qint32 i = 0; i < 3; ++i) {
            const async::TimePoint before = party.world.now();
            const quint64 requests = party[0].counters().requests;
            QCOMPARE(party.run(value.setIf(i, "x")), Version(i + 1));
            QCOMPARE(party.world.now() - before, async::Duration(10ms));
            QCOMPARE(party[0].counters().requests - requests, 1u);
        }
    }

    void receiptsGoWithTheirOwner()
    {
        FakeParty party(1);
        {
            Value value(party[0], m_path);
            party.run(value.set("one"));
            party.run(value.set("two"));
            QCOMPARE(party.childrenOf(m_path).size(), 1);
            QVERIFY(Receipts::isReceipt(party.childrenOf(m_path).front()));
        }
        party.settle();
        QVERIFY(party.childrenOf(m_path).isEmpty());
        QCOMPARE(party[0].obligations(), 0);
    }

    void writesUnderWayAtOnceHaveAReceiptEach()
    {
        FakeParty party(1);
        Value value(party[0], m_path);
        party.run(value.set("one"));
        async::TaskGroup writers;
        for (int i = 0; i < 3; ++i)
            writers.spawn(write(value, QByteArray::number(i)));
        party.settle();
        QVERIFY(writers.empty());
        QCOMPARE(node(party)->stat.version, 3);
        QCOMPARE(party.childrenOf(m_path).size(), 3);
    }

    void aCancelledWriteLeavesNoReceipt()
    {
        FakeParty party(1, {.latency = 50ms});
        party.run(party[0].ensurePath(m_path));
        Value value(party[0], m_path);
        QVERIFY_THROWS_EXCEPTION(async::Timeout, party.run(async::orTimeout(party.process(0), value.set("x"), 60ms)));
        QCOMPARE(party.childrenOf(m_path).size(), 1); // it had been carried out
        party.settle(1s);
        QVERIFY(party.childrenOf(m_path).isEmpty());
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
            FakeParty party(0);
            party.add({.faults = &faults});
            Value value(party[0], m_path);
            QCOMPARE(party.run(value.setIf(std::nullopt, "one")), Version(0));
            QCOMPARE(party.run(value.setIf(0, "two")), Version(1));
            QCOMPARE(party.run(value.setIf(0, "x")), Version());
            QCOMPARE(party.run(value.setIf(1, "two")), Version(2)); // the same bytes again
            party.run(value.set("four"));
            QCOMPARE(node(party)->stat.version, 3);
            QCOMPARE(node(party)->data, QByteArray("four"));
        }
    }

    // What only a receipt can tell: the version is one more and the bytes are ours, but not by us.
    void theSameWriteOfAnotherIsNotTakenForOurs()
    {
        FaultPlan plan;
        plan.scripted[2] = Fault::LoseRequest;
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        party.add({.faults = &faults});
        Value value(party[1], m_path);
        QCOMPARE(party.run(value.setIf(0, "one")), Version(1));
        Value other(party[0], m_path);
        Version ours = 99;
        async::TaskGroup writing;
        const auto writeIf = [&]() -> async::Task<void> { ours = co_await value.setIf(1, "two"); };
        writing.spawn(writeIf());
        QCOMPARE(party.run(other.setIf(1, "two")), Version(2)); // while we are without a connection
        party.settle(5s);
        QVERIFY(writing.empty());
        QCOMPARE(ours, Version());
        QCOMPARE(node(party)->stat.version, 2);
    }

    void aWriteThatWasOverwrittenSinceIsReportedAsWritten()
    {
        FaultPlan plan;
        plan.scripted[2] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        party.add({.faults = &faults});
        Value value(party[1], m_path);
        QCOMPARE(party.run(value.setIf(0, "one")), Version(1));
        Value other(party[0], m_path);
        Version ours;
        async::TaskGroup writing;
        const auto writeIf = [&]() -> async::Task<void> { ours = co_await value.setIf(1, "two"); };
        writing.spawn(writeIf());
        party.world.runUntil([&] { return node(party)->stat.version == 2; });
        QCOMPARE(party.run(other.setIf(2, "three")), Version(3));
        party.settle(5s);
        QCOMPARE(ours, Version(2));
        QCOMPARE(node(party)->data, QByteArray("three"));
    }

    void aNodeMadeAnewIsNotTakenForTheOldOne()
    {
        FakeParty party(2);
        Value value(party[0], m_path);
        party.run(value.setIf(std::nullopt, "one"));
        party.run(remove(party[1], m_path / party.childrenOf(m_path).front()));
        party.run(remove(party[1], m_path));
        Value other(party[1], m_path);
        party.run(other.set("other"));
        QCOMPARE(party.run(value.setIf(0, "x")), Version());
        QCOMPARE(node(party)->data, QByteArray("other"));
        QCOMPARE(party.run(value.setIf(0, "seen")), Version(1));
    }

    // The receipts of earlier writes went with the node.
    void aNodeThatWasDeletedIsCreatedIfAbsent()
    {
        FakeParty party(2);
        Value value(party[0], m_path);
        party.run(value.setIf(std::nullopt, "one"));
        async::TaskGroup writers; // two receipts
        for (const char *word : {"two", "three"})
            writers.spawn(write(value, word));
        party.settle();
        for (const QByteArray &receipt : party.childrenOf(m_path))
            party.run(remove(party[1], m_path / receipt));
        party.run(remove(party[1], m_path));
        QCOMPARE(party.run(value.setIf(std::nullopt, "four")), Version(0));
        QCOMPARE(node(party)->data, QByteArray("four"));
        QCOMPARE(party.run(value.setIf(std::nullopt, "x")), Version());
    }

    void anEphemeralNodeIsRefusedClearly()
    {
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path.parent()));
        party.run(create(party[0], m_path, zk::CreateMode::Ephemeral));
        Value value(party[0], m_path);
        QVERIFY_THROWS_EXCEPTION(zk::UnexpectedAnswer, party.run(value.set("x")));
    }

    void isWatched()
    {
        FakeParty party(2);
        Value value(party[0], m_path);
        Value other(party[1], m_path);
        QByteArrayList seen;
        async::TaskGroup watching;
        watching.spawn(value.watch([&](const zk::Node *n) { seen.push_back(n ? n->data : "none"); }));
        party.settle();
        party.run(other.set("one"));
        party.settle();
        party.run(other.set("two"));
        party.settle();
        QCOMPARE(seen, (QByteArrayList{"none", "one", "two"}));
    }

    void lesson09_aDeletedParentIsMadeAnew()
    {
        FakeParty party(2);
        Value value(party[0], m_path);
        party.run(value.set("one"));
        party.run(remove(party[1], m_path / party.childrenOf(m_path).front()));
        party.run(remove(party[1], m_path));
        party.run(remove(party[1], m_path.parent()));
        QCOMPARE(party.run(value.setIf(0, "x")), Version());
        party.run(value.set("two"));
        QCOMPARE(node(party)->data, QByteArray("two"));
    }

    void lesson11_aWriteWaitsForTheConnection()
    {
        FakeParty party(1);
        Value value(party[0], m_path);
        party.run(value.set("one"));
        party.session(0).disconnect();
        async::TaskGroup writing;
        writing.spawn(write(value, "two"));
        party.settle(1s);
        QCOMPARE(node(party)->data, QByteArray("one"));
        party.session(0).reconnect();
        party.settle(1s);
        QVERIFY(writing.empty());
        QCOMPARE(node(party)->data, QByteArray("two"));
    }

    // CURATOR-688, ZOOKEEPER-4743: version -1 means any, so a condition on it is none.
    void lesson12_theVersionOverflows()
    {
        FakeParty party(1);
        Value value(party[0], m_path);
        party.run(value.set("one"));
        party.server.tree().setVersion(m_path, std::numeric_limits<qint32>::max());
        QCOMPARE(party.run(value.setIf(std::numeric_limits<qint32>::max(), "two")),
                 Version(std::numeric_limits<qint32>::min()));
        QCOMPARE(party.run(value.setIf(std::numeric_limits<qint32>::max(), "x")), Version());
        party.server.tree().setVersion(m_path, -2);
        QCOMPARE(party.run(value.setIf(-2, "three")), Version(0)); // not -1
        QCOMPARE(node(party)->data, QByteArray("three"));
        party.server.tree().setVersion(m_path, -1); // somebody else's doing
        QVERIFY_THROWS_EXCEPTION(VersionUnusable, party.run(value.setIf(-1, "x")));
        QCOMPARE(node(party)->data, QByteArray("three"));
        party.run(value.set("four"));
        QCOMPARE(party.run(value.setIf(0, "five")), Version(1));
    }

    void lesson12_theReceiptsVersionOverflows()
    {
        FaultPlan plan;
        plan.scripted[2] = plan.scripted[5] = Fault::LoseReply;
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        party.add({.faults = &faults});
        Value value(party[1], m_path);
        party.run(value.set("one"));
        async::TaskGroup writing;
        writing.spawn(write(value, "two"));
        party.world.runUntil([&] { return node(party)->stat.version == 2; });
        // It looks there when it is connected again, and so learns of it.
        const zk::Path receipt = m_path / party.childrenOf(m_path).front();
        party.server.tree().setVersion(receipt, std::numeric_limits<qint32>::max());
        party.settle(5s);
        QVERIFY(writing.empty());
        party.run(value.set("three"));
        QCOMPARE(party.server.tree().find(receipt)->stat.version, std::numeric_limits<qint32>::min());
        party.run(value.set("four"));
        QCOMPARE(faults.log().total(), 2u);
        QCOMPARE(node(party)->stat.version, 4);
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{receipt.name()});
    }

    void aReceiptWrittenByAnotherHandIsReplaced()
    {
        FakeParty party(1);
        Value value(party[0], m_path);
        party.run(value.set("one"));
        party.server.tree().setVersion(m_path / party.childrenOf(m_path).front(), 7);
        QCOMPARE(party.run(value.setIf(0, "x")), Version());
        party.run(value.set("two"));
        QCOMPARE(node(party)->stat.version, 1);
    }

    void lesson14_theEndOfTheSessionIsToldAndTheValueStays()
    {
        FakeParty party(1);
        Value value(party[0], m_path);
        party.run(value.set("one"));
        party.server.expire(party[0].sessionId());
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, party.run(value.set("two")));
        QCOMPARE(node(party)->data, QByteArray("one"));
        QVERIFY(party.childrenOf(m_path).isEmpty());
    }
};

QTEST_GUILESS_MAIN(ValueTest)
#include "value_test.moc"
