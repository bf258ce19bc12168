#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/model/gang.h"
#include "workers/master/arrays/array_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using workers::ArrayPlaces;
using workers::OpenShare;

// Arrays of one queue that share the master's attention: one that cannot go on keeps nothing from the others.
class ArraySharesTest : public QObject
{
    Q_OBJECT

    static std::vector<JobId> submitGangs(ArrayCluster &fake, int count)
    {
        JobSpec gang = ArrayCluster::spec();
        gang.gang = 99; // wider than all workers together
        gang.array = GangSize{99}.upTo(0);
        std::vector<JobId> ids;
        for (int i = 0; i < count; ++i)
            ids.push_back(fake.submit(gang));
        return ids;
    }

    // As workers do that have so many slots: they claim the first of those that wait, and keep them.
    static void claimTasks(ArrayCluster &fake, const JobId &array, std::size_t slotCount)
    {
        const std::vector<QueueEntry> tasks = fake.tasksOf(array);
        std::size_t claimed = 0;
        zk::Transaction claims;
        for (const QueueEntry &task : tasks) {
            const zk::Path claim = fake.layout.claim(task.idIn(array.queue));
            const bool isTaken = fake.exists(claim);
            if (claimed + 1 > slotCount)
                break;
            ++claimed;
            if (!isTaken)
                claims.create(claim, Claim{QStringLiteral("w"), {1, 0}, task.name(), false}.encode());
            if (claims.size() == 100)
                fake.commit(std::exchange(claims, {}));
        }
        if (claims.size() > 0)
            fake.commit(std::move(claims));
    }

private Q_SLOTS:
    // Found by a reader: a hundred of them, and no array of the queue ever began.
    void gangsThatNeverFitKeepNoPlaceFromOthers()
    {
        ArrayCluster fake;
        submitGangs(fake, 2 * ArrayPlaces::MaxArrays + 20);
        const JobId array = fake.submitArray("1-3");
        fake.lead(1);
        fake.settle(10s);
        QCOMPARE(fake.tasksOf(array).size(), 3u);
        QCOMPARE(fake.work(array).exitCode(), 0);
    }

    // Found by a reader: the master got no report of the cancel and kept the places of the gangs.
    void gangsThatAreCancelledBeforeTheyBeginLeaveTheirPlaces()
    {
        ArrayCluster fake;
        const std::vector<JobId> gangs = submitGangs(fake, ArrayPlaces::MaxArrays);
        fake.lead(1);
        fake.settle(3s);
        const JobId array = fake.submitArray("1-3");
        for (const JobId &gang : gangs)
            fake.run(cancel(Cluster(fake[0], fake.layout), gang));
        fake.settle(3s);
        QCOMPARE(fake.tasksOf(array).size(), 3u);
    }

    void arraysThatAreHeldKeepNoPlaceFromOthers()
    {
        ArrayCluster fake;
        std::vector<JobId> held;
        for (int i = 0; i < ArrayPlaces::MaxArrays; ++i)
            held.push_back(fake.submitArray("1-2%1"));
        fake.lead(1);
        fake.settle(2s);
        for (const JobId &id : held) {
            fake.run(hold(Cluster(fake[0], fake.layout), id, QStringLiteral("me@here")));
            for (const QueueEntry &task : fake.tasksOf(id))
                fake.endTask(task);
        }
        fake.settle(2s);
        const JobId other = fake.submitArray("1-3");
        fake.settle(5s);
        QCOMPARE(fake.tasksOf(other).size(), 3u);
        fake.run(release(Cluster(fake[0], fake.layout), held.back()));
        QCOMPARE(fake.work(held.back()).exitCode(), 0);
    }

    // Found by a reader: it kept a thousand tasks in the queue, and each other array could have ten.
    void anArrayWithUnsuitableTasksDelaysNoOther()
    {
        ArrayCluster fake;
        const JobId stuck = fake.submitArray("1-5000");
        const JobId array = fake.submitArray("1-300");
        fake.lead(1);
        for (int second = 0; second < 5; ++second) {
            fake.settle(1s);
            claimTasks(fake, array, 300);
        }
        QCOMPARE(int(fake.tasksOf(stuck).size()), OpenShare::First);
        QCOMPARE(fake.tasksOf(array).size(), 300u);
    }

    // Its tasks ran first, so that it could fill the queue; then no worker takes them any more.
    void anArrayThatStallsMakesRoomForOthers()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId stuck = fake.submitArray("1-9000");
        for (int round = 0; round < 5; ++round) {
            for (const QueueEntry &task : fake.tasksOf(stuck))
                fake.endTask(task);
            fake.settle(1s);
        }
        QCOMPARE(int(fake.tasksOf(stuck).size()), OpenShare::Most);
        const JobId array = fake.submitArray("1-300");
        for (int second = 0; second < 30; ++second) {
            fake.settle(1s);
            claimTasks(fake, array, 300);
        }
        QCOMPARE(fake.tasksOf(array).size(), 300u);
    }

    // There were never more than a thousand open, though two thousand slots were free.
    void tasksThatRunCountAgainstNoShare()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId array = fake.submitArray("1-5000");
        for (int second = 0; second < 20; ++second) {
            fake.settle(1s);
            claimTasks(fake, array, 2000);
        }
        QCOMPARE(int(fake.tasksOf(array).size()), 2000 + OpenShare::Most);
        QCOMPARE(fake.remade(), 0);
    }

    // This holds for any number of arrays, even if no worker takes their tasks.
    void eachArrayHasATaskInTheQueue()
    {
        ArrayCluster fake;
        std::vector<JobId> ids;
        for (int i = 0; i < 2 * ArrayPlaces::MaxArrays + 50; ++i)
            ids.push_back(fake.submitArray("1-500"));
        fake.lead(1);
        fake.settle(2min);
        for (const JobId &id : ids)
            QVERIFY2(!fake.tasksOf(id).empty(), id.bytes().constData());
        QVERIFY2(fake.mostOpen < 2000, qPrintable(QString::number(fake.mostOpen)));
    }

    // The master lists again, because a claim does not wake it. It lists less often the longer nothing happens.
    void arraysThatWaitForSlotsCostLittle()
    {
        ArrayCluster fake;
        fake.lead(1);
        const auto requestsOfAMinute = [&] {
            const quint64 before = fake[1].counters().requests;
            fake.settle(1min);
            return static_cast<int>(fake[1].counters().requests - before);
        };
        const int without = requestsOfAMinute();
        fake.submitArray("1-5000");
        fake.settle(1min);
        const int with = requestsOfAMinute();
        QVERIFY2(with - without < 40, qPrintable(QStringLiteral("%1, %2 without").arg(with).arg(without)));
    }
};

QTEST_GUILESS_MAIN(ArraySharesTest)
#include "array_shares_test.moc"
