#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "workers/candidate.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

class PromoterTest : public QObject
{
    Q_OBJECT

private:
    static JobSpec arrayIn10s(const WorkerCluster &fake)
    {
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        return spec;
    }

private Q_SLOTS:
    void aJobWaitsForItsTime()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 10min;
        const JobId id = fake.submit(spec);
        fake.settle(10min - 1s);
        QCOMPARE(fake.stateOf(id), JobState::Waiting);
        QVERIFY(fake.ready().empty());
        fake.settle(2s);
        QCOMPARE(fake.stateOf(id), JobState::Ready);
        QCOMPARE(fake.node(fake.pathOf(id)).stat.version, 0);
        QVERIFY(!JobSpec::decode(fake.node(fake.pathOf(id)).data, "default", 5).waits());
    }

    void theTimeOfDayMayBeSet()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 24h;
        const JobId id = fake.submit(spec);
        fake.settle(5s);
        fake.world.setWallClock(spec.notes.notBefore);
        fake.settle(2s);
        QCOMPARE(fake.stateOf(id), JobState::Ready);
    }

    void aJobWaitsForAnother_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("state");
        const auto row = [](const char *name, Dependency::Kind kind, int code, JobState state) {
            QTest::newRow(name) << static_cast<int>(kind) << code << static_cast<int>(state);
        };
        row("ok, succeeds", Dependency::Kind::Ok, 0, JobState::Ready);
        row("ok, fails", Dependency::Kind::Ok, 1, JobState::Cancelled);
        row("fail, succeeds", Dependency::Kind::Failed, 0, JobState::Cancelled);
        row("fail, fails", Dependency::Kind::Failed, 1, JobState::Ready);
        row("any, fails", Dependency::Kind::Any, 1, JobState::Ready);
        row("begun, ends", Dependency::Kind::Begun, 1, JobState::Ready);
    }
    void aJobWaitsForAnother()
    {
        QFETCH(int, kind);
        QFETCH(int, code);
        QFETCH(int, state);
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        const JobId second = submitAfter(fake, static_cast<Dependency::Kind>(kind), first);
        fake.settle(5s);
        QCOMPARE(fake.stateOf(second), JobState::Waiting);
        fake.end(first, code);
        QCOMPARE(fake.stateOf(second), static_cast<JobState>(state));
        if (state == static_cast<int>(JobState::Cancelled))
            QVERIFY2(fake.recordOf(second).reason.contains(first.toString()), qPrintable(fake.recordOf(second).reason));
    }

    void aJobWaitsForTheBeginningOfAnother()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        const JobId begun = submitAfter(fake, Dependency::Kind::Begun, first);
        const JobId ended = submitAfter(fake, Dependency::Kind::Any, first);
        fake.settle(1s);
        fake.claim(first, 0);
        fake.settle(1s);
        QCOMPARE(fake.stateOf(begun), JobState::Ready);
        QCOMPARE(fake.stateOf(ended), JobState::Waiting);
    }

    // Found by a reviewer: a claim was taken for the beginning.
    void aJobThatWaitsAtItsWorkerHasNotBegun()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        const JobId begun = submitAfter(fake, Dependency::Kind::Begun, first);
        fake.settle(1s);
        Claim claim{QStringLiteral("w"), {1, 0}, fake.pathOf(first).name()};
        claim.pending = true;
        fake.commit(zk::Transaction()
                        .set(fake.pathOf(first), noted(fake.node(fake.pathOf(first)).data, &JobNotes::countPending), 0)
                        .create(fake.layout.claim(first), claim.encode(), zk::CreateMode::Ephemeral));
        fake.settle(1s);
        claim.waits = QStringLiteral("lock db");
        fake.write(fake.layout.claim(first), claim.encode());
        fake.settle(1s);
        QCOMPARE(fake.stateOf(begun), JobState::Waiting);
        claim.pending = false;
        claim.waits.clear();
        claim.prefetched = true; // of a slot that is not free yet
        fake.write(fake.layout.claim(first), claim.encode());
        fake.settle(1s);
        QCOMPARE(fake.stateOf(begun), JobState::Waiting);
        claim.prefetched = false;
        fake.write(fake.layout.claim(first), claim.encode());
        fake.settle(1s);
        QCOMPARE(fake.stateOf(begun), JobState::Ready);
    }

    // An array is never claimed. It has begun when one of its tasks has come into the queue.
    void aJobWaitsForTheBeginningOfAnArray()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        const JobId array = fake.submit(spec);
        const JobId begun = submitAfter(fake, Dependency::Kind::Begun, array);
        const JobId ended = submitAfter(fake, Dependency::Kind::Any, array);
        fake.settle(9s);
        QCOMPARE(fake.stateOf(begun), JobState::Waiting);
        fake.settle(3s);
        QCOMPARE(fake.stateOf(array), JobState::Running);
        QCOMPARE(fake.stateOf(begun), JobState::Ready);
        QCOMPARE(fake.stateOf(ended), JobState::Waiting);
        const JobId late = submitAfter(fake, Dependency::Kind::Begun, array);
        fake.settle(2s);
        QCOMPARE(fake.stateOf(late), JobState::Ready);
    }

    // It ended the look at that job for good, and what waits for it with it.
    void aRefusedLookAtADependencyIsRepeated()
    {
        WorkerCluster fake(1);
        bool denied = true;
        int refused = 0;
        fake.add({.sabotage = [&](zk::Request &request) {
            if (!denied || zk::pathOf(request).name() != "default-0")
                return;
            ++refused;
            throw zk::AccessDenied(zk::Code::NoAuth, QStringLiteral("default-0"));
        }});
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("wait for default-0 go on waiting")));
        const JobId second = submitAfter(fake, Dependency::Kind::Ok, first);
        fake.settle(1min);
        QVERIFY(refused > 3);
        QVERIFY(master.leads());
        fake.end(first, 0);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(second), JobState::Waiting);
        denied = false;
        fake.settle(10s);
        QCOMPARE(fake.stateOf(second), JobState::Ready);
    }

    // The connection breaks while the queue is listed. The listing has an end 20 s later, and the next one soon after.
    void anOutageIsNotTakenForASlowServer()
    {
        WorkerCluster fake(1);
        bool isListing = false;
        fake.add({.sessionTimeout = 1min, .latency = 1ms, .sabotage = [&](zk::Request &request) {
                      const auto *list = std::get_if<zk::ChildrenRequest>(&request);
                      isListing |= list && list->path == fake.layout.queue("default");
                  }});
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        isListing = false;
        const JobId first = fake.submit(spec);
        QVERIFY(fake.world.runUntil([&] { return isListing; }));
        fake.session(1).disconnectFor(20s);
        fake.settle(21s);
        spec.notes.notBefore = fake.world.wallClock() + 1s;
        const JobId second = fake.submit(spec);
        fake.settle(3s);
        QVERIFY(master.leads());
        QCOMPARE(fake.stateOf(first), JobState::Ready);
        QCOMPARE(fake.stateOf(second), JobState::Ready);
    }

    void anArrayThatMovesIsFollowed()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        spec.notes.heldBy = QStringLiteral("ada");
        const JobId array = fake.submit(spec);
        const JobId begun = submitAfter(fake, Dependency::Kind::Begun, array);
        fake.settle(2s);
        fake.run(setPriority(Cluster(fake[0], fake.layout), array, 2));
        fake.settle(2s);
        QCOMPARE(fake.stateOf(begun), JobState::Waiting);
        fake.run(release(Cluster(fake[0], fake.layout), array));
        fake.settle(2s);
        QCOMPARE(fake.stateOf(begun), JobState::Ready);
    }

    // The job may move from queue to queue, even before another job waits for it.
    void aJobThatMovesToAnotherQueueIsFollowed()
    {
        WorkerCluster fake(2);
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), {"other", "third"}));
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        const JobId ok = submitAfter(fake, Dependency::Kind::Ok, first);
        const JobId failed = submitAfter(fake, Dependency::Kind::Failed, first);
        const JobId any = submitAfter(fake, Dependency::Kind::Any, first);
        fake.settle(2s);
        const JobChange second = fake.run(moveToQueue(Cluster(fake[0], fake.layout), first, "other", {}));
        fake.settle(2s);
        const JobChange third = fake.run(moveToQueue(Cluster(fake[0], fake.layout), second.id, "third", {}));
        const JobId late = submitAfter(fake, Dependency::Kind::Ok, first);
        fake.settle(10s);
        for (const JobId &id : {ok, failed, any, late})
            QCOMPARE(fake.stateOf(id), JobState::Waiting);
        fake.end(third.id, 0);
        fake.settle(2s);
        for (const JobId &id : {ok, any, late})
            QCOMPARE(fake.stateOf(id), JobState::Ready);
        QCOMPARE(fake.stateOf(failed), JobState::Cancelled);
    }

    void aChainGoesOnThroughCancelledLinks()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        const JobId second = submitAfter(fake, Dependency::Kind::Ok, first);
        const JobId third = submitAfter(fake, Dependency::Kind::Ok, second);
        const JobId cleanUp = submitAfter(fake, Dependency::Kind::Any, second);
        fake.settle(1s);
        fake.end(first, 1);
        fake.settle(1s);
        QCOMPARE(fake.stateOf(second), JobState::Cancelled);
        QCOMPARE(fake.stateOf(third), JobState::Cancelled);
        QCOMPARE(fake.stateOf(cleanUp), JobState::Ready);
    }

    void anUnknownJobCountsAsEnded()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId any = submitAfter(fake, Dependency::Kind::Any, {"default", 4711});
        const JobId ok = submitAfter(fake, Dependency::Kind::Ok, {"default", 4711});
        fake.settle(1s);
        QCOMPARE(fake.stateOf(any), JobState::Ready);
        QCOMPARE(fake.stateOf(ok), JobState::Cancelled); // no history could know more
    }

    // Its watch waits for a record, which never comes.
    void aWatchedJobThatIsDeletedByHandCountsAsEnded()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        const JobId ok = submitAfter(fake, Dependency::Kind::Ok, first);
        const JobId any = submitAfter(fake, Dependency::Kind::Any, first);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(any), JobState::Waiting);
        fake.commit(zk::Transaction().remove(fake.pathOf(first)));
        fake.settle(1min);
        QCOMPARE(fake.stateOf(any), JobState::Ready);
        QCOMPARE(fake.stateOf(ok), JobState::Cancelled);
    }

    void aJobThatWasCancelledIsLeftAlone()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        const JobId id = fake.submit(spec);
        const JobId other = fake.submit(spec);
        fake.settle(1s);
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::Cancelled);
        fake.settle(20s);
        QCOMPARE(fake.stateOf(id), JobState::Cancelled);
        QCOMPARE(fake.stateOf(other), JobState::Ready); // though they shared a transaction that was refused
    }

    void anArrayGoesToThoseThatAreExpanded()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId id = fake.submit(arrayIn10s(fake));
        fake.settle(9s);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList{"w5-0000000000"});
        QCOMPARE(fake.stateOf(id), JobState::Waiting);
        fake.settle(2s);
        QVERIFY(!fake.childrenOf(fake.layout.queue("default")).contains("w5-0000000000"));
    }

    // Found by the schedules: the master forgot the array because its node had changed, and did not list it again.
    void anArrayOfWhichTasksWereCancelledWhileItWaitsGoesOn()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId id = fake.submit(arrayIn10s(fake));
        fake.settle(1s);
        QCOMPARE(fake.run(cancelUnexpandedTasks(Cluster(fake[0], fake.layout), id, 1, 2)), 2);
        fake.settle(20s);
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).contains("q5-0000000000.3"));
    }

    void whoseNoteToTheMasterWasDeletedGoesOn()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        fake.submit(arrayIn10s(fake));
        fake.settle(1s);
        const zk::Path note = fake.layout.waiting("default");
        fake.commit(zk::Transaction().remove(note));
        fake.settle(20s);
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).contains("q5-0000000000.3"));
    }

    void theNextMasterDoesWithoutTheNotes()
    {
        WorkerCluster fake(2);
        fake.submit(arrayIn10s(fake));
        const zk::Path note = fake.layout.waiting("default");
        fake.commit(zk::Transaction().remove(note));
        const Leading master(fake, 1);
        fake.settle(20s);
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).contains("q5-0000000000.3"));
    }

    // A job's node says what the job waits for, so the next master goes on with it.
    void theNextMasterGoesOn()
    {
        WorkerCluster fake(3);
        auto first = std::make_unique<Leading>(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        const JobId timed = fake.submit(spec);
        const JobId on = fake.submit();
        const JobId dependent = submitAfter(fake, Dependency::Kind::Ok, on);
        fake.settle(1s);
        const Leading second(fake, 2);
        first.reset();
        fake.settle(12s);
        QVERIFY(second.leads());
        QCOMPARE(fake.stateOf(timed), JobState::Ready);
        fake.end(on, 0);
        QCOMPARE(fake.stateOf(dependent), JobState::Ready);
    }

    // Plain jobs are none of the master's business: they cost it nothing.
    void plainJobsDoNotWakeIt()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        fake.settle(5s);
        const quint64 before = fake[1].counters().watchEvents;
        for (int i = 0; i < 20; ++i)
            fake.end(fake.submit(), 0);
        fake.settle(1s);
        QCOMPARE(fake[1].counters().watchEvents, before);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 1h;
        fake.submit(spec);
        fake.settle(1s);
        QCOMPARE(fake[1].counters().watchEvents, before + 1);
    }
};

QTEST_GUILESS_MAIN(PromoterTest)
#include "promoter_test.moc"
