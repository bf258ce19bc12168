#include "jobs/cancel.h"
#include "jobs/control.h"
#include "workers/working.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

JobSpec needing(int slots, const QStringList &labels = {}, qint64 memory = 0)
{
    JobSpec spec = JobParty::spec();
    spec.needs = {slots, memory, labels};
    spec.environment = {{QStringLiteral("SLOTS"), QString::number(slots)}};
    return spec;
}

// The most slots that were in use at one time.
int mostInUse(const std::vector<Execution> &witness)
{
    int most = 0;
    for (const Execution &at : witness) {
        int used = 0;
        for (const Execution &other : witness)
            used += other.from <= at.from && other.until > at.from ? other.slots : 0;
        most = std::max(most, used);
    }
    return most;
}

} // namespace

// What a worker must have for a job.
class NeedsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void aJobRunsWhereItsLabelsAre()
    {
        WorkerParty party(5);
        const Working first(party, 1);
        const Working second(party, 2);
        const Working gpu(party, 3, Working::options(1, {QStringLiteral("gpu"), QStringLiteral("ssd")}));
        party.settle(1s); // they stand in line, the one that has the label last
        const JobId id = party.submit(needing(1, {QStringLiteral("gpu")}));
        party.settle(1s);
        QVERIFY(gpu.began(id));
        QCOMPARE(first.begun() + second.begun(), 0u);
        const JobId both = party.submit(needing(1, {QStringLiteral("gpu"), QStringLiteral("fpga")}));
        party.settle(2min);
        QVERIFY(!gpu.began(both));
    }

    // Those between have judged it before it was claimed, and did not see that it was.
    void whatALostWorkerLeavesIsPassedOnToTheOneThatItSuits()
    {
        WorkerParty party(5);
        const Working gpu(party, 1, Working::options(2, {QStringLiteral("gpu")}));
        const Working first(party, 2);
        const Working second(party, 3);
        party.settle(1s);
        const JobId id = party.submit(needing(1, {QStringLiteral("gpu")}));
        party.settle(1s);
        QVERIFY(gpu.began(id));
        const Working other(party, 4, Working::options(1, {QStringLiteral("gpu")}));
        party.settle(3s);
        party.server.expire(party[1].sessionId());
        party.settle(1s);
        QVERIFY(other.began(id));
    }

    void whatSuitsNobodyCostsLittle()
    {
        WorkerParty party(4);
        std::vector<std::unique_ptr<Working>> all;
        for (int who = 1; who <= 3; ++who)
            all.push_back(std::make_unique<Working>(party, who));
        party.settle(1s);
        for (int i = 0; i < 50; ++i)
            party.submit(needing(2)); // more slots than any has
        party.settle(5s);
        const quint64 before = party[1].counters().requests;
        party.settle(1min);
        QVERIFY(party[1].counters().requests - before < 60 * 12); // no spec is read again
        const JobId id = party.submit(needing(1));
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
    }

    void aNewcomerTakesWhatSuitedNobody()
    {
        WorkerParty party(3);
        const Working small(party, 1);
        const JobId id = party.submit(needing(2));
        party.settle(5s);
        const Working large(party, 2, 2);
        party.settle(1s);
        QVERIFY(large.began(id));
    }

    // It was claimed and given back while somebody whom it does not suit was the first in line.
    void whatIsGivenBackComesToWhomItSuits()
    {
        WorkerParty party(4);
        const Working small(party, 1);
        party.settle(1s);
        const Working large(party, 2, 2);
        party.settle(1s);
        const JobId id = party.submit();
        party.settle(10ms);
        QVERIFY(small.began(id));
        const JobId wide = party.submit(needing(2));
        party.settle(10ms);
        QVERIFY(large.began(wide));
        Working other(party, 3, 2);
        party.settle(90s);
        const JobId again = party.submit(needing(2));
        party.claim(again, 0); // before anybody has looked
        party.settle(30s);
        party.commit(zk::Transaction().remove(party.layout.claim(again)));
        party.settle(30s);
        QVERIFY(!small.began(again));
        QVERIFY(large.began(again) != other.began(again));
    }

    void slotsAreCountedAsJobsNeedThem()
    {
        WorkerParty party(2);
        for (const int slots : {1, 3, 2, 1, 4, 1, 2, 2, 1, 3})
            party.submit(needing(slots));
        const Working working(party, 1, 4);
        party.settle(20min);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 10);
        QCOMPARE(mostInUse(working.witness()), 4);
    }

    void memoryIsABudget()
    {
        constexpr qint64 GiB = qint64(1) << 30;
        WorkerParty party(2);
        const JobId tooMuch = party.submit(needing(1, {}, 3 * GiB));
        for (int i = 0; i < 4; ++i)
            party.submit(needing(1, {}, GiB));
        const Working working(party, 1, Working::options(8, {}, 2 * GiB));
        party.settle(10min);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 4);
        QCOMPARE(mostInUse(working.witness()), 2);
        QVERIFY(!working.began(tooMuch));
    }

    // However many small jobs there are, each of which fits into what is free.
    void aWideJobDoesNotStarve()
    {
        WorkerParty party(2);
        for (int i = 0; i < 200; ++i)
            party.submit(needing(1));
        const Working working(party, 1, 4);
        party.settle(10s);
        JobSpec urgent = needing(4);
        urgent.priority = 4;
        const JobId wide = party.submit(urgent);
        party.settle(4min);
        QVERIFY(working.began(wide));
        QVERIFY(party.childrenOf(party.layout.done()).size() < 60);
        QCOMPARE(mostInUse(working.witness()), 4);
    }

    void aWideJobIsLeftToTheWorkerThatHasRoom()
    {
        WorkerParty party(3);
        const Working busy(party, 1, 2);
        party.settle(1s);
        const JobId narrow = party.submit(needing(1));
        party.settle(100ms);
        QVERIFY(busy.began(narrow)); // and it is the first in line still
        const Working idle(party, 2, 2);
        party.settle(100ms);
        const JobId wide = party.submit(needing(2));
        party.settle(500ms);
        QVERIFY(idle.began(wide));
    }

    // It is claimed by a worker whose other job takes long; another worker has room later, and gets it.
    void aWideJobIsPassedOnWhenItsWorkerHasNoRoom()
    {
        WorkerParty party(3);
        const Working slow(party, 1, Working::options(2), 1000h);
        party.submit(needing(1));
        party.settle(1s);
        const JobId wide = party.submit(needing(2));
        party.settle(5s);
        QVERIFY(party.isClaimedBy(wide, 1));
        QCOMPARE(Claim::decode(party.node(party.layout.claim(wide)).data).waits, QStringLiteral("2 free slots"));
        const Working second(party, 2, 2);
        party.settle(2min);
        QVERIFY(second.began(wide));
        QCOMPARE(party.recordOf(wide).state(), JobState::Succeeded);
    }

    // Found by a reader: what it was given back for counted, too, and the worker was idle for 34 hours.
    void whatIsRequeuedWaitsForRoomNoLonger()
    {
        WorkerParty party(2);
        const Working working(party, 1, Working::options(4), 1000h);
        const JobId wide = party.submit(needing(4));
        for (int i = 0; i < 12; ++i) {
            party.settle(2s);
            QVERIFY(working.began(wide));
            if (i == 11) {
                JobSpec hog = needing(1);
                hog.priority = 0;
                party.submit(hog);
            }
            party.run(requeue(party[0], party.layout, wide));
        }
        party.settle(5s);
        QVERIFY(party.isClaimedBy(wide, 1));
        const JobId narrow = party.submit(needing(1));
        party.settle(35s);
        QVERIFY(working.began(narrow));
    }

    void thePatienceForRoomIsMinutesAtMost()
    {
        WorkerParty party(2);
        const Working working(party, 1, Working::options(2), 10000h);
        party.submit(needing(1));
        party.settle(1s);
        party.submit(needing(2));
        party.settle(10h);
        const JobId narrow = party.submit(needing(1));
        party.settle(9min);
        QVERIFY(working.began(narrow));
    }

    void aWideJobGoesWhereRoomIsBeforeItsPatienceEnds()
    {
        WorkerParty party(3);
        const Working slow(party, 1, Working::options(2, {QStringLiteral("a")}), 1000h);
        const Working other(party, 2, Working::options(2, {QStringLiteral("b")}), 1000h);
        party.settle(1s);
        const JobId first = party.submit(needing(1, {QStringLiteral("a")}));
        const JobId second = party.submit(needing(1, {QStringLiteral("b")}));
        party.settle(1s);
        const JobId wide = party.submit(needing(2));
        party.settle(1h);
        const bool isAtFirst = party.isClaimedBy(wide, 1);
        party.run(cancel(party[0], party.layout, isAtFirst ? second : first));
        party.settle(90s);
        QVERIFY(slow.began(wide) || other.began(wide));
    }

    // While its room is far away, and only what ends before that.
    void shortJobsPassAWideOne()
    {
        WorkerParty party(2);
        const Working working(party, 1, Working::options(4), 1000h);
        party.submit(needing(1));
        party.settle(1h);
        const JobId wide = party.submit(needing(4));
        party.settle(5s);
        QVERIFY(party.isClaimedBy(wide, 1));
        const JobId longer = party.submit(needing(1)); // for all that is known
        party.settle(5s);
        QVERIFY(!working.began(longer));
        std::vector<JobId> passing;
        for (int i = 0; i < 10; ++i) {
            JobSpec spec = needing(1);
            spec.timeLimit = 1min;
            spec.environment.emplace(QStringLiteral("TAKES"), QStringLiteral("1000"));
            passing.push_back(party.submit(spec));
        }
        party.settle(10s);
        for (const JobId &id : passing)
            QVERIFY(working.began(id));
        QVERIFY(party.isClaimedBy(wide, 1));
    }

    void aWideJobCanBeCancelledWhileItWaits()
    {
        WorkerParty party(2);
        const Working slow(party, 1, Working::options(2), 1000h);
        party.submit(needing(1));
        party.settle(1s);
        const JobId wide = party.submit(needing(2));
        party.settle(5s);
        QVERIFY(party.isClaimedBy(wide, 1));
        party.run(cancel(party[0], party.layout, wide));
        party.settle(1s);
        QCOMPARE(party.recordOf(wide).state(), JobState::Cancelled);
        const JobId narrow = party.submit(needing(1)); // what was kept free for it is free
        party.settle(2s);
        QVERIFY(slow.began(narrow));
    }
};

QTEST_GUILESS_MAIN(NeedsTest)
#include "needs_test.moc"
