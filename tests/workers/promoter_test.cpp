#include "jobs/cancel.h"
#include "jobs/control.h"
#include "workers/candidate.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

class PromoterTest : public QObject
{
    Q_OBJECT

private:
    static JobSpec arrayIn10s(const WorkerParty &party)
    {
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        spec.notBefore = party.world.wallClock() + 10s;
        return spec;
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void aJobWaitsForItsTime()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 10min;
        const JobId id = party.submit(spec);
        party.settle(10min - 1s);
        QCOMPARE(party.stateOf(id), JobState::Waiting);
        QVERIFY(party.ready().empty());
        party.settle(2s);
        QCOMPARE(party.stateOf(id), JobState::Ready);
        QCOMPARE(party.node(party.pathOf(id)).stat.version, 0);
        QVERIFY(!JobSpec::decode(party.node(party.pathOf(id)).data, "default", 5).waits());
    }

    void theTimeOfDayMayBeSet()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 24h;
        const JobId id = party.submit(spec);
        party.settle(5s);
        party.world.setWallClock(spec.notBefore);
        party.settle(2s);
        QCOMPARE(party.stateOf(id), JobState::Ready);
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
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId first = party.submit();
        const JobId second = submitAfter(party, static_cast<Dependency::Kind>(kind), first);
        party.settle(5s);
        QCOMPARE(party.stateOf(second), JobState::Waiting);
        party.end(first, code);
        QCOMPARE(party.stateOf(second), static_cast<JobState>(state));
        if (state == static_cast<int>(JobState::Cancelled))
            QVERIFY2(party.recordOf(second).reason.contains(first.toString()),
                     qPrintable(party.recordOf(second).reason));
    }

    void aJobWaitsForTheBeginningOfAnother()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId first = party.submit();
        const JobId begun = submitAfter(party, Dependency::Kind::Begun, first);
        const JobId ended = submitAfter(party, Dependency::Kind::Any, first);
        party.settle(1s);
        party.claim(first, 0);
        party.settle(1s);
        QCOMPARE(party.stateOf(begun), JobState::Ready);
        QCOMPARE(party.stateOf(ended), JobState::Waiting);
    }

    // Found by a reviewer: a claim was taken for the beginning.
    void whatWaitsAtItsWorkerHasNotBegun()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId first = party.submit();
        const JobId begun = submitAfter(party, Dependency::Kind::Begun, first);
        party.settle(1s);
        Claim claim{QStringLiteral("w"), 1, party.pathOf(first).name()};
        claim.pending = true;
        party.commit(zk::Transaction()
                         .set(party.pathOf(first), JobSpec::countPending(party.node(party.pathOf(first)).data), 0)
                         .create(party.layout.claim(first), claim.encode(), zk::CreateMode::Ephemeral));
        party.settle(1s);
        claim.waits = QStringLiteral("lock db");
        party.write(party.layout.claim(first), claim.encode());
        party.settle(1s);
        QCOMPARE(party.stateOf(begun), JobState::Waiting);
        claim.pending = false;
        claim.waits.clear();
        claim.ahead = true; // of a slot that is not free yet
        party.write(party.layout.claim(first), claim.encode());
        party.settle(1s);
        QCOMPARE(party.stateOf(begun), JobState::Waiting);
        claim.ahead = false;
        party.write(party.layout.claim(first), claim.encode());
        party.settle(1s);
        QCOMPARE(party.stateOf(begun), JobState::Ready);
    }

    // Nobody claims an array: it has begun when a task of it has come into the queue.
    void aJobWaitsForTheBeginningOfAnArray()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId array = party.submit(spec);
        const JobId begun = submitAfter(party, Dependency::Kind::Begun, array);
        const JobId ended = submitAfter(party, Dependency::Kind::Any, array);
        party.settle(9s);
        QCOMPARE(party.stateOf(begun), JobState::Waiting);
        party.settle(3s);
        QCOMPARE(party.stateOf(array), JobState::Running);
        QCOMPARE(party.stateOf(begun), JobState::Ready);
        QCOMPARE(party.stateOf(ended), JobState::Waiting);
        const JobId late = submitAfter(party, Dependency::Kind::Begun, array);
        party.settle(2s);
        QCOMPARE(party.stateOf(late), JobState::Ready);
    }

    // It ended the look at that job for good, and what waits for it with it.
    void whatCannotBeLookedAtIsLookedAtAgain()
    {
        WorkerParty party(1);
        bool denied = true;
        int refused = 0;
        party.add({.sabotage = [&](zk::Request &request) {
            if (!denied || zk::pathOf(request).name() != "default-0")
                return;
            ++refused;
            throw zk::AccessDenied(zk::Code::NoAuth, QStringLiteral("default-0"));
        }});
        const Leading master(party, 1);
        const JobId first = party.submit();
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("waits for default-0 goes on waiting")));
        const JobId second = submitAfter(party, Dependency::Kind::Ok, first);
        party.settle(1min);
        QVERIFY(refused > 3);
        QVERIFY(master.leads());
        party.end(first, 0);
        party.settle(10s);
        QCOMPARE(party.stateOf(second), JobState::Waiting);
        denied = false;
        party.settle(10s);
        QCOMPARE(party.stateOf(second), JobState::Ready);
    }

    void anArrayThatMovesIsFollowed()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        spec.heldBy = QStringLiteral("somebody");
        const JobId array = party.submit(spec);
        const JobId begun = submitAfter(party, Dependency::Kind::Begun, array);
        party.settle(2s);
        party.run(setPriority(party[0], party.layout, array, 2));
        party.settle(2s);
        QCOMPARE(party.stateOf(begun), JobState::Waiting);
        party.run(release(party[0], party.layout, array));
        party.settle(2s);
        QCOMPARE(party.stateOf(begun), JobState::Ready);
    }

    // From queue to queue, also before anybody waits for it.
    void aJobThatMovesToAnotherQueueIsFollowed()
    {
        WorkerParty party(2);
        party.run(ensureCluster(party[0], party.layout, {"other", "third"}));
        const Leading master(party, 1);
        const JobId first = party.submit();
        const JobId ok = submitAfter(party, Dependency::Kind::Ok, first);
        const JobId failed = submitAfter(party, Dependency::Kind::Failed, first);
        const JobId any = submitAfter(party, Dependency::Kind::Any, first);
        party.settle(2s);
        const Change second = party.run(moveToQueue(party[0], party.layout, first, "other", {}));
        party.settle(2s);
        const Change third = party.run(moveToQueue(party[0], party.layout, second.id, "third", {}));
        const JobId late = submitAfter(party, Dependency::Kind::Ok, first);
        party.settle(10s);
        for (const JobId &id : {ok, failed, any, late})
            QCOMPARE(party.stateOf(id), JobState::Waiting);
        party.end(third.id, 0);
        party.settle(2s);
        for (const JobId &id : {ok, any, late})
            QCOMPARE(party.stateOf(id), JobState::Ready);
        QCOMPARE(party.stateOf(failed), JobState::Cancelled);
    }

    void aChainGoesOnThroughCancelledLinks()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId first = party.submit();
        const JobId second = submitAfter(party, Dependency::Kind::Ok, first);
        const JobId third = submitAfter(party, Dependency::Kind::Ok, second);
        const JobId cleanUp = submitAfter(party, Dependency::Kind::Any, second);
        party.settle(1s);
        party.end(first, 1);
        party.settle(1s);
        QCOMPARE(party.stateOf(second), JobState::Cancelled);
        QCOMPARE(party.stateOf(third), JobState::Cancelled);
        QCOMPARE(party.stateOf(cleanUp), JobState::Ready);
    }

    void whatNobodyKnowsAnyMoreHasEnded()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId any = submitAfter(party, Dependency::Kind::Any, {"default", 4711});
        const JobId ok = submitAfter(party, Dependency::Kind::Ok, {"default", 4711});
        party.settle(1s);
        QCOMPARE(party.stateOf(any), JobState::Ready);
        QCOMPARE(party.stateOf(ok), JobState::Cancelled); // no history could know more
    }

    void aJobThatWasCancelledIsLeftAlone()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId id = party.submit(spec);
        const JobId other = party.submit(spec);
        party.settle(1s);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled);
        party.settle(20s);
        QCOMPARE(party.stateOf(id), JobState::Cancelled);
        QCOMPARE(party.stateOf(other), JobState::Ready); // though they shared a transaction that was refused
    }

    void anArrayGoesToThoseThatAreUnfolded()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId id = party.submit(arrayIn10s(party));
        party.settle(9s);
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList{"w5-0000000000"});
        QCOMPARE(party.stateOf(id), JobState::Waiting);
        party.settle(2s);
        QVERIFY(!party.childrenOf(party.layout.queue("default")).contains("w5-0000000000"));
    }

    // Found by the schedules: the master forgot it, for its node had changed, and nobody listed it again.
    void anArrayOfWhichTasksWereCancelledWhileItWaitsGoesOn()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId id = party.submit(arrayIn10s(party));
        party.settle(1s);
        QCOMPARE(party.run(cancelUnfoldedLater(party[0], party.layout, id, 1, 2)), 2);
        party.settle(20s);
        QVERIFY(party.childrenOf(party.layout.queue("default")).contains("q5-0000000000.3"));
    }

    void whoseNoteToTheMasterWasDeletedGoesOn()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        party.submit(arrayIn10s(party));
        party.settle(1s);
        const zk::Path note = party.layout.waiting("default");
        party.commit(zk::Transaction().remove(note));
        party.settle(20s);
        QVERIFY(party.childrenOf(party.layout.queue("default")).contains("q5-0000000000.3"));
    }

    void theNextMasterDoesWithoutTheNotes()
    {
        WorkerParty party(2);
        party.submit(arrayIn10s(party));
        const zk::Path note = party.layout.waiting("default");
        party.commit(zk::Transaction().remove(note));
        const Leading master(party, 1);
        party.settle(20s);
        QVERIFY(party.childrenOf(party.layout.queue("default")).contains("q5-0000000000.3"));
    }

    // What waits is in its node: whoever leads next goes on with it.
    void theNextMasterGoesOn()
    {
        WorkerParty party(3);
        auto first = std::make_unique<Leading>(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId timed = party.submit(spec);
        const JobId on = party.submit();
        const JobId dependent = submitAfter(party, Dependency::Kind::Ok, on);
        party.settle(1s);
        const Leading second(party, 2);
        first.reset();
        party.settle(12s);
        QVERIFY(second.leads());
        QCOMPARE(party.stateOf(timed), JobState::Ready);
        party.end(on, 0);
        QCOMPARE(party.stateOf(dependent), JobState::Ready);
    }

    // Plain jobs are none of the master's business: they cost it nothing.
    void plainJobsDoNotWakeIt()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        party.settle(5s);
        const quint64 before = party[1].counters().watchEvents;
        for (int i = 0; i < 20; ++i)
            party.end(party.submit(), 0);
        party.settle(1s);
        QCOMPARE(party[1].counters().watchEvents, before);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 1h;
        party.submit(spec);
        party.settle(1s);
        QCOMPARE(party[1].counters().watchEvents, before + 1);
    }
};

QTEST_GUILESS_MAIN(PromoterTest)
#include "promoter_test.moc"
