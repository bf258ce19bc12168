#include "jobs/cancel.h"
#include "workers/array_mutant.h"
#include "workers/array_party.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr auto Codes = [](qint32 index) { return index % 10 == 3 ? 7 : 0; };
const QString Sum = QStringLiteral("57 tasks: 51 ok, 6 failed");

} // namespace

// Masters that fail while they unfold an array, and arrays that are cancelled.
class ArrayFaultsTest : public QObject
{
    Q_OBJECT

    // Two masters, the first of which meets one fault at one of its requests; what the cluster then looks like.
    static QString live(Fault fault, quint64 request, bool &bitten, std::function<void(zk::Request &)> sabotage = {})
    {
        FaultPlan plan;
        plan.scripted = {{request, fault}};
        FaultInjector faults(plan);
        ArrayParty party(0);
        party.add({.latency = 1ms, .faults = &faults, .sabotage = std::move(sabotage)});
        party.add({.latency = 1ms});
        const JobId id = party.submitArray("1-57%9");
        party.lead(1);
        party.settle(50ms);
        party.lead(2);
        FinalRecord record;
        try {
            record = party.work(id, Codes);
        } catch (const zk::UnexpectedAnswer &error) {
            return QString::fromUtf8(error.what()); // a task that ended a second time
        }
        bitten = faults.log().total() > 0;
        QStringList wrong;
        if (record.reason != Sum || record.exitCode() != 7)
            wrong.append(record.reason);
        if (party.made.size() != 57 || party.remade() > 0)
            wrong.append(QStringLiteral("%1 tasks, %2 made twice").arg(party.made.size()).arg(party.remade()));
        if (party.mostOpen > 9)
            wrong.append(QStringLiteral("%1 open").arg(party.mostOpen));
        if (!party.childrenOf(party.layout.queue("default")).isEmpty())
            wrong.append(QStringLiteral("something is left in the queue"));
        return wrong.join(QStringLiteral("; "));
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    void everyTaskIsMadeAndCountedOnceWhateverFails_data()
    {
        QTest::addColumn<int>("fault");
        for (const Fault fault :
             {Fault::LoseRequest, Fault::LoseReply, Fault::Delay, Fault::Disconnect, Fault::Expire, Fault::Pause})
            QTest::newRow(name(fault)) << int(fault);
    }
    void everyTaskIsMadeAndCountedOnceWhateverFails()
    {
        QFETCH(int, fault);
        int bites = 0;
        for (quint64 request = 1; request <= 90; ++request) {
            bool bitten = false;
            const QString wrong = live(static_cast<Fault>(fault), request, bitten);
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("request %1: %2").arg(request).arg(wrong)));
            bites += bitten;
        }
        QVERIFY2(bites >= 80, qPrintable(QString::number(bites)));
    }

    void aMutantWithoutTheArraysVersionIsCaught()
    {
        int caught = 0;
        for (quint64 request = 1; request <= 90; ++request) {
            bool bitten = false;
            const QString wrong = live(Fault::LoseReply, request, bitten, forgetArrayVersions);
            caught += !wrong.isEmpty();
        }
        qInfo("%d of 90 lost replies do harm without the array's version", caught);
        QVERIFY(caught > 0);
    }

    void aMasterThatDiesLeavesNothingHalfDone()
    {
        for (int moment = 0; moment < 300; moment += 7) {
            ArrayParty party(2, {.latency = 3ms});
            party.lead(1);
            party.lead(2);
            party.settle(1s);
            const JobId id = party.submitArray("1-57%9");
            async::TaskGroup killing;
            const async::Timer death = party.world.after(moment * 1ms, [&] { party.kill(1); });
            QCOMPARE(party.work(id, Codes).reason, Sum);
            QCOMPARE(party.made.size(), 57u);
            QCOMPARE(party.remade(), 0);
        }
    }

    // Its fence no longer holds, and it doesn't know.
    void twoThatBothBelieveToBeMasterCountOnce()
    {
        ArrayParty party(2, {.latency = 2ms});
        const zk::Path first = party.layout.master() / "first";
        const zk::Path second = party.layout.master() / "second";
        party.write(first, "w1");
        party.write(second, "w2");
        const JobId id = party.submitArray("1-57%9");
        workers::Troubles troubles(party[1].loop());
        workers::Unfolder one(party[1], party.layout, {first, 0, 0}, nullptr, troubles);
        workers::Unfolder two(party[2], party.layout, {second, 0, 0}, nullptr, troubles);
        async::TaskGroup running([](const std::exception_ptr &) {});
        const std::vector<QueueEntry> entries{{QueueEntry::Class::Array, 5, id.number}};
        running.spawn(one.run());
        running.spawn(two.run());
        one.setListed("default", entries);
        two.setListed("default", entries);
        party.settle(100ms);
        QCOMPARE(party.tasksOf(id).size(), 9u);
        for (int round = 0; round < 3; ++round) {
            for (const QueueEntry &entry : party.tasksOf(id))
                party.endTask(entry, Codes(entry.task));
            party.settle(300ms);
        }
        QCOMPARE(running.size(), 2);
        party.commit(zk::Transaction().remove(first));
        QCOMPARE(party.work(id, Codes).reason, Sum);
        QCOMPARE(party.made.size(), 57u);
        QCOMPARE(party.remade(), 0);
        QCOMPARE(running.size(), 1);
    }

    void anArrayThatHasNotBegunIsCancelledAtOnce()
    {
        ArrayParty party;
        const JobId id = party.submitArray("1-100");
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled);
        party.lead(1);
        party.settle(3s);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(party.made.empty());
    }

    void theMasterEndsTheTasksOfOneThatIsCancelled()
    {
        ArrayParty party(2);
        party.lead(1);
        const JobId id = party.submitArray("1-1000%100");
        party.settle(1s);
        for (int i = 0; i < 10; ++i)
            party.endTask(party.tasksOf(id).front());
        party.settle(1s);
        const std::vector<QueueEntry> open = party.tasksOf(id);
        QCOMPARE(open.size(), 100u);
        workers::Claimer claimer(party[2], party.layout, QStringLiteral("w2"));
        const workers::Claims claims = party.run(claimer.claim("default", {open[0], open[1]}));
        QCOMPARE(claims.jobs.size(), 2u);

        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Marked);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Marked);
        party.settle(2s);
        QCOMPARE(party.tasksOf(id), (std::vector<QueueEntry>{open[0], open[1]}));
        QCOMPARE(party.view(id).progress->toString(1000), QStringLiteral("998/1000, 988 cancelled"));
        QCOMPARE(party.recordOf(open[2].idIn("default")).reason, QStringLiteral("cancelled with its array"));
        for (const workers::ClaimedJob &job : claims.jobs) {
            QVERIFY(Claim::decode(party.node(party.layout.claim(job.id)).data).cancelled);
            QVERIFY(party.view(job.id).spec->cancelled);
        }
        party.endTask(open[0], 0); // it was faster
        party.endTask(open[1], 143);
        party.settle(2s);
        const FinalRecord record = party.recordOf(id);
        QCOMPARE(record.state(), JobState::Cancelled);
        QCOMPARE(record.reason, QStringLiteral("1,000 tasks: 11 ok, 1 failed, 988 cancelled"));
        QCOMPARE(party.made.size(), 110u);
    }

    void withoutAMasterACancelWaitsForOne()
    {
        ArrayParty party(2);
        party.lead(1);
        const JobId id = party.submitArray("1-100%10");
        party.settle(1s);
        party.kill(1);
        party.settle(10s);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::MarkedWithoutMaster);
        party.lead(2);
        party.settle(3s);
        QCOMPARE(party.recordOf(id).reason, QStringLiteral("100 tasks: 0 ok, 100 cancelled"));
        QVERIFY(party.tasksOf(id).empty());
    }

    // At any moment of its life: nothing is left, and nothing is counted twice.
    void aCancelMayComeAtAnyMoment()
    {
        QSet<QString> sums;
        for (int moment = 0; moment < 400; moment += 5) {
            ArrayParty party(1, {.latency = 2ms});
            party.lead(1);
            party.settle(1s);
            const JobId id = party.submitArray("1-57%9");
            async::TaskGroup cancelling([](const std::exception_ptr &) {}); // it may have ended
            const async::Timer timer =
                party.world.after(moment * 1ms, [&] { cancelling.spawn(cancelQuietly(party[1], party.layout, id)); });
            const FinalRecord record = party.work(id, Codes);
            party.settle(1s);
            QVERIFY(party.tasksOf(id).empty());
            QCOMPARE(party.remade(), 0);
            sums.insert(record.reason);
            if (record.state() == JobState::Cancelled)
                QVERIFY(record.reason.contains(u"cancelled"));
            else
                QCOMPARE(record.reason, Sum);
        }
        QVERIFY2(sums.size() > 3, qPrintable(sums.values().join(u'\n')));
    }

    static async::Task<void> cancelQuietly(zk::Coordinator &zk, Layout layout, JobId id)
    {
        co_await cancel(zk, layout, id);
    }
};

QTEST_GUILESS_MAIN(ArrayFaultsTest)
#include "array_faults_test.moc"
