#include "workers/queue_feed.h"
#include "workers/reporter.h"
#include "workers/worker_party.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using workers::QueueFeed;
using namespace std::chrono_literals;

namespace {

// One worker's feed and its search, if one is under way.
struct Feeder {
    Feeder(WorkerParty &party, int who, const QByteArrayList &members)
        : zk(party[who]), feed(zk, party.layout, "default", WorkerParty::nameOf(who))
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

    zk::Coordinator &zk;
    QueueFeed feed;
    bool found = false;
    async::TaskGroup searching;
};

std::vector<std::unique_ptr<Feeder>> idleFeeders(WorkerParty &party, int count)
{
    QByteArrayList members;
    for (int i = 1; i <= count; ++i)
        members.append(WorkerParty::nameOf(i));
    std::vector<std::unique_ptr<Feeder>> feeders;
    for (int i = 1; i <= count; ++i) {
        feeders.push_back(std::make_unique<Feeder>(party, i, members));
        feeders.back()->search();
        party.settle(10ms);
    }
    return feeders;
}

qsizetype found(const std::vector<std::unique_ptr<Feeder>> &feeders)
{
    return std::count_if(feeders.begin(), feeders.end(), [](const auto &feeder) { return feeder->found; });
}

} // namespace

class QueueFeedTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void workThatIsThereNeedsNoLine()
    {
        WorkerParty party(2);
        party.submit();
        Feeder feeder(party, 1, {"w1"});
        QVERIFY(feeder.feed.dry());
        party.run(feeder.feed.search());
        QCOMPARE(feeder.feed.take(9).size(), 1u);
        QVERIFY(party.childrenOf(party.layout.idle("default")).isEmpty());
        QCOMPARE(party[1].counters().requests, 2u); // the queue and the claims, one round trip
    }

    void aNewJobWakesOneOfTheIdle()
    {
        constexpr int Workers = 6;
        WorkerParty party(Workers + 1);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, Workers);
        QCOMPARE(party.childrenOf(party.layout.idle("default")).size(), Workers);
        quint64 eventsBefore = 0;
        for (const auto &feeder : feeders)
            eventsBefore += feeder->zk.counters().watchEvents;
        party.submit();
        party.settle();
        quint64 events = 0;
        for (const auto &feeder : feeders)
            events += feeder->zk.counters().watchEvents;
        QCOMPARE(events - eventsBefore, 1u);
        QCOMPARE(found(feeders), 1);
        QVERIFY(feeders[0]->found); // it has waited longest
    }

    void whoeverIsFullLetsTheNextLook()
    {
        WorkerParty party(4);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, 3);
        party.submit();
        party.settle();
        QVERIFY(feeders[0]->found && !feeders[1]->found);
        party.submit(); // more work, but the first is busy
        feeders[0]->feed.leaveLine();
        party.settle();
        QVERIFY(feeders[1]->found);
        QVERIFY(!feeders[2]->found);
        QCOMPARE(party.childrenOf(party.layout.idle("default")).size(), 2);
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
        WorkerParty party(4);
        const workers::ClaimedJob job = party.claimOne(3);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, 2);
        workers::Reporter reporter(party[3], party.layout);
        async::TaskGroup reporting;
        reporting.spawn(reporter.run());
        const quint64 before = party[3].counters().requests;
        if (begun)
            reporter.giveBack(job);
        else
            reporter.giveBackUnbegun(job);
        party.settle(10ms);
        QVERIFY(feeders[0]->found && !feeders[1]->found);
        QCOMPARE(feeders[0]->feed.take(9).size(), 1u);
        QCOMPARE(party[3].counters().requests - before, 1u);
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList{job.entry.name()});
    }

    void aClaimThatGoesUnnoticedIsFoundWithinASecond()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        party.claim(id, 0);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, 1);
        party.settle(5s);
        QVERIFY(!feeders[0]->found); // what is claimed is no work
        party.commit(zk::Transaction().remove(party.layout.claim(id)));
        party.settle(QueueFeed::MaxAge + 100ms);
        QVERIFY(feeders[0]->found);
    }

    void theFirstInLineListsOnceASecondTheOthersNever()
    {
        WorkerParty party(4);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, 3);
        std::vector<quint64> before;
        for (const auto &feeder : feeders)
            before.push_back(feeder->zk.counters().requests);
        party.settle(10s);
        QVERIFY(feeders[0]->zk.counters().requests - before[0] <= 2 * 10u);
        QVERIFY(feeders[0]->zk.counters().requests - before[0] >= 2 * 9u);
        QCOMPARE(feeders[1]->zk.counters().requests, before[1]);
        QCOMPARE(feeders[2]->zk.counters().requests, before[2]);
    }

    // A dead worker's claims have gone with it: nothing in the queue itself has changed.
    void anotherMemberMakesAListingDueAtOnce()
    {
        WorkerParty party(3);
        const JobId id = party.submit();
        party.claim(id, 2);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, 1);
        party.server.expire(party[2].sessionId());
        party.settle(10ms);
        QVERIFY(!feeders[0]->found);
        feeders[0]->feed.setMembers({"w1"});
        party.settle(10ms);
        QVERIFY(feeders[0]->found);
    }

    void aListingIsWorkedThroughForASecond()
    {
        WorkerParty party(2);
        for (int i = 0; i < 3; ++i)
            party.submit();
        Feeder feeder(party, 1, {"w1"});
        party.run(feeder.feed.search());
        QVERIFY(!feeder.feed.dry());
        party.settle(QueueFeed::MaxAge + 1ms);
        QVERIFY(feeder.feed.dry()); // something of a higher priority may have come
        feeder.feed.setMembers({"w1", "w2"});
        QVERIFY(feeder.feed.take(9).empty());
    }

    // As that of a long queue does.
    void aListingThatTakesLongIsWorkedThroughForLonger()
    {
        WorkerParty party(2, {.latency = 100ms}); // each way
        for (int i = 0; i < 3; ++i)
            party.submit();
        Feeder feeder(party, 1, {"w1"});
        party.run(feeder.feed.search());
        party.settle(QueueFeed::MaxAge + 1s);
        QVERIFY(!feeder.feed.dry());
        party.settle(3s);
        QVERIFY(feeder.feed.dry());
    }

    // Whatever came to it, it was listed again at once.
    void aLongQueueWithoutWorkIsListedAFifthOfTheTime()
    {
        WorkerParty party(2, {.latency = 5ms}); // each way
        JobSpec held = JobParty::spec();
        held.heldBy = QStringLiteral("somebody");
        for (int i = 0; i < 1100; ++i)
            party.submit(held);
        Feeder feeder(party, 1, {"w1"});
        feeder.search();
        party.settle(1s);
        const quint64 before = party[1].counters().requests;
        const auto end = party.world.now() + 5s;
        while (party.world.now() < end) {
            party.submit(held);
            party.settle(1ms);
        }
        const quint64 listings = (party[1].counters().requests - before) / 2; // each with the claims
        QVERIFY2(listings >= 50 && listings <= 101, qPrintable(QString::number(listings)));
        party.submit();
        party.settle(60ms);
        QVERIFY(feeder.found);
    }

    void aShortQueueIsListedAtOnce()
    {
        WorkerParty party(2, {.latency = 5ms}); // each way
        JobSpec held = JobParty::spec();
        held.heldBy = QStringLiteral("somebody");
        Feeder feeder(party, 1, {"w1"});
        feeder.search();
        party.settle(1s);
        party.submit(held);
        party.settle(15ms); // it is told, and lists
        party.submit();
        party.settle(15ms);
        QVERIFY(feeder.found);
    }

    // Between two listings of the first in line, whom it does not suit.
    void whatIsGivenBackUnseenIsFoundByTheNext()
    {
        WorkerParty party(3);
        Feeder first(party, 1, {"w1", "w2"});
        const JobId id = party.submit();
        first.search();
        party.settle(10ms);
        QVERIFY(first.found);
        first.feed.exclude(first.feed.take(1));
        first.search();
        party.settle(2s + 100ms);
        party.claim(id, 0);
        Feeder second(party, 2, {"w1", "w2"});
        second.search();
        party.settle(100ms);
        party.commit(zk::Transaction().remove(party.layout.claim(id)));
        party.settle(QueueFeed::Turn + QueueFeed::MaxAge);
        QVERIFY(!first.found);
        QVERIFY(second.found);
    }

    void whatIsLeftToOthersIsLookedAtAgainFromAnyPlace()
    {
        WorkerParty party(3);
        Feeder first(party, 1, {"w1", "w2"});
        const JobId id = party.submit();
        first.search();
        party.settle(10ms);
        const std::vector<QueueEntry> entries = first.feed.take(1);
        QVERIFY(!first.feed.nobodyElseTook(entries[0]));
        first.feed.passOver(entries);
        Feeder second(party, 2, {"w1", "w2"});
        second.feed.exclude(entries);
        second.search();
        party.settle(10ms);
        first.search(); // it stands behind the other
        party.settle(500ms);
        QVERIFY(!first.found);
        party.settle(600ms);
        QVERIFY(first.found);
        QVERIFY(first.feed.nobodyElseTook(entries[0]));
    }

    void whatIsDeferredIsWorkAgainWhenTheCrowdHasGone()
    {
        const QString lock = QStringLiteral("lock db");
        WorkerParty party(2);
        party.submit();
        party.submit();
        workers::Crowd crowd;
        QueueFeed feed(party[1], party.layout, "default", "w1", [&crowd] { return crowd; });
        feed.setMembers({"w1"});
        party.run(feed.search());
        const std::vector<QueueEntry> all = feed.take(9);
        QCOMPARE(all.size(), 2u);
        feed.defer(all[0], lock);
        for (int i = 0; i < workers::Crowd::MaxBehindOne; ++i)
            crowd.add({lock});
        party.run(feed.search());
        QCOMPARE(feed.take(9), std::vector<QueueEntry>{all[1]});
        crowd = {};
        party.run(feed.search());
        QCOMPARE(feed.take(9), all);
        party.run(feed.search());
        for (int i = 0; i < workers::Crowd::MaxBehindOne; ++i)
            crowd.add({lock});
        QCOMPARE(feed.take(9), std::vector<QueueEntry>{all[1]}); // it was listed, and is known
    }

    void whatIsExcludedIsNoWork()
    {
        WorkerParty party(2);
        party.submit();
        Feeder feeder(party, 1, {"w1"});
        feeder.feed.exclude(party.ready());
        feeder.search();
        party.settle(5s);
        QVERIFY(!feeder.found);
        party.submit();
        party.settle();
        QVERIFY(feeder.found);
        QCOMPARE(feeder.feed.take(9).size(), 1u);
    }

    void aPlaceThatIsDeletedByHandCostsNoWork()
    {
        WorkerParty party(3);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, 2);
        const zk::Path line = party.layout.idle("default");
        for (const QByteArray &name : party.childrenOf(line)) {
            if (party.node(line / name).stat.ephemeralOwner == party[2].sessionId())
                party.commit(zk::Transaction().remove(line / name));
        }
        feeders[0]->searching.cancelAll();
        feeders[0]->feed.leaveLine();
        party.settle(1s);
        party.submit();
        party.settle();
        QVERIFY(feeders[1]->found);
    }

    void whatComesDuringADisconnectionIsFound()
    {
        WorkerParty party(2);
        const std::vector<std::unique_ptr<Feeder>> feeders = idleFeeders(party, 1);
        party.session(1).disconnectFor(2s);
        party.submit();
        party.settle(5s);
        QVERIFY(feeders[0]->found);
    }
};

QTEST_GUILESS_MAIN(QueueFeedTest)
#include "queue_feed_test.moc"
