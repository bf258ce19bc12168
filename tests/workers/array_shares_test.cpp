#include "jobs/cancel.h"
#include "jobs/control.h"
#include "workers/array_party.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using workers::ArrayQueue;
using workers::OpenShare;

// Arrays of one queue that share the master's attention: one that cannot go on keeps nothing from the others.
class ArraySharesTest : public QObject
{
    Q_OBJECT

    static std::vector<JobId> submitGangs(ArrayParty &party, int count)
    {
        JobSpec gang = ArrayParty::spec();
        gang.gang = 99; // wider than all workers together
        gang.array = GangSize{99}.upTo(0);
        std::vector<JobId> ids;
        for (int i = 0; i < count; ++i)
            ids.push_back(party.submit(gang));
        return ids;
    }

    // As workers do that have so many slots: they claim the first of those that wait, and keep them.
    static void claimTasks(ArrayParty &party, const JobId &array, std::size_t slotCount)
    {
        const std::vector<QueueEntry> tasks = party.tasksOf(array);
        std::size_t claimed = 0;
        zk::Transaction claims;
        for (const QueueEntry &task : tasks) {
            const zk::Path claim = party.layout.claim(task.idIn(array.queue));
            const bool isTaken = party.exists(claim);
            if (claimed + 1 > slotCount)
                break;
            ++claimed;
            if (!isTaken)
                claims.create(claim, Claim{QStringLiteral("w"), 1, task.name(), false}.encode());
            if (claims.size() == 100)
                party.commit(std::exchange(claims, {}));
        }
        if (claims.size() > 0)
            party.commit(std::move(claims));
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    // Found by a reader: a hundred of them, and no array of the queue ever began.
    void gangsThatNeverFitKeepNoPlaceFromOthers()
    {
        ArrayParty party;
        submitGangs(party, 2 * ArrayQueue::MaxArrays + 20);
        const JobId array = party.submitArray("1-3");
        party.lead(1);
        party.settle(10s);
        QCOMPARE(party.tasksOf(array).size(), 3u);
        QCOMPARE(party.work(array).exitCode(), 0);
    }

    // Found by a reader: nobody told the master, which kept their places.
    void gangsThatAreCancelledBeforeTheyBeginLeaveTheirPlaces()
    {
        ArrayParty party;
        const std::vector<JobId> gangs = submitGangs(party, ArrayQueue::MaxArrays);
        party.lead(1);
        party.settle(3s);
        const JobId array = party.submitArray("1-3");
        for (const JobId &gang : gangs)
            party.run(cancel(party[0], party.layout, gang));
        party.settle(3s);
        QCOMPARE(party.tasksOf(array).size(), 3u);
    }

    void arraysThatAreHeldKeepNoPlaceFromOthers()
    {
        ArrayParty party;
        std::vector<JobId> held;
        for (int i = 0; i < ArrayQueue::MaxArrays; ++i)
            held.push_back(party.submitArray("1-2%1"));
        party.lead(1);
        party.settle(2s);
        for (const JobId &id : held) {
            party.run(hold(party[0], party.layout, id, QStringLiteral("me@here")));
            for (const QueueEntry &task : party.tasksOf(id))
                party.endTask(task);
        }
        party.settle(2s);
        const JobId other = party.submitArray("1-3");
        party.settle(5s);
        QCOMPARE(party.tasksOf(other).size(), 3u);
        party.run(release(party[0], party.layout, held.back()));
        QCOMPARE(party.work(held.back()).exitCode(), 0);
    }

    // Found by a reader: it kept a thousand tasks in the queue, and each other array could have ten.
    void anArrayWhoseTasksNobodyTakesKeepsNoneFromOthers()
    {
        ArrayParty party;
        const JobId stuck = party.submitArray("1-5000");
        const JobId array = party.submitArray("1-300");
        party.lead(1);
        for (int second = 0; second < 5; ++second) {
            party.settle(1s);
            claimTasks(party, array, 300);
        }
        QCOMPARE(int(party.tasksOf(stuck).size()), OpenShare::First);
        QCOMPARE(party.tasksOf(array).size(), 300u);
    }

    // Its tasks ran first, so that it could fill the queue; then nobody takes them any more.
    void anArrayThatStallsMakesRoomForOthers()
    {
        ArrayParty party;
        party.lead(1);
        const JobId stuck = party.submitArray("1-9000");
        for (int round = 0; round < 5; ++round) {
            for (const QueueEntry &task : party.tasksOf(stuck))
                party.endTask(task);
            party.settle(1s);
        }
        QCOMPARE(int(party.tasksOf(stuck).size()), OpenShare::Most);
        const JobId array = party.submitArray("1-300");
        for (int second = 0; second < 30; ++second) {
            party.settle(1s);
            claimTasks(party, array, 300);
        }
        QCOMPARE(party.tasksOf(array).size(), 300u);
    }

    // There were never more than a thousand open, though two thousand slots were free.
    void tasksThatRunCountAgainstNoShare()
    {
        ArrayParty party;
        party.lead(1);
        const JobId array = party.submitArray("1-5000");
        for (int second = 0; second < 20; ++second) {
            party.settle(1s);
            claimTasks(party, array, 2000);
        }
        QCOMPARE(int(party.tasksOf(array).size()), 2000 + OpenShare::Most);
        QCOMPARE(party.remade(), 0);
    }

    // However many there are, and nobody takes the tasks of any.
    void eachArrayHasATaskInTheQueue()
    {
        ArrayParty party;
        std::vector<JobId> ids;
        for (int i = 0; i < 2 * ArrayQueue::MaxArrays + 50; ++i)
            ids.push_back(party.submitArray("1-500"));
        party.lead(1);
        party.settle(2min);
        for (const JobId &id : ids)
            QVERIFY2(!party.tasksOf(id).empty(), id.bytes().constData());
        QVERIFY2(party.mostOpen < 2000, qPrintable(QString::number(party.mostOpen)));
    }

    // It lists again because claims wake nobody, but less often the longer nothing happens.
    void arraysThatWaitForSlotsCostLittle()
    {
        ArrayParty party;
        party.lead(1);
        const auto requestsOfAMinute = [&] {
            const quint64 before = party[1].counters().requests;
            party.settle(1min);
            return static_cast<int>(party[1].counters().requests - before);
        };
        const int without = requestsOfAMinute();
        party.submitArray("1-5000");
        party.settle(1min);
        const int with = requestsOfAMinute();
        QVERIFY2(with - without < 40, qPrintable(QStringLiteral("%1, %2 without").arg(with).arg(without)));
    }
};

QTEST_GUILESS_MAIN(ArraySharesTest)
#include "array_shares_test.moc"
