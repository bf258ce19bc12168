#include "jobs/cancel.h"
#include "jobs/control.h"
#include "jobs/move.h"
#include "workers/candidate.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

JobId submitNamed(WorkerParty &party, const char *name, bool singleton)
{
    JobSpec spec = JobParty::spec();
    spec.name = QLatin1String(name);
    spec.singleton = singleton;
    return party.submit(spec);
}

} // namespace

// Jobs that wait for all earlier ones of their name.
class SingletonTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

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
        QCOMPARE(party.stateOf(other), JobState::Ready);
        QCOMPARE(party.stateOf(later), JobState::Ready);
        party.end(second, 1);
        QCOMPARE(party.stateOf(third), JobState::Waiting);
        party.end(first, 0);
        QCOMPARE(party.stateOf(third), JobState::Ready);
        QVERIFY(!JobSpec::decode(party.node(party.pathOf(third)).data, "default", 5).waits());
        party.settle(1s);
        QCOMPARE(party.stateOf(fourth), JobState::Waiting);
        party.end(third, 0);
        QCOMPARE(party.stateOf(fourth), JobState::Ready);
    }

    void whatIsRetriedHeldOrAnArrayHasNotEnded()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec array = JobParty::spec();
        array.name = QStringLiteral("nightly");
        array.array = ArrayIndices{1, 2, 1, 0};
        const JobId tasks = party.submit(array);
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
             JobSpec::countFailed(claimed.stored, party.world.wallClock() + 3s, 1))
            .remove(party.layout.claim(retried));
        party.commit(retry);
        party.settle(10s);
        QCOMPARE(party.stateOf(retried), JobState::Ready);
        QCOMPARE(party.stateOf(singleton), JobState::Waiting);

        party.end(retried, 0);
        QCOMPARE(party.stateOf(singleton), JobState::Waiting);
        party.run(cancel(party[0], party.layout, held));
        party.settle(1s);
        QCOMPARE(party.stateOf(singleton), JobState::Waiting);
        for (const qint32 index : {1, 2}) {
            const JobId task{"default", tasks.number, index};
            party.commit(zk::Transaction()
                             .remove(party.layout.job("default", {QueueEntry::Class::Ready, 5, task.number, index}))
                             .create(party.layout.done(task), FinalRecord::of(task, array).encode())
                             .remove(party.layout.claim(task)));
        }
        party.settle(3s);
        QCOMPARE(party.stateOf(tasks), JobState::Succeeded);
        QCOMPARE(party.stateOf(singleton), JobState::Ready);
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
        QCOMPARE(party.stateOf(fourth), JobState::Waiting);
        party.run(cancel(party[0], party.layout, second));
        party.settle(1s);
        QCOMPARE(party.stateOf(fourth), JobState::Waiting);
        party.run(moveToQueue(party[0], party.layout, first, "other", {}));
        party.settle(1s);
        QCOMPARE(party.stateOf(fourth), JobState::Ready);
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
        party.end(first, 0);
        for (std::size_t i = 0; i < chain.size(); ++i) {
            QCOMPARE(party.stateOf(chain[i]), JobState::Ready);
            if (i + 1 < chain.size())
                QCOMPARE(party.stateOf(chain[i + 1]), JobState::Waiting);
            party.end(chain[i], 0);
        }
    }
};

QTEST_GUILESS_MAIN(SingletonTest)
#include "singleton_test.moc"
