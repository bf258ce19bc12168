#include "async/task_group.h"
#include "recipes/barriers/barrier.h"
#include "recipes/barriers/double_barrier.h"
#include "recipes/blocks/node_kind.h"
#include "recipes/blocks/ticket.h"
#include "recipes/blocks/tree_watch.h"
#include "recipes/elections/group.h"
#include "recipes/elections/leader_latch.h"
#include "recipes/locks/simple_lock.h"
#include "recipes/queues/locking_queue.h"
#include "recipes/queues/queue.h"
#include "recipes/values/counter.h"
#include "support/fake/fake_cluster.h"

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
struct LaggingCluster : FakeCluster {
    LaggingCluster() : FakeCluster(1, {.latency = 1ms}) { add({.latency = 1ms, .faults = &faults}); }

    FaultInjector faults{behindAfterBreaks()};
};

template <typename T>
Task<void> swallow(Task<T> task)
{
    const T value = co_await task;
    Q_UNUSED(value)
}

Task<void> removeNode(zk::Client &zk, zk::Path path)
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
    static void cancel(FakeCluster &fake, Task<T> task)
    {
        async::TaskGroup tasks;
        tasks.spawn(swallow(std::move(task)));
        fake.settle(2ms);
        tasks.cancelAll();
        fake.settle(1min);
        QCOMPARE(fake[1].pendingCleanups(), 0);
    }

