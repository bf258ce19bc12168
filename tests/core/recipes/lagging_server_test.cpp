#include "async/task_group.h"
#include "recipes/barrier.h"
#include "recipes/counter.h"
#include "recipes/double_barrier.h"
#include "recipes/group.h"
#include "recipes/locking_queue.h"
#include "recipes/queue.h"
#include "recipes/simple_lock.h"
#include "recipes/ticket.h"
#include "recipes/tree_watch.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;
using async::Task;

namespace {

// Whatever server the second session comes to after a break, it has carried out nothing that the session has not seen.
FaultPlan behindAfterBreaks()
{
    FaultPlan plan;
    plan.behind = 1;
    plan.longestLag = 20s;
    return plan;
}

// The first session is up to date and meets no fault.
struct LaggingParty : FakeParty {
    LaggingParty() : FakeParty(1, {.latency = 1ms}) { add({.latency = 1ms, .faults = &faults}); }

    FaultInjector faults{behindAfterBreaks()};
};

template <typename T>
Task<void> swallow(Task<T> task)
{
    const T value = co_await task;
    Q_UNUSED(value)
}

Task<void> removeNode(zk::Coordinator &zk, zk::Path path)
{
    const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
    removed.require();
}

} // namespace

// Each sync of the recipes decides one of these: a server that lags, or a write that is committed late, would otherwise
// make a promise false.
class LaggingServerTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/thing"};

    // Begins the task, lets it meet the faults, and cancels it; then all that it owes is done.
    template <typename T>
    static void cancel(FakeParty &party, Task<T> task)
    {
        async::TaskGroup tasks;
        tasks.spawn(swallow(std::move(task)));
        party.settle(2ms);
        tasks.cancelAll();
        party.settle(1min);
        QCOMPARE(party[1].obligations(), 0);
    }

