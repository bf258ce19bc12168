#include "jobs/cancel.h"
#include "jobs/control.h"
#include "jobs/move.h"
#include "workers/master.h"
#include "workers/worker_party.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using workers::Master;
using namespace std::chrono_literals;

namespace {

class Leading
{
public:
    Leading(WorkerParty &party, int who) : m_master(party[who], party.layout, WorkerParty::nameOf(who))
    {
        m_running.spawn(m_master.run());
        party.settle(2s);
    }

    bool leads() const { return m_master.leads(); }

private:
    Master m_master;
    async::TaskGroup m_running{[](const std::exception_ptr &) {}};
};

JobId submit(WorkerParty &party, const JobSpec &spec)
{
    Submitter submitter(party[0], party.layout, {});
    return party.run(submitter.submit(spec));
}

JobId submitAfter(WorkerParty &party, Dependency::Kind kind, const JobId &on)
{
    JobSpec spec = JobParty::spec();
    spec.after = {{kind, on}};
    return submit(party, spec);
}

JobId submitNamed(WorkerParty &party, const char *name, bool singleton)
{
    JobSpec spec = JobParty::spec();
    spec.name = QLatin1String(name);
    spec.singleton = singleton;
    return submit(party, spec);
}

JobState stateOf(WorkerParty &party, const JobId &id)
{
    return party.run(lookUp(party[0], party.layout, id)).state;
}

void end(WorkerParty &party, const JobId &id, int code)
{
    FinalRecord record = FinalRecord::of(id, JobParty::spec());
    record.code = code;
    party.end(id, record);
    party.settle();
}

} // namespace

class PromoterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void aJobWaitsForItsTime()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 10min;
        const JobId id = submit(party, spec);
        party.settle(10min - 1s);
        QCOMPARE(stateOf(party, id), JobState::Waiting);
        QVERIFY(party.ready().empty());
        party.settle(2s);
        QCOMPARE(stateOf(party, id), JobState::Ready);
        QCOMPARE(party.node(party.pathOf(id)).stat.version, 0);
        QVERIFY(!JobSpec::decode(party.node(party.pathOf(id)).data, "default", 5).waits());
    }

    void theTimeOfDayMayBeSet()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 24h;
        const JobId id = submit(party, spec);
        party.settle(5s);
        party.world.setWallClock(spec.notBefore);
        party.settle(2s);
        QCOMPARE(stateOf(party, id), JobState::Ready);
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
        QCOMPARE(stateOf(party, second), JobState::Waiting);
        end(party, first, code);
        QCOMPARE(stateOf(party, second), static_cast<JobState>(state));
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
        QCOMPARE(stateOf(party, begun), JobState::Ready);
        QCOMPARE(stateOf(party, ended), JobState::Waiting);
    }

    // Nobody claims an array: it has begun when a task of it has come into the queue.
    void aJobWaitsForTheBeginningOfAnArray()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.array = ArrayRange{1, 3, 1, 0};
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId array = submit(party, spec);
        const JobId begun = submitAfter(party, Dependency::Kind::Begun, array);
        const JobId ended = submitAfter(party, Dependency::Kind::Any, array);
        party.settle(9s);
        QCOMPARE(stateOf(party, begun), JobState::Waiting);
        party.settle(3s);
        QCOMPARE(stateOf(party, array), JobState::Running);
        QCOMPARE(stateOf(party, begun), JobState::Ready);
        QCOMPARE(stateOf(party, ended), JobState::Waiting);
        const JobId late = submitAfter(party, Dependency::Kind::Begun, array);
        party.settle(2s);
        QCOMPARE(stateOf(party, late), JobState::Ready);
    }

    void anArrayThatMovesIsFollowed()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.array = ArrayRange{1, 3, 1, 0};
        spec.heldBy = QStringLiteral("somebody");
        const JobId array = submit(party, spec);
        const JobId begun = submitAfter(party, Dependency::Kind::Begun, array);
        party.settle(2s);
        party.run(setPriority(party[0], party.layout, array, 2));
        party.settle(2s);
        QCOMPARE(stateOf(party, begun), JobState::Waiting);
        party.run(release(party[0], party.layout, array));
        party.settle(2s);
        QCOMPARE(stateOf(party, begun), JobState::Ready);
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
        end(party, first, 1);
        party.settle(1s);
        QCOMPARE(stateOf(party, second), JobState::Cancelled);
        QCOMPARE(stateOf(party, third), JobState::Cancelled);
        QCOMPARE(stateOf(party, cleanUp), JobState::Ready);
    }

    void whatNobodyKnowsAnyMoreHasEnded()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId any = submitAfter(party, Dependency::Kind::Any, {"default", 4711});
        const JobId ok = submitAfter(party, Dependency::Kind::Ok, {"default", 4711});
        party.settle(1s);
        QCOMPARE(stateOf(party, any), JobState::Ready);
        QCOMPARE(stateOf(party, ok), JobState::Cancelled);
    }

    void aJobThatWasCancelledIsLeftAlone()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId id = submit(party, spec);
        const JobId other = submit(party, spec);
        party.settle(1s);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled);
        party.settle(20s);
        QCOMPARE(stateOf(party, id), JobState::Cancelled);
        QCOMPARE(stateOf(party, other), JobState::Ready); // though they shared a transaction that was refused
    }

    void anArrayGoesToThoseThatAreUnfolded()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.array = ArrayRange{1, 3, 1, 0};
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId id = submit(party, spec);
        party.settle(9s);
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList{"w5-0000000000"});
        QCOMPARE(stateOf(party, id), JobState::Waiting);
        party.settle(2s);
        QVERIFY(!party.childrenOf(party.layout.queue("default")).contains("w5-0000000000"));
    }

    void aSingletonWaitsForAllBeforeItOfItsName()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId first = submitNamed(party, "nightly", false);
        const JobId other = submitNamed(party, "other", true);
        const JobId second = submitNamed(party, "nightly", false);
        const JobId third = submitNamed(party, "nightly", true);
        const JobId fourth = submitNamed(party, "nightly", true);
        const JobId later = submitNamed(party, "nightly", false);
        party.settle(1s);
        QCOMPARE(stateOf(party, other), JobState::Ready);
        QCOMPARE(stateOf(party, later), JobState::Ready);
        end(party, second, 1);
        QCOMPARE(stateOf(party, third), JobState::Waiting);
        end(party, first, 0);
        QCOMPARE(stateOf(party, third), JobState::Ready);
        QVERIFY(!JobSpec::decode(party.node(party.pathOf(third)).data, "default", 5).waits());
        party.settle(1s);
        QCOMPARE(stateOf(party, fourth), JobState::Waiting);
        end(party, third, 0);
        QCOMPARE(stateOf(party, fourth), JobState::Ready);
    }

    void whatIsRetriedHeldOrAnArrayHasNotEnded()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec array = JobParty::spec();
        array.name = QStringLiteral("nightly");
        array.array = ArrayRange{1, 2, 1, 0};
        const JobId tasks = submit(party, array);
        const JobId retried = submitNamed(party, "nightly", false);
        const JobId held = submitNamed(party, "nightly", false);
        const JobId singleton = submitNamed(party, "nightly", true);
        party.run(hold(party[0], party.layout, held, QStringLiteral("me@here")));
        party.settle(1s);

        workers::ClaimedJob claimed;
        for (const workers::ClaimedJob &job : party.claimReady(0).jobs)
            claimed = job.id == retried ? job : claimed;
        QCOMPARE(claimed.id, retried);
        QueueEntry later = claimed.entry;
        later.jobClass = QueueEntry::Class::Waiting;
        zk::Transaction retry;
        move(retry, party.layout, "default", claimed.entry, later, 1,
             JobSpec::countFailed(claimed.stored, party.world.wallClock() + 3s))
            .remove(party.layout.claim(retried));
        party.commit(retry);
        party.settle(10s);
        QCOMPARE(stateOf(party, retried), JobState::Ready);
        QCOMPARE(stateOf(party, singleton), JobState::Waiting);

        end(party, retried, 0);
        QCOMPARE(stateOf(party, singleton), JobState::Waiting);
        party.run(cancel(party[0], party.layout, held));
        party.settle(1s);
        QCOMPARE(stateOf(party, singleton), JobState::Waiting);
        for (const qint32 index : {1, 2}) {
            const JobId task{"default", tasks.number, index};
            party.commit(zk::Transaction()
                             .remove(party.layout.job("default", {QueueEntry::Class::Ready, 5, task.number, index}))
                             .create(party.layout.done(task), FinalRecord::of(task, array).encode())
                             .remove(party.layout.claim(task)));
        }
        party.settle(3s);
        QCOMPARE(stateOf(party, tasks), JobState::Succeeded);
        QCOMPARE(stateOf(party, singleton), JobState::Ready);
    }

    void aCancelledSingletonLetsTheNextWaitForTheOthers()
    {
        WorkerParty party(2);
        party.run(ensureCluster(party[0], party.layout, {"default", "other"}));
        const JobId first = submitNamed(party, "nightly", false);
        const JobId second = submitNamed(party, "nightly", true);
        const JobId third = submitNamed(party, "nightly", true);
        const JobId fourth = submitNamed(party, "nightly", true);
        const Leading master(party, 1); // finds them all at once
        party.settle(1s);
        party.run(cancel(party[0], party.layout, third));
        party.settle(1s);
        QCOMPARE(stateOf(party, fourth), JobState::Waiting);
        party.run(cancel(party[0], party.layout, second));
        party.settle(1s);
        QCOMPARE(stateOf(party, fourth), JobState::Waiting);
        party.run(moveToQueue(party[0], party.layout, first, "other", {}));
        party.settle(1s);
        QCOMPARE(stateOf(party, fourth), JobState::Ready);
    }

    void aRowOfSingletonsIsAChain()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId first = submitNamed(party, "nightly", false);
        std::vector<JobId> chain;
        for (int i = 0; i < 20; ++i)
            chain.push_back(submitNamed(party, "nightly", true));
        party.settle(5s);
        const quint64 before = party[1].counters().requests;
        party.settle(60s);
        const quint64 idle = party[1].counters().requests - before;
        QVERIFY2(idle <= 60 * 8, qPrintable(QString::number(idle))); // its statistics alone
        end(party, first, 0);
        for (std::size_t i = 0; i < chain.size(); ++i) {
            QCOMPARE(stateOf(party, chain[i]), JobState::Ready);
            if (i + 1 < chain.size())
                QCOMPARE(stateOf(party, chain[i + 1]), JobState::Waiting);
            end(party, chain[i], 0);
        }
    }

    // What waits is in its node: whoever leads next goes on with it.
    void theNextMasterGoesOn()
    {
        WorkerParty party(3);
        auto first = std::make_unique<Leading>(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId timed = submit(party, spec);
        const JobId on = party.submit();
        const JobId dependent = submitAfter(party, Dependency::Kind::Ok, on);
        party.settle(1s);
        const Leading second(party, 2);
        first.reset();
        party.settle(12s);
        QVERIFY(second.leads());
        QCOMPARE(stateOf(party, timed), JobState::Ready);
        end(party, on, 0);
        QCOMPARE(stateOf(party, dependent), JobState::Ready);
    }

    // Plain jobs are none of the master's business: they cost it nothing.
    void plainJobsDoNotWakeIt()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        party.settle(5s);
        const quint64 before = party[1].counters().watchEvents;
        for (int i = 0; i < 20; ++i)
            end(party, party.submit(), 0);
        party.settle(1s);
        QCOMPARE(party[1].counters().watchEvents, before);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 1h;
        submit(party, spec);
        party.settle(1s);
        QCOMPARE(party[1].counters().watchEvents, before + 1);
    }

    // Once a second it looks at the clock; otherwise it sleeps, whatever the number of those that wait.
    void manyThatWaitCostNothingWhileTheyWait()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 1h;
        for (int i = 0; i < 300; ++i)
            submit(party, spec);
        party.settle(5s);
        const quint64 before = party[1].counters().requests;
        party.settle(60s);
        const quint64 idle = party[1].counters().requests - before;
        QVERIFY2(idle <= 60 * 8, qPrintable(QString::number(idle))); // its statistics alone
        party.settle(1h);
        QCOMPARE(party.ready().size(), 300u);
    }
};

QTEST_GUILESS_MAIN(PromoterTest)
#include "promoter_test.moc"
