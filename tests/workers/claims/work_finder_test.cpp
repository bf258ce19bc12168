#include "workers/claims/reporter.h"
#include "workers/claims/work_finder.h"
#include "workers/worker_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using workers::WorkFinder;
using namespace std::chrono_literals;

namespace {

// One worker's feed and its search, if one is under way.
struct Feeder {
    Feeder(WorkerCluster &fake, int who, const QByteArrayList &members)
        : zk(fake[who]), feed(jobs::Cluster(zk, fake.layout), "default", WorkerCluster::nameOf(who))
    {
        feed.setMembers(members);
    }

    void search()
    {
        found = false;
        searching.spawn(searchOnce(*this));
    }
    static async::Task<void> searchOnce(Feeder &self)
    {
        co_await self.feed.search();
        self.found = true;
    }

    zk::Client &zk;
    WorkFinder feed;
    bool found = false;
    async::TaskGroup searching;
};

std::vector<std::unique_ptr<Feeder>> idleFeeders(WorkerCluster &fake, int count)
{
    QByteArrayList members;
    for (int i = 1; i <= count; ++i)
        members.append(WorkerCluster::nameOf(i));
    std::vector<std::unique_ptr<Feeder>> feeders;
    for (int i = 1; i <= count; ++i) {
        feeders.push_back(std::make_unique<Feeder>(fake, i, members));
        feeders.back()->search();
        fake.settle(10ms);
    }
    return feeders;
}

qsizetype found(const std::vector<std::unique_ptr<Feeder>> &feeders)
{
    return std::count_if(feeders.begin(), feeders.end(), [](const auto &feeder) { return feeder->found; });
}

} // namespace

class WorkFinderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void workThatIsThereNeedsNoLine()
    {
        WorkerCluster fake(2);
        fake.submit();
        Feeder feeder(fake, 1, {"w1"});
        QVERIFY(feeder.feed.dry());
        fake.run(feeder.feed.search());
        QCOMPARE(feeder.feed.take(9).size(), 1u);
        QVERIFY(fake.childrenOf(fake.layout.idle("default")).isEmpty());
        QCOMPARE(fake[1].counters().requests, 2u); // the queue and the claims, one round trip
    }

    void aSearchWhosePlaceIsLeftMeanwhileStandsInLineAgain()
    {
        WorkerCluster fake(3);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 2);
        const QByteArrayList before = fake.childrenOf(fake.layout.idle("default"));
        QCOMPARE(before.size(), 2);
        feeders.back()->feed.leaveLine(); // as when the queue is paused
        fake.settle();
        const QByteArrayList after = fake.childrenOf(fake.layout.idle("default"));
        QCOMPARE(after.size(), 2);
        QVERIFY(after != before);
        fake.submit();
        fake.settle();
        QCOMPARE(found(feeders), 1);
    }

    void aNewJobWakesOneOfTheIdle()
    {
        constexpr int Workers = 6;
        WorkerCluster fake(Workers + 1);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, Workers);
        QCOMPARE(fake.childrenOf(fake.layout.idle("default")).size(), Workers);
        quint64 eventsBefore = 0;
        for (const auto &feeder : feeders)
            eventsBefore += feeder->zk.counters().watchEvents;
        fake.submit();
        fake.settle();
        quint64 events = 0;
        for (const auto &feeder : feeders)
            events += feeder->zk.counters().watchEvents;
        QCOMPARE(events - eventsBefore, 1u);
        QCOMPARE(found(feeders), 1);
        QVERIFY(feeders[0]->found); // it has waited longest
    }

    void aFullWorkerLetsTheNextOneLook()
    {
        WorkerCluster fake(4);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 3);
        fake.submit();
        fake.settle();
        QVERIFY(feeders[0]->found && !feeders[1]->found);
        fake.submit(); // more work, but the first is busy
        feeders[0]->feed.leaveLine();
        fake.settle();
        QVERIFY(feeders[1]->found);
        QVERIFY(!feeders[2]->found);
        QCOMPARE(fake.childrenOf(fake.layout.idle("default")).size(), 2);
    }

    void aJobGivenBackWakesOneOfTheIdle_data()
    {
        QTest::addColumn<bool>("begun");
        QTest::newRow("it had begun") << true;
        QTest::newRow("it had not begun") << false;
    }
    void aJobGivenBackWakesOneOfTheIdle()
    {
        QFETCH(bool, begun);
        WorkerCluster fake(4);
        const workers::ClaimedJob job = fake.claimOne(3);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 2);
        workers::Reporter reporter(jobs::Cluster(fake[3], fake.layout));
        async::TaskGroup reporting;
        reporting.spawn(reporter.run());
        const quint64 before = fake[3].counters().requests;
        if (begun)
            reporter.giveBack(job);
        else
            reporter.giveBackUnstarted(job);
        fake.settle(10ms);
        QVERIFY(feeders[0]->found && !feeders[1]->found);
        QCOMPARE(feeders[0]->feed.take(9).size(), 1u);
        QCOMPARE(fake[3].counters().requests - before, 1u);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList{job.entry.name()});
    }

    void aClaimThatGoesUnnoticedIsFoundWithinASecond()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        fake.claim(id, 0);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 1);
        fake.settle(5s);
        QVERIFY(!feeders[0]->found); // what is claimed is no work
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        fake.settle(WorkFinder::MaxAge + 100ms);
        QVERIFY(feeders[0]->found);
    }

    void onlyTheFirstInLineListsOnceASecond()
    {
        WorkerCluster fake(4);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 3);
        std::vector<quint64> before;
        for (const auto &feeder : feeders)
            before.push_back(feeder->zk.counters().requests);
        fake.settle(10s);
        QVERIFY(feeders[0]->zk.counters().requests - before[0] <= 2 * 10u);
        QVERIFY(feeders[0]->zk.counters().requests - before[0] >= 2 * 9u);
        QCOMPARE(feeders[1]->zk.counters().requests, before[1]);
        QCOMPARE(feeders[2]->zk.counters().requests, before[2]);
    }

    // A dead worker's claims have gone with it: nothing in the queue itself has changed.
    void anotherMemberMakesAListingDueAtOnce()
    {
        WorkerCluster fake(3);
        const JobId id = fake.submit();
        fake.claim(id, 2);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 1);
        fake.server.expire(fake[2].sessionId());
        fake.settle(10ms);
        QVERIFY(!feeders[0]->found);
        feeders[0]->feed.setMembers({"w1"});
        fake.settle(10ms);
        QVERIFY(feeders[0]->found);
    }

    void aListingIsWorkedThroughForASecond()
    {
        WorkerCluster fake(2);
        for (int i = 0; i < 3; ++i)
            fake.submit();
        Feeder feeder(fake, 1, {"w1"});
        fake.run(feeder.feed.search());
        QVERIFY(!feeder.feed.dry());
        fake.settle(WorkFinder::MaxAge + 1ms);
        QVERIFY(feeder.feed.dry()); // something of a higher priority may have come
        feeder.feed.setMembers({"w1", "w2"});
        QVERIFY(feeder.feed.take(9).empty());
    }

    // As that of a long queue does.
    void aListingThatTakesLongIsWorkedThroughForLonger()
    {
        WorkerCluster fake(2, {.latency = 100ms}); // each way
        for (int i = 0; i < 3; ++i)
            fake.submit();
        Feeder feeder(fake, 1, {"w1"});
        fake.run(feeder.feed.search());
        fake.settle(WorkFinder::MaxAge + 1s);
        QVERIFY(!feeder.feed.dry());
        fake.settle(3s);
        QVERIFY(feeder.feed.dry());
    }

    // Whatever came to it, it was listed again at once.
    void aLongQueueWithoutWorkIsListedAFifthOfTheTime()
    {
        WorkerCluster fake(2, {.latency = 5ms}); // each way
        JobSpec held = JobCluster::spec();
        held.notes.heldBy = QStringLiteral("ada");
        for (int i = 0; i < 1100; ++i)
            fake.submit(held);
        Feeder feeder(fake, 1, {"w1"});
        feeder.search();
        fake.settle(1s);
        const quint64 before = fake[1].counters().requests;
        const auto end = fake.world.now() + 5s;
        while (fake.world.now() < end) {
            fake.submit(held);
            fake.settle(1ms);
        }
        const quint64 listings = (fake[1].counters().requests - before) / 2; // each with the claims
        QVERIFY2(listings >= 50 && listings <= 101, qPrintable(QString::number(listings)));
        fake.submit();
        fake.settle(60ms);
        QVERIFY(feeder.found);
    }

    void aShortQueueIsListedAtOnce()
    {
        WorkerCluster fake(2, {.latency = 5ms}); // each way
        JobSpec held = JobCluster::spec();
        held.notes.heldBy = QStringLiteral("ada");
        Feeder feeder(fake, 1, {"w1"});
        feeder.search();
        fake.settle(1s);
        fake.submit(held);
        fake.settle(15ms); // its watch fires, and it lists
        fake.submit();
        fake.settle(15ms);
        QVERIFY(feeder.found);
    }

    // A job is given back between two listings of the first worker in line, which it does not suit.
    void aJobGivenBackUnseenIsFoundByTheNextWorker()
    {
        WorkerCluster fake(3);
        Feeder first(fake, 1, {"w1", "w2"});
        const JobId id = fake.submit();
        first.search();
        fake.settle(10ms);
        QVERIFY(first.found);
        first.feed.setAside(first.feed.take(1));
        first.search();
        fake.settle(2s + 100ms);
        fake.claim(id, 0);
        Feeder second(fake, 2, {"w1", "w2"});
        second.search();
        fake.settle(100ms);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        fake.settle(WorkFinder::Turn + WorkFinder::MaxAge);
        QVERIFY(!first.found);
        QVERIFY(second.found);
    }

    void jobsLeftToOtherWorkersAreLookedAtAgain()
    {
        WorkerCluster fake(3);
        Feeder first(fake, 1, {"w1", "w2"});
        const JobId id = fake.submit();
        first.search();
        fake.settle(10ms);
        const std::vector<QueueEntry> entries = first.feed.take(1);
        QVERIFY(!first.feed.isLeftByOthers(entries[0]));
        first.feed.passOver(entries);
        Feeder second(fake, 2, {"w1", "w2"});
        second.feed.setAside(entries);
        second.search();
        fake.settle(10ms);
        first.search(); // it stands behind the other
        fake.settle(500ms);
        QVERIFY(!first.found);
        fake.settle(600ms);
        QVERIFY(first.found);
        QVERIFY(first.feed.isLeftByOthers(entries[0]));
    }

    void deferredJobsAreWorkAgainOnceTheContentionIsOver()
    {
        const QString lock = QStringLiteral("lock db");
        WorkerCluster fake(2);
        fake.submit();
        fake.submit();
        workers::LockContention contention;
        WorkFinder feed(jobs::Cluster(fake[1], fake.layout), "default", "w1", [&contention] { return contention; });
        feed.setMembers({"w1"});
        fake.run(feed.search());
        const std::vector<QueueEntry> all = feed.take(9);
        QCOMPARE(all.size(), 2u);
        feed.defer(all[0], lock);
        for (int i = 0; i < workers::LockContention::MaxPerLock; ++i)
            contention.add({lock});
        fake.run(feed.search());
        QCOMPARE(feed.take(9), std::vector<QueueEntry>{all[1]});
        contention = {};
        fake.run(feed.search());
        QCOMPARE(feed.take(9), all);
        fake.run(feed.search());
        for (int i = 0; i < workers::LockContention::MaxPerLock; ++i)
            contention.add({lock});
        QCOMPARE(feed.take(9), std::vector<QueueEntry>{all[1]}); // it was listed, and is known
    }

    void excludedJobsAreNoWork()
    {
        WorkerCluster fake(2);
        fake.submit();
        Feeder feeder(fake, 1, {"w1"});
        feeder.feed.setAside(fake.ready());
        feeder.search();
        fake.settle(5s);
        QVERIFY(!feeder.found);
        fake.submit();
        fake.settle();
        QVERIFY(feeder.found);
        QCOMPARE(feeder.feed.take(9).size(), 1u);
    }

    void aPlaceThatIsDeletedByHandCostsNoWork()
    {
        WorkerCluster fake(3);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 2);
        const zk::Path line = fake.layout.idle("default");
        for (const QByteArray &name : fake.childrenOf(line)) {
            if (fake.node(line / name).stat.ephemeralOwner == fake[2].sessionId())
                fake.commit(zk::Transaction().remove(line / name));
        }
        feeders[0]->searching.cancelAll();
        feeders[0]->feed.leaveLine();
        fake.settle(1s);
        fake.submit();
        fake.settle();
        QVERIFY(feeders[1]->found);
    }

    // After 2^31 idle spells.
    void aLineWhoseNumbersAreUsedUpBeginsAnew()
    {
        WorkerCluster fake(3);
        const zk::Path line = fake.layout.idle("default");
        fake.run(fake[0].ensurePath(line));
        fake.server.tree().setNextSequence(line, zk::LastSequence - 1);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 2);
        fake.settle(20s);
        QCOMPARE(fake.childrenOf(line).size(), 1); // of the last number
        fake.submit();
        fake.settle(1s);
        QCOMPARE(found(feeders), 1);
        QVERIFY(feeders[0]->found);
        QCOMPARE(fake.claimReady(1).jobs.size(), 1u);
        feeders[0]->feed.leaveLine();
        fake.settle(20s);
        QCOMPARE(fake.childrenOf(line).size(), 1);
        QVERIFY(fake.node(line).stat.cversion < 100);
        fake.submit();
        fake.settle(1s);
        QVERIFY(feeders[1]->found);
    }

    void jobsSubmittedDuringADisconnectionAreFound()
    {
        WorkerCluster fake(2);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(fake, 1);
        fake.session(1).disconnectFor(2s);
        fake.submit();
        fake.settle(5s);
        QVERIFY(feeders[0]->found);
    }
};

QTEST_GUILESS_MAIN(WorkFinderTest)
#include "work_finder_test.moc"
