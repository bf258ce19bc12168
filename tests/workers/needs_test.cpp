#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "workers/working.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

JobSpec needing(int slots, const QStringList &labels = {}, qint64 memory = 0)
{
    JobSpec spec = JobCluster::spec();
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
    void aJobRunsWhereItsLabelsAre()
    {
        WorkerCluster fake(5);
        const Working first(fake, 1);
        const Working second(fake, 2);
        const Working gpu(fake, 3, Working::options(1, {QStringLiteral("gpu"), QStringLiteral("ssd")}));
        fake.settle(1s); // they stand in line, the one that has the label last
        const JobId id = fake.submit(needing(1, {QStringLiteral("gpu")}));
        fake.settle(1s);
        QVERIFY(gpu.began(id));
        QCOMPARE(first.begun() + second.begun(), 0u);
        const JobId both = fake.submit(needing(1, {QStringLiteral("gpu"), QStringLiteral("fpga")}));
        fake.settle(2min);
        QVERIFY(!gpu.began(both));
    }

    // Those between have judged it before it was claimed, and did not see that it was.
    void theJobsOfALostWorkerGoToTheWorkerThatTheySuit()
    {
        WorkerCluster fake(5);
        const Working gpu(fake, 1, Working::options(2, {QStringLiteral("gpu")}));
        const Working first(fake, 2);
        const Working second(fake, 3);
        fake.settle(1s);
        const JobId id = fake.submit(needing(1, {QStringLiteral("gpu")}));
        fake.settle(1s);
        QVERIFY(gpu.began(id));
        const Working other(fake, 4, Working::options(1, {QStringLiteral("gpu")}));
        fake.settle(3s);
        fake.server.expire(fake[1].sessionId());
        fake.settle(1s);
        QVERIFY(other.began(id));
    }

    void aJobThatSuitsNoWorkerCostsLittle()
    {
        WorkerCluster fake(4);
        std::vector<std::unique_ptr<Working>> all;
        for (int who = 1; who <= 3; ++who)
            all.push_back(std::make_unique<Working>(fake, who));
        fake.settle(1s);
        for (int i = 0; i < 50; ++i)
            fake.submit(needing(2)); // more slots than any has
        fake.settle(5s);
        const quint64 before = fake[1].counters().requests;
        fake.settle(1min);
        QVERIFY(fake[1].counters().requests - before < 60 * 12); // no spec is read again
        const JobId id = fake.submit(needing(1));
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    void aNewcomerTakesTheJobsThatSuitedNoOtherWorker()
    {
        WorkerCluster fake(3);
        const Working small(fake, 1);
        const JobId id = fake.submit(needing(2));
        fake.settle(5s);
        const Working large(fake, 2, 2);
        fake.settle(1s);
        QVERIFY(large.began(id));
    }

    // The job was claimed and given back while a worker that it does not suit was the first in line.
    void aReturnedJobGoesToAWorkerThatItSuits()
    {
        WorkerCluster fake(4);
        const Working small(fake, 1);
        fake.settle(1s);
        const Working large(fake, 2, 2);
        fake.settle(1s);
        const JobId id = fake.submit();
        fake.settle(10ms);
        QVERIFY(small.began(id));
        const JobId wide = fake.submit(needing(2));
        fake.settle(10ms);
        QVERIFY(large.began(wide));
        Working other(fake, 3, 2);
        fake.settle(90s);
        const JobId again = fake.submit(needing(2));
        fake.claim(again, 0); // before another worker has listed it
        fake.settle(30s);
        fake.commit(zk::Transaction().remove(fake.layout.claim(again)));
        fake.settle(30s);
        QVERIFY(!small.began(again));
        QVERIFY(large.began(again) != other.began(again));
    }

    void slotsAreCountedAsJobsNeedThem()
    {
        WorkerCluster fake(2);
        for (const int slots : {1, 3, 2, 1, 4, 1, 2, 2, 1, 3})
            fake.submit(needing(slots));
        const Working working(fake, 1, 4);
        fake.settle(20min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 10);
        QCOMPARE(mostInUse(working.witness()), 4);
    }

    void memoryIsABudget()
    {
        constexpr qint64 GiB = qint64(1) << 30;
        WorkerCluster fake(2);
        const JobId tooMuch = fake.submit(needing(1, {}, 3 * GiB));
        for (int i = 0; i < 4; ++i)
            fake.submit(needing(1, {}, GiB));
        const Working working(fake, 1, Working::options(8, {}, 2 * GiB));
        fake.settle(10min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 4);
        QCOMPARE(mostInUse(working.witness()), 2);
        QVERIFY(!working.began(tooMuch));
    }

    // However many small jobs there are, each of which fits into what is free.
    void aWideJobDoesNotStarve()
    {
        WorkerCluster fake(2);
        for (int i = 0; i < 200; ++i)
            fake.submit(needing(1));
        const Working working(fake, 1, 4);
        fake.settle(10s);
        JobSpec urgent = needing(4);
        urgent.priority = 4;
        const JobId wide = fake.submit(urgent);
        fake.settle(4min);
        QVERIFY(working.began(wide));
        QVERIFY(fake.childrenOf(fake.layout.done()).size() < 60);
        QCOMPARE(mostInUse(working.witness()), 4);
    }

    void aWideJobIsLeftToTheWorkerThatHasRoom()
    {
        WorkerCluster fake(3);
        const Working busy(fake, 1, 2);
        fake.settle(1s);
        const JobId narrow = fake.submit(needing(1));
        fake.settle(100ms);
        QVERIFY(busy.began(narrow)); // and it is the first in line still
        const Working idle(fake, 2, 2);
        fake.settle(100ms);
        const JobId wide = fake.submit(needing(2));
        fake.settle(500ms);
        QVERIFY(idle.began(wide));
    }

    // It is claimed by a worker whose other job takes long; another worker has room later, and gets it.
    void aWideJobIsPassedOnWhenItsWorkerHasNoRoom()
    {
        WorkerCluster fake(3);
        const Working slow(fake, 1, Working::options(2), 1000h);
        fake.submit(needing(1));
        fake.settle(1s);
        const JobId wide = fake.submit(needing(2));
        fake.settle(5s);
        QVERIFY(fake.isClaimedBy(wide, 1));
        QCOMPARE(Claim::decode(fake.node(fake.layout.claim(wide)).data).waits, QStringLiteral("2 free slots"));
        const Working second(fake, 2, 2);
        fake.settle(2min);
        QVERIFY(second.began(wide));
        QCOMPARE(fake.recordOf(wide).state(), JobState::Succeeded);
    }

    // Found by a reader: what it was given back for counted, too, and the worker was idle for 34 hours.
    void aRequeuedJobWaitsForRoomNoLonger()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, Working::options(4), 1000h);
        const JobId wide = fake.submit(needing(4));
        for (int i = 0; i < 12; ++i) {
            fake.settle(2s);
            QVERIFY(working.began(wide));
            if (i == 11) {
                JobSpec hog = needing(1);
                hog.priority = 0;
                fake.submit(hog);
            }
            fake.run(requeue(Cluster(fake[0], fake.layout), wide));
        }
        fake.settle(5s);
        QVERIFY(fake.isClaimedBy(wide, 1));
        const JobId narrow = fake.submit(needing(1));
        fake.settle(35s);
        QVERIFY(working.began(narrow));
    }

    void thePatienceForRoomIsMinutesAtMost()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, Working::options(2), 10000h);
        fake.submit(needing(1));
        fake.settle(1s);
        fake.submit(needing(2));
        fake.settle(10h);
        const JobId narrow = fake.submit(needing(1));
        fake.settle(9min);
        QVERIFY(working.began(narrow));
    }

    void aWideJobGoesWhereRoomIsBeforeItsPatienceEnds()
    {
        WorkerCluster fake(3);
        const Working slow(fake, 1, Working::options(2, {QStringLiteral("a")}), 1000h);
        const Working other(fake, 2, Working::options(2, {QStringLiteral("b")}), 1000h);
        fake.settle(1s);
        const JobId first = fake.submit(needing(1, {QStringLiteral("a")}));
        const JobId second = fake.submit(needing(1, {QStringLiteral("b")}));
        fake.settle(1s);
        const JobId wide = fake.submit(needing(2));
        fake.settle(1h);
        const bool isAtFirst = fake.isClaimedBy(wide, 1);
        fake.run(cancel(Cluster(fake[0], fake.layout), isAtFirst ? second : first));
        fake.settle(90s);
        QVERIFY(slow.began(wide) || other.began(wide));
    }

    // While its room is far away, and only what ends before that.
    void shortJobsPassAWideOne()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, Working::options(4), 1000h);
        fake.submit(needing(1));
        fake.settle(1h);
        const JobId wide = fake.submit(needing(4));
        fake.settle(5s);
        QVERIFY(fake.isClaimedBy(wide, 1));
        const JobId longer = fake.submit(needing(1)); // for all that is known
        fake.settle(5s);
        QVERIFY(!working.began(longer));
        std::vector<JobId> passing;
        for (int i = 0; i < 10; ++i) {
            JobSpec spec = needing(1);
            spec.timeLimit = 1min;
            spec.environment.emplace(QStringLiteral("TAKES"), QStringLiteral("1000"));
            passing.push_back(fake.submit(spec));
        }
        fake.settle(10s);
        for (const JobId &id : passing)
            QVERIFY(working.began(id));
        QVERIFY(fake.isClaimedBy(wide, 1));
    }

    void aWideJobCanBeCancelledWhileItWaits()
    {
        WorkerCluster fake(2);
        const Working slow(fake, 1, Working::options(2), 1000h);
        fake.submit(needing(1));
        fake.settle(1s);
        const JobId wide = fake.submit(needing(2));
        fake.settle(5s);
        QVERIFY(fake.isClaimedBy(wide, 1));
        fake.run(cancel(Cluster(fake[0], fake.layout), wide));
        fake.settle(1s);
        QVERIFY2(fake.exists(fake.layout.done(wide)), "its wait goes on");
        QCOMPARE(fake.recordOf(wide).state(), JobState::Cancelled);
        const JobId narrow = fake.submit(needing(1)); // what was kept free for it is free
        fake.settle(2s);
        QVERIFY(slow.began(narrow));
    }
};

QTEST_GUILESS_MAIN(NeedsTest)
#include "needs_test.moc"