private Q_SLOTS:
    void aValueIsReadAsItIs()
    {
        LaggingParty party;
        Value writer(party[0], m_path);
        Value reader(party[1], m_path);
        party.run(writer.set("old"));
        party.lag(1);
        party.run(writer.set("new"));
        QCOMPARE(party.run(reader.get())->data, QByteArray("new"));
    }

    // The send of the sync is what meets the broken connection: it fails alone, and the read goes to another server.
    void aValueIsReadAsItIsWhenTheSyncAloneIsLost()
    {
        LaggingParty party;
        Value writer(party[0], m_path);
        Value reader(party[1], m_path);
        party.run(writer.set("old"));
        party.run(reader.get());
        party.run(writer.set("new"));
        party.faults.script({Fault::FailSend});
        QCOMPARE(party.run(reader.get())->data, QByteArray("new"));
        QCOMPARE(party.faults.log().count(Fault::FailSend), 1u);
    }

    void aCountIsNotAppliedTwiceAfterALostReply()
    {
        LaggingParty party;
        Counter counter(party[1], m_path);
        QCOMPARE(party.run(counter.add(1)), 1);
        party.faults.script({Fault::LoseReply});
        QCOMPARE(party.run(counter.add(1)), 2);
        Counter other(party[0], m_path);
        QCOMPARE(party.run(other.get()), 2);
    }

    void anItemThatIsThereIsPolled_data()
    {
        QTest::addColumn<bool>("lostSync");
        QTest::newRow("a server that lags") << false;
        QTest::newRow("the sync alone is lost") << true;
    }
    void anItemThatIsThereIsPolled()
    {
        QFETCH(bool, lostSync);
        LaggingParty party;
        Queue producer(party[0], m_path);
        Queue taker(party[1], m_path);
        party.run(producer.offer("first"));
        QVERIFY(party.run(taker.poll()));
        QVERIFY(!party.run(taker.poll()));
        if (!lostSync)
            party.lag(1);
        party.run(producer.offer("second"));
        if (lostSync)
            party.faults.script({Fault::FailSend});
        QVERIFY(party.run(taker.poll()));
    }

    void theSizeOfAQueueCountsWhatIsThere()
    {
        LaggingParty party;
        Queue producer(party[0], m_path);
        Queue other(party[1], m_path);
        party.run(producer.offer("first"));
        QCOMPARE(party.run(other.size()), 1);
        party.lag(1);
        party.run(producer.offer("second"));
        QCOMPARE(party.run(other.size()), 2);
    }

    void aClaimThatWasTakenAwayIsNotHeld()
    {
        LaggingParty party;
        LockingQueue queue(party[1], m_path);
        party.run(queue.put("item"));
        Claim claim = party.run(queue.get());
        party.lag(1);
        party.run(removeNode(party[0], claim.fence().path));
        QVERIFY(!party.run(claim.holdsLock()));
    }

    void aTicketWhoseReplyWasLostIsFound()
    {
        LaggingParty party;
        party.run(party[0].ensurePath(m_path));
        party.faults.script({Fault::LoseReply});
        const Ticket::Taken taken = party.run(Ticket::take(party[1], m_path, "lock-", "me"));
        QCOMPARE(party.childrenOf(m_path).size(), 1);
    }

    void aCancelledCreateLeavesNothing_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("the next server lags") << int(Fault::LoseReply);
        QTest::newRow("the create is committed late") << int(Fault::LateCommit);
    }
    void aCancelledCreateLeavesNothing()
    {
        QFETCH(int, fault);
        {
            LaggingParty party;
            party.run(party[0].ensurePath(m_path));
            Group group(party[1], m_path);
            party.faults.script({static_cast<Fault>(fault)});
            cancel(party, group.join("me"));
            party.settle(1h);
            QVERIFY(party.childrenOf(m_path).isEmpty());
        }
        {
            LaggingParty party;
            party.run(party[0].ensurePath(m_path));
            party.faults.script({static_cast<Fault>(fault)});
            cancel(party, Ticket::take(party[1], m_path, "lock-", "me"));
            party.settle(1h);
            QVERIFY(party.childrenOf(m_path).isEmpty());
        }
    }

    void aCancelledLockIsFree_data()
    {
        QTest::addColumn<bool>("lostSync");
        QTest::newRow("the next server lags") << false;
        QTest::newRow("and the sync alone is lost") << true;
    }
    void aCancelledLockIsFree()
    {
        QFETCH(bool, lostSync);
        LaggingParty party;
        party.run(party[0].ensurePath(NamedNode::epochBeside(m_path)));
        SimpleLock lock(party[1], m_path);
        std::vector<Fault> fates{Fault::LoseReply};
        if (lostSync)
            fates.push_back(Fault::FailSend);
        party.faults.script(fates);
        cancel(party, lock.acquire());
        SimpleLock other(party[0], m_path);
        QVERIFY(party.run(other.tryAcquire()));
    }

    // The delete was carried out and its reply lost: on a server that lags the node seems to be there.
    void aNameThatOthersHaveTakenIsLeftToThem()
    {
        LaggingParty party;
        Group first(party[0], m_path);
        std::optional<Membership> own = party.run(first.join("me"));
        const zk::Zxid created = own->fence().czxid;
        own.reset();
        party.settle();
        Group second(party[1], m_path);
        std::optional<Membership> theirs = party.run(second.join("me"));
        QVERIFY(theirs->fence().czxid > created);
        party.faults.script({Fault::LoseReply});
        party[1].discard(m_path / "me", theirs->fence().czxid);
        party.settle(2ms);
        const Membership again = party.run(first.join("me"));
        party.settle(1min);
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{"me"});
    }

    void aBarrierThatWasClosedHolds()
    {
        LaggingParty party;
        Barrier closer(party[0], m_path);
        Barrier barrier(party[1], m_path);
        party.run(party[0].ensurePath(m_path.parent()));
        party.lag(1);
        party.run(closer.close());
        async::TaskGroup waiting;
        waiting.spawn(barrier.wait());
        party.settle(1min);
        QVERIFY(!waiting.empty());
        party.run(closer.open());
        party.server.catchUp(party[1].sessionId());
        party.settle();
        QVERIFY(waiting.empty());
    }

    // Who has come before we leave is waited for.
    void aMemberThatJustCameIsWaitedFor()
    {
        LaggingParty party;
        DoubleBarrier alone(party[1], m_path, 1);
        BarrierEntry entry = party.run(alone.enter());
        party.lag(1);
        DoubleBarrier other(party[0], m_path, 1);
        std::optional<BarrierEntry> late = party.run(other.enter());
        async::TaskGroup leaving;
        leaving.spawn(entry.leave());
        party.settle(1min);
        QVERIFY(!leaving.empty());
        late.reset();
        party.server.catchUp(party[1].sessionId());
        party.settle();
        QVERIFY(leaving.empty());
    }

    void aTreeIsCompleteWhenItIsSaidToBe()
    {
        LaggingParty party;
        party.run(party[0].ensurePath(m_path));
        party.lag(1);
        party.run(party[0].ensurePath(m_path / "new"));
        std::optional<bool> known;
        TreeWatch tree(m_path, 1, [&](const TreeWatch::Change &change) {
            if (change.kind == TreeWatch::Change::Kind::Initialized)
                known = tree.find(m_path / "new") != nullptr;
        });
        async::TaskGroup running;
        running.spawn(tree.run(party[1]));
        party.settle();
        QCOMPARE(known, true);
        running.cancelAll();
    }
};

QTEST_GUILESS_MAIN(LaggingServerTest)
#include "lagging_server_test.moc"
