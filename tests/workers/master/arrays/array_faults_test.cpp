#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "workers/master/arrays/array_cluster.h"
#include "workers/master/arrays/array_mutant.h"
#include "workers/master/base/set_aside.h"

#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr auto Codes = [](qint32 index) { return index % 10 == 3 ? 7 : 0; };
const QString Sum = QStringLiteral("57 tasks: 51 ok, 6 failed");

} // namespace

// Masters that fail while they expand an array, and arrays that are cancelled.
class ArrayFaultsTest : public QObject
{
    Q_OBJECT

    // Two masters, the first of which meets one fault at one of its requests; what the cluster then looks like.
    static QString live(Fault fault, quint64 request, bool &bitten, std::function<void(zk::Request &)> sabotage = {})
    {
        FaultPlan plan;
        plan.scripted = {{request, fault}};
        FaultInjector faults(plan);
        ArrayCluster fake(0);
        fake.add({.latency = 1ms, .faults = &faults, .sabotage = std::move(sabotage)});
        fake.add({.latency = 1ms});
        const JobId id = fake.submitArray("1-57%9");
        fake.lead(1);
        fake.settle(50ms);
        fake.lead(2);
        FinalRecord record;
        try {
            record = fake.work(id, Codes);
        } catch (const zk::UnexpectedAnswer &error) {
            return QString::fromUtf8(error.what()); // a task that ended a second time
        }
        bitten = faults.log().total() > 0;
        QStringList wrong;
        if (record.reason != Sum || record.exitCode() != 7)
            wrong.append(record.reason);
        if (fake.made.size() != 57 || fake.remade() > 0)
            wrong.append(QStringLiteral("%1 tasks, %2 made twice").arg(fake.made.size()).arg(fake.remade()));
        if (fake.mostOpen > 9)
            wrong.append(QStringLiteral("%1 open").arg(fake.mostOpen));
        if (!fake.childrenOf(fake.layout.queue("default")).isEmpty())
            wrong.append(QStringLiteral("something is left in the queue"));
        return wrong.join(QStringLiteral("; "));
    }

private Q_SLOTS:
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
            ArrayCluster fake(2, {.latency = 3ms});
            fake.lead(1);
            fake.lead(2);
            fake.settle(1s);
            const JobId id = fake.submitArray("1-57%9");
            async::TaskGroup killing;
            const async::Timer death = fake.world.after(moment * 1ms, [&] { fake.kill(1); });
            QCOMPARE(fake.work(id, Codes).reason, Sum);
            QCOMPARE(fake.made.size(), 57u);
            QCOMPARE(fake.remade(), 0);
        }
    }

    // Its fence no longer holds, and it doesn't know.
    void twoThatBothBelieveToBeMasterCountOnce()
    {
        ArrayCluster fake(2, {.latency = 2ms});
        const zk::Path first = fake.layout.master() / "first";
        const zk::Path second = fake.layout.master() / "second";
        fake.write(first, "w1");
        fake.write(second, "w2");
        const JobId id = fake.submitArray("1-57%9");
        workers::Troubles troubles(fake[1].loop());
        workers::ArrayExpander one(jobs::Cluster(fake[1], fake.layout), {first, 0, 0}, nullptr, troubles);
        workers::ArrayExpander two(jobs::Cluster(fake[2], fake.layout), {second, 0, 0}, nullptr, troubles);
        async::TaskGroup running([](const std::exception_ptr &) {});
        const std::vector<QueueEntry> entries{{QueueEntry::Class::Array, 5, id.number}};
        running.spawn(one.run());
        running.spawn(two.run());
        one.setListed("default", entries);
        two.setListed("default", entries);
        fake.settle(100ms);
        QCOMPARE(fake.tasksOf(id).size(), 9u);
        for (int round = 0; round < 3; ++round) {
            for (const QueueEntry &entry : fake.tasksOf(id))
                fake.endTask(entry, Codes(entry.task));
            fake.settle(300ms);
        }
        QCOMPARE(running.size(), 2);
        fake.commit(zk::Transaction().remove(first));
        QCOMPARE(fake.work(id, Codes).reason, Sum);
        QCOMPARE(fake.made.size(), 57u);
        QCOMPARE(fake.remade(), 0);
        QCOMPARE(running.size(), 1);
    }

    void anArrayThatHasNotBegunIsCancelledAtOnce()
    {
        ArrayCluster fake;
        const JobId id = fake.submitArray("1-100");
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::Cancelled);
        fake.lead(1);
        fake.settle(3s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(fake.made.empty());
    }

    void theMasterEndsTheTasksOfOneThatIsCancelled()
    {
        ArrayCluster fake(2);
        fake.lead(1);
        const JobId id = fake.submitArray("1-1000%100");
        fake.settle(1s);
        for (int i = 0; i < 10; ++i)
            fake.endTask(fake.tasksOf(id).front());
        fake.settle(1s);
        const std::vector<QueueEntry> open = fake.tasksOf(id);
        QCOMPARE(open.size(), 100u);
        workers::Claimer claimer(jobs::Cluster(fake[2], fake.layout), QStringLiteral("w2"));
        const workers::Claims claims = fake.run(WorkerCluster::claimAll(claimer, {open[0], open[1]}));
        QCOMPARE(claims.jobs.size(), 2u);

        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::Marked);
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::Marked);
        fake.settle(2s);
        QCOMPARE(fake.tasksOf(id), (std::vector<QueueEntry>{open[0], open[1]}));
        QCOMPARE(fake.view(id).progress->toString(1000), QStringLiteral("998/1000, 988 cancelled"));
        QCOMPARE(fake.recordOf(open[2].idIn("default")).reason, QStringLiteral("cancelled with its array"));
        for (const workers::ClaimedJob &job : claims.jobs) {
            QVERIFY(Claim::decode(fake.node(fake.layout.claim(job.id)).data).cancelled);
            QVERIFY(fake.view(job.id).spec->notes.cancelled);
        }
        fake.endTask(open[0], 0); // it was faster
        fake.endTask(open[1], 143);
        fake.settle(2s);
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.state(), JobState::Cancelled);
        QCOMPARE(record.reason, QStringLiteral("1,000 tasks: 11 ok, 1 failed, 988 cancelled"));
        QCOMPARE(fake.made.size(), 110u);
    }

    void withoutAMasterACancelWaitsForOne()
    {
        ArrayCluster fake(2);
        fake.lead(1);
        const JobId id = fake.submitArray("1-100%10");
        fake.settle(1s);
        fake.kill(1);
        fake.settle(10s);
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::MarkedWithoutMaster);
        fake.lead(2);
        fake.settle(3s);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("100 tasks: 0 ok, 100 cancelled"));
        QVERIFY(fake.tasksOf(id).empty());
    }

    // At any moment of its life: nothing is left, and nothing is counted twice.
    void aCancelMayComeAtAnyMoment()
    {
        QSet<QString> sums;
        for (int moment = 0; moment < 400; moment += 5) {
            ArrayCluster fake(1, {.latency = 2ms});
            fake.lead(1);
            fake.settle(1s);
            const JobId id = fake.submitArray("1-57%9");
            async::TaskGroup cancelling([](const std::exception_ptr &) {}); // it may have ended
            const async::Timer timer =
                fake.world.after(moment * 1ms, [&] { cancelling.spawn(cancelQuietly(fake[1], fake.layout, id)); });
            const FinalRecord record = fake.work(id, Codes);
            fake.settle(1s);
            QVERIFY(fake.tasksOf(id).empty());
            QCOMPARE(fake.remade(), 0);
            sums.insert(record.reason);
            if (record.state() == JobState::Cancelled)
                QVERIFY(record.reason.contains(u"cancelled"));
            else
                QCOMPARE(record.reason, Sum);
        }
        QVERIFY2(sums.size() > 3, qPrintable(sums.values().join(u'\n')));
    }

    // A move is a new node, and the task had ended before that came.
    void tasksArchivedBeforeAMoveAreCounted()
    {
        const QTemporaryDir directory;
        const auto place = history::Location::parse(directory.filePath(QStringLiteral("h.sqlite")));
        ArrayCluster fake(2);
        fake.lead(1);
        const JobId id = fake.submitArray("1-2");
        fake.settle(1s);
        fake.kill(1);
        const QueueEntry task = fake.tasksOf(id).front();
        history::ArchiveBatch batch;
        batch.cluster = fake.layout.clusterName();
        batch.entries.push_back(
            {batch.cluster, FinalRecord::of(task.idIn("default"), JobCluster::spec()), fake.world.wallClock(), {}});
        history::Store(place, history::OpenMode::Write).archive(batch);
        fake.commit(zk::Transaction().remove(fake.layout.job("default", task)));
        fake.settle(1min);
        fake.run(setPriority(Cluster(fake[0], fake.layout), id, 1));
        history::History history(fake[2].loop(), place, history::OpenMode::Write);
        fake.lead(2, &history);
        QCOMPARE(fake.work(id).reason, QStringLiteral("2 tasks: 2 ok"));
        fake.kill(2);
    }

    static async::Task<void> cancelQuietly(zk::Client &zk, Layout layout, JobId id)
    {
        co_await cancel(Cluster(zk, layout), id);
    }

    // The master may not read the array for a while, in which its task ends.
    void theRecordsOfArraysThatAreSetAsideStay()
    {
        ArrayCluster fake;
        ClusterConfig config;
        config.doneLimit = 5;
        fake.write(fake.layout.config(), config.encode());
        fake.lead(1);
        const JobId id = fake.submitArray("1-1");
        fake.settle(1s);
        const zk::Path node = fake.layout.job("default", {QueueEntry::Class::Array, 5, id.number});
        fake.write(node, fake.node(node).data);
        fake.setReadable(node, false);
        fake.submitArray("1-1"); // the queue is listed again
        fake.settle(1s);
        fake.endTask(fake.tasksOf(id).front());
        for (int i = 1000; i < 1020; ++i) {
            const JobId other{"other", i};
            fake.write(fake.layout.done(other), FinalRecord::of(other, JobCluster::spec()).encode());
        }
        fake.settle(1min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 5);
        fake.setReadable(node, true);
        fake.settle(workers::SetAside::For);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("1 task: 1 ok"));
    }
};

QTEST_GUILESS_MAIN(ArrayFaultsTest)
#include "array_faults_test.moc"