private Q_SLOTS:
    void aValueIsReadAsItIs()
    {
        LaggingCluster fake;
        Value writer(fake[0], m_path);
        Value reader(fake[1], m_path);
        fake.run(writer.set("old"));
        fake.lag(1);
        fake.run(writer.set("new"));
        QCOMPARE(fake.run(reader.get())->data, QByteArray("new"));
    }

    // The send of the sync is what meets the broken connection: it fails alone, and the read goes to another server.
    void aValueIsReadAsItIsWhenTheSyncAloneIsLost()
    {
        LaggingCluster fake;
        Value writer(fake[0], m_path);
        Value reader(fake[1], m_path);
        fake.run(writer.set("old"));
        fake.run(reader.get());
        fake.run(writer.set("new"));
        fake.faults.script({Fault::FailSend});
        QCOMPARE(fake.run(reader.get())->data, QByteArray("new"));
        QCOMPARE(fake.faults.log().count(Fault::FailSend), 1u);
    }

    void aCountIsNotAppliedTwiceAfterALostReply()
    {
        LaggingCluster fake;
        Counter counter(fake[1], m_path);
        QCOMPARE(fake.run(counter.add(1)), 1);
        fake.faults.script({Fault::LoseReply});
        QCOMPARE(fake.run(counter.add(1)), 2);
        Counter other(fake[0], m_path);
        QCOMPARE(fake.run(other.get()), 2);
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
        LaggingCluster fake;
        Queue producer(fake[0], m_path);
        Queue taker(fake[1], m_path);
        fake.run(producer.offer("first"));
        QVERIFY(fake.run(taker.poll()));
        QVERIFY(!fake.run(taker.poll()));
        if (!lostSync)
            fake.lag(1);
        fake.run(producer.offer("second"));
        if (lostSync)
            fake.faults.script({Fault::FailSend});
        QVERIFY(fake.run(taker.poll()));
    }

    void theSizeOfAQueueCountsWhatIsThere()
    {
        LaggingCluster fake;
        Queue producer(fake[0], m_path);
        Queue other(fake[1], m_path);
        fake.run(producer.offer("first"));
        QCOMPARE(fake.run(other.size()), 1);
        fake.lag(1);
        fake.run(producer.offer("second"));
        QCOMPARE(fake.run(other.size()), 2);
    }

    void aClaimThatWasTakenAwayIsNotHeld()
    {
        LaggingCluster fake;
        LockingQueue queue(fake[1], m_path);
        fake.run(queue.put("item"));
        ClaimedItem claim = fake.run(queue.get());
        fake.lag(1);
        fake.run(removeNode(fake[0], claim.fence().path));
        QVERIFY(!fake.run(claim.holdsLock()));
    }

    void aTicketWhoseReplyWasLostIsFound()
    {
        LaggingCluster fake;
        fake.run(fake[0].ensurePath(m_path));
        fake.faults.script({Fault::LoseReply});
        const Ticket::Taken taken = fake.run(Ticket::take(fake[1], m_path, "lock-", "me"));
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
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
            LaggingCluster fake;
            fake.run(fake[0].ensurePath(m_path));
            Group group(fake[1], m_path);
            fake.faults.script({static_cast<Fault>(fault)});
            cancel(fake, group.join("me"));
            fake.settle(1h);
            QVERIFY(fake.childrenOf(m_path).isEmpty());
        }
        {
            LaggingCluster fake;
            fake.run(fake[0].ensurePath(m_path));
            fake.faults.script({static_cast<Fault>(fault)});
            cancel(fake, Ticket::take(fake[1], m_path, "lock-", "me"));
            fake.settle(1h);
            QVERIFY(fake.childrenOf(m_path).isEmpty());
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
        LaggingCluster fake;
        fake.run(fake[0].ensurePath(NamedNode::epochBeside(m_path)));
        SimpleLock lock(fake[1], m_path);
        std::vector<Fault> fates{Fault::LoseReply};
        if (lostSync)
            fates.push_back(Fault::FailSend);
        fake.faults.script(fates);
        cancel(fake, lock.acquire());
        SimpleLock other(fake[0], m_path);
        QVERIFY(fake.run(other.tryAcquire()));
    }

    // The delete was carried out and its reply lost: on a server that lags the node seems to be there.
    void aNameThatOthersHaveTakenIsLeftToThem()
    {
        LaggingCluster fake;
        Group first(fake[0], m_path);
        std::optional<Membership> own = fake.run(first.join("me"));
        const zk::Zxid created = own->fence().czxid;
        own.reset();
        fake.settle();
        Group second(fake[1], m_path);
        std::optional<Membership> theirs = fake.run(second.join("me"));
        QVERIFY(theirs->fence().czxid > created);
        fake.faults.script({Fault::LoseReply});
        fake[1].discard(m_path / "me", theirs->fence().czxid);
        fake.settle(2ms);
        const Membership again = fake.run(first.join("me"));
        fake.settle(1min);
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{"me"});
    }

    void aBarrierThatWasClosedHolds()
    {
        LaggingCluster fake;
        Barrier closer(fake[0], m_path);
        Barrier barrier(fake[1], m_path);
        fake.run(fake[0].ensurePath(m_path.parent()));
        fake.lag(1);
        fake.run(closer.close());
        async::TaskGroup waiting;
        waiting.spawn(barrier.wait());
        fake.settle(1min);
        QVERIFY(!waiting.empty());
        fake.run(closer.open());
        fake.server.catchUp(fake[1].sessionId());
        fake.settle();
        QVERIFY(waiting.empty());
    }

    void aDirectoryThatIsAnotherRecipesIsRefused()
    {
        LaggingCluster fake;
        Queue queue(fake[0], m_path);
        fake.run(queue.offer("one"));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, fake.run(requireOnly(fake[1], m_path, &LeaderLatch::accepts)));
        fake.run(queue.remove());
        fake.run(requireOnly(fake[1], m_path, &LeaderLatch::accepts));
        fake.lag(1);
        fake.run(queue.offer("two"));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, fake.run(requireOnly(fake[1], m_path, &LeaderLatch::accepts)));
    }

    // Who has come before we leave is waited for.
    void aMemberThatJustCameIsWaitedFor()
    {
        LaggingCluster fake;
        DoubleBarrier alone(fake[1], m_path, 1);
        BarrierEntry entry = fake.run(alone.enter());
        fake.lag(1);
        DoubleBarrier other(fake[0], m_path, 1);
        std::optional<BarrierEntry> late = fake.run(other.enter());
        async::TaskGroup leaving;
        leaving.spawn(entry.leave());
        fake.settle(1min);
        QVERIFY(!leaving.empty());
        late.reset();
        fake.server.catchUp(fake[1].sessionId());
        fake.settle();
        QVERIFY(leaving.empty());
    }

    void aNodeOfAnotherRecipeIsSeen()
    {
        LaggingCluster fake;
        fake.run(fake[0].ensurePath(m_path));
        fake.lag(1);
        fake.run(fake[0].ensurePath(m_path / "lock-0000000000"));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, fake.run(requireOnly(fake[1], m_path, &Queue::accepts)));
    }

    void aTreeIsCompleteWhenItIsSaidToBe()
    {
        LaggingCluster fake;
        fake.run(fake[0].ensurePath(m_path));
        fake.lag(1);
        fake.run(fake[0].ensurePath(m_path / "new"));
        std::optional<bool> known;
        TreeWatch tree(m_path, 1, [&](const TreeWatch::Change &change) {
            if (change.kind == TreeWatch::Change::Kind::Initialized)
                known = tree.find(m_path / "new") != nullptr;
        });
        async::TaskGroup running;
        running.spawn(tree.run(fake[1]));
        fake.settle();
        QCOMPARE(known, true);
        running.cancelAll();
    }
};

QTEST_GUILESS_MAIN(LaggingServerTest)
#include "lagging_server_test.moc"
