#include "core/jobs/job_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "support/fake/fault_injector.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const QString Me = QStringLiteral("me@here");

using Act = std::function<async::Task<JobChange>(zk::Client &zk, Layout layout, JobId id)>;

async::Task<JobChange> moveToOther(zk::Client &zk, Layout layout, JobId id)
{
    return moveToQueue(Cluster(zk, layout), id, "other", {});
}

class ControlCluster : public JobCluster
{
public:
    using JobCluster::JobCluster;

    void makeOther() { run(ensureCluster(Cluster((*this)[0], layout), QByteArrayList(1, "other"))); }
    // As a worker claims what is to wait there.
    void claimPending(const JobId &id)
    {
        const FakeTree::Znode &job = node(pathOf(id));
        Claim pending{QStringLiteral("w"), {job.stat.version + 1, 0}, pathOf(id).name()};
        pending.pending = true;
        commit(zk::Transaction()
                   .set(pathOf(id), noted(job.data, &JobNotes::countPending), job.stat.version)
                   .create(layout.claim(id), pending.encode(), zk::CreateMode::Ephemeral));
    }
    JobId submitSpec(const JobSpec &spec)
    {
        Submitter submitter(Cluster((*this)[0], layout), {});
        return run(submitter.submit(spec));
    }
};

} // namespace

class ControlTest : public QObject
{
    Q_OBJECT

    // Does `act` with each of its requests, and each reply, lost once; `check` looks at what has come of it.
    template <typename Prepare, typename Check>
    static void withEveryLoss(const Prepare &prepare, const Act &act, const Check &check)
    {
        int bitten = 0;
        for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply, Fault::LateCommit}) {
            for (quint64 operation = 1;; ++operation) {
                FaultPlan plan;
                plan.behind = 1; // the next server
                plan.longestLag = 4s;
                plan.scripted[operation] = fault;
                FaultInjector faults(plan);
                ControlCluster fake(2, {.faults = &faults});
                fake.makeOther();
                const JobId id = fake.submit();
                prepare(fake, id);
                fake.run(fake[1].ensurePath(fake.layout.done())); // it has seen what was before
                const JobChange change = fake.run(act(fake[1], fake.layout, id));
                if (faults.log().count(fault) == 0)
                    break;
                ++bitten;
                check(fake, id, change);
                QVERIFY2(!QTest::currentTestFailed(), name(fault));
            }
        }
        QVERIFY(bitten >= 2 * 7); // a look at a job alone is 6 requests
    }

private Q_SLOTS:
    void noWorkerClaimsAHeldJob()
    {
        ControlCluster fake;
        const JobId id = fake.submit();
        const JobChange change = fake.run(hold(fake.cluster(), id, Me));
        QCOMPARE(change.from, JobState::Ready);
        QCOMPARE(change.to, JobState::Held);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList{"h5-0000000000"});
        QCOMPARE(fake.view(id).spec->notes.heldBy, Me);
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(hold(fake.cluster(), id, Me)));

        QCOMPARE(fake.run(release(fake.cluster(), id)).to, JobState::Ready);
        QCOMPARE(fake.view(id).state, JobState::Ready);
        QVERIFY(fake.view(id).spec->notes.heldBy.isEmpty());
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(release(fake.cluster(), id)));
    }

    void aReleasedJobStillWaitsForWhatItWaitedFor()
    {
        ControlCluster fake;
        JobSpec spec = JobCluster::spec();
        spec.after.push_back({Dependency::Kind::Ok, {"default", 7}});
        spec.notes.heldBy = Me;
        const JobId id = fake.submitSpec(spec);
        const qint32 told = fake.node(fake.layout.waiting("default")).stat.version;
        QCOMPARE(fake.view(id).state, JobState::Held);
        QCOMPARE(fake.run(release(fake.cluster(), id)).to, JobState::Waiting);
        QCOMPARE(fake.view(id).entry->jobClass, QueueEntry::Class::Waiting);
        QVERIFY(fake.node(fake.layout.waiting("default")).stat.version > told);
    }

    // A zombie of an earlier claim must fail at the new node as it would have at the old one.
    void theVersionGoesOnCountingClaims()
    {
        ControlCluster fake;
        const JobId id = fake.submit();
        fake.claim(id, 0);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        fake.run(hold(fake.cluster(), id, Me));
        QCOMPARE(fake.view(id).version, 1);
        QCOMPARE(fake.view(id).attempts, 1);
        fake.run(setPriority(fake.cluster(), id, 2));
        fake.run(release(fake.cluster(), id));
        QCOMPARE(fake.view(id).version, 1);
        QCOMPARE(fake.view(id).entry->name(), QByteArray("q2-0000000000"));
    }

    void anArraysVersionCountsNothing()
    {
        ControlCluster fake;
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{1, 9, 1, 0};
        const JobId id = fake.submitSpec(spec);
        const zk::Path path = fake.layout.job("default", {QueueEntry::Class::Array, 5, 0});
        ArrayProgress progress;
        progress.expand(3, spec.array->count());
        const QByteArray begun = progress.mergedInto(fake.node(path).data);
        for (int i = 0; i < 300; ++i)
            fake.write(path, begun);
        fake.makeOther();
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(moveToOther(fake[0], fake.layout, id))); // it has begun
        QCOMPARE(fake.run(hold(fake.cluster(), id, Me)).to, JobState::Held);
        fake.run(setPriority(fake.cluster(), id, 1));
        QCOMPARE(fake.view(id).state, JobState::Held);
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(moveToOther(fake[0], fake.layout, id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(requeue(fake.cluster(), id)));
        QCOMPARE(fake.run(release(fake.cluster(), id)).to, JobState::Running);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList{"a1-0000000000"});
        QCOMPARE(fake.view(id).progress, progress);
    }

    void theSamePriorityIsDoneAlready()
    {
        ControlCluster fake;
        const JobId id = fake.submit();
        QCOMPARE(fake.run(setPriority(fake.cluster(), id, 5)).to, JobState::Ready);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList{"q5-0000000000"});
    }

    void aMovedJobIsAnotherJob()
    {
        ControlCluster fake;
        fake.makeOther();
        const JobId id = fake.submit();
        fake.claim(id, 0);
        fake.commit(zk::Transaction()
                        .set(fake.pathOf(id), noted(fake.node(fake.pathOf(id)).data, &JobNotes::countReturned), 1)
                        .remove(fake.layout.claim(id)));
        const JobChange change = fake.run(moveToOther(fake[0], fake.layout, id));
        QCOMPARE(change.id.toString(), QStringLiteral("other-0"));
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(fake.recordOf(id).reason.contains(QStringLiteral("other")));
        const JobView moved = fake.view(change.id);
        QCOMPARE(moved.attempts, 0);
        QCOMPARE(moved.spec->command, JobCluster::spec().command);
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(moveToOther(fake[0], fake.layout, change.id)));
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(moveToQueue(fake.cluster(), change.id, "nowhere", {})));
        ClusterConfig full;
        full.queueLimit = 1;
        const JobId second = fake.submit();
        QVERIFY_THROWS_EXCEPTION(QueueFull, fake.run(moveToQueue(fake.cluster(), second, "other", full)));
        QCOMPARE(fake.view(second).state, JobState::Ready);
    }

    void aRunningJobIsAskedForWhatItCanDo()
    {
        ControlCluster fake;
        fake.makeOther();
        const JobId id = fake.submit();
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(requeue(fake.cluster(), id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(sendSignal(fake.cluster(), id, 10)));
        fake.claim(id, 0);
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(hold(fake.cluster(), id, Me)));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(release(fake.cluster(), id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(setPriority(fake.cluster(), id, 1)));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(moveToOther(fake[0], fake.layout, id)));
        QCOMPARE(fake.run(requeue(fake.cluster(), id)).from, JobState::Running);
        QVERIFY(fake.claimOf(id).requeue);
        fake.run(requeue(fake.cluster(), id)); // asked already: nothing is set
        QCOMPARE(fake.node(fake.layout.claim(id)).stat.version, 1);
        QCOMPARE(fake.view(id).version, 1); // no request counts as a claim
    }

    // Found by a reviewer: it was said to run, and to requeue it was of no use.
    void aJobThatWaitsAtItsWorkerIsTakenFromThere()
    {
        const std::vector<Act> acts{
            [](auto &zk, auto layout, auto id) { return hold(Cluster(zk, layout), id, Me); },
            [](auto &zk, auto layout, auto id) { return setPriority(Cluster(zk, layout), id, 1); }, moveToOther};
        for (const Act &act : acts) {
            ControlCluster fake;
            fake.makeOther();
            const JobId id = fake.submit();
            fake.claimPending(id);
            const JobChange change = fake.run(act(fake[0], fake.layout, id));
            QCOMPARE(change.from, JobState::Ready);
            QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
            QVERIFY(!fake.exists(fake.pathOf(id)));
            QCOMPARE(fake.view(change.id).state, change.to);
            QCOMPARE(fake.view(change.id).attempts, 0);
        }
    }

    // The claim is deleted at the version that was read.
    void aJobThatBeganMeanwhileStays()
    {
        for (int after = 0; after <= 14; ++after) {
            ControlCluster fake(2, {.latency = 5ms});
            const JobId id = fake.submit();
            fake.claimPending(id);
            std::optional<bool> done;
            async::TaskGroup acting([](const std::exception_ptr &) {});
            const auto run = [&]() -> async::Task<void> {
                try {
                    co_await hold(fake.cluster(1), id, Me);
                    done = true;
                } catch (const WrongState &) {
                    done = false;
                }
            };
            acting.spawn(run());
            fake.settle(std::chrono::milliseconds(after * 5) + 1ms);
            const bool there = fake.exists(fake.layout.claim(id));
            if (there) {
                Claim begun = fake.claimOf(id);
                begun.pending = false;
                fake.commit(
                    zk::Transaction()
                        .set(fake.pathOf(id),
                             noted(fake.node(fake.pathOf(id)).data, [](JobNotes &notes) { notes.lastStarted = 1; }), 1)
                        .set(fake.layout.claim(id), begun.encode(), 0));
            }
            fake.settle(1s);
            QVERIFY(done);
            QCOMPARE(*done, !there);
            QCOMPARE(fake.exists(fake.layout.claim(id)), there);
        }
    }

    void endedAndEndingJobsStay()
    {
        ControlCluster fake;
        fake.makeOther();
        const JobId ended = fake.submit();
        fake.run(cancel(fake.cluster(), ended));
        const JobId ending = fake.submit();
        fake.claim(ending, 0);
        fake.run(cancel(fake.cluster(), ending));
        const JobId malformed = fake.submit();
        fake.write(fake.pathOf(malformed), "nonsense");
        const std::vector<Act> all{
            [](auto &zk, auto layout, auto id) { return hold(Cluster(zk, layout), id, Me); },
            [](auto &zk, auto layout, auto id) { return release(Cluster(zk, layout), id); },
            [](auto &zk, auto layout, auto id) { return setPriority(Cluster(zk, layout), id, 1); },
            [](auto &zk, auto layout, auto id) { return requeue(Cluster(zk, layout), id); },
            [](auto &zk, auto layout, auto id) { return sendSignal(Cluster(zk, layout), id, 1); },
            moveToOther,
        };
        for (const Act &act : all) {
            for (const JobId &id : {ended, ending, malformed})
                QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(act(fake[0], fake.layout, id)));
            QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(act(fake[0], fake.layout, {"default", 99})));
        }
    }

    void signalsAreKeptInOrder()
    {
        ControlCluster fake;
        const JobId id = fake.submit();
        fake.claim(id, 0);
        for (int number = 1; number <= Claim::KeptSignals + 4; ++number)
            fake.run(sendSignal(fake.cluster(), id, number));
        const Claim claim = fake.claimOf(id);
        QCOMPARE(claim.signalCount, Claim::KeptSignals + 4);
        QCOMPARE(int(claim.latestSignals.size()), Claim::KeptSignals);
        QCOMPARE(claim.latestSignals.front().number, 5);
        QCOMPARE(claim.latestSignals.back().number, Claim::KeptSignals + 4);
    }

    void aLostReplyDoesNothingTwice()
    {
        const auto nothing = [](ControlCluster &, const JobId &) {};
        const auto claimed = [](ControlCluster &fake, const JobId &id) { fake.claim(id, 0); };
        const auto pending = [](ControlCluster &fake, const JobId &id) { fake.claimPending(id); };
        const auto held = [](ControlCluster &fake, const JobId &id) { fake.run(hold(fake.cluster(), id, Me)); };

        withEveryLoss(
            nothing, [](auto &zk, auto layout, auto id) { return hold(Cluster(zk, layout), id, Me); },
            [](ControlCluster &fake, const JobId &id, const JobChange &change) {
                QCOMPARE(change.from, JobState::Ready);
                QCOMPARE(fake.view(id).state, JobState::Held);
            });
        withEveryLoss(
            pending, [](auto &zk, auto layout, auto id) { return hold(Cluster(zk, layout), id, Me); },
            [](ControlCluster &fake, const JobId &id, const JobChange &change) {
                QCOMPARE(change.from, JobState::Ready);
                QCOMPARE(fake.view(id).state, JobState::Held);
                QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
            });
        withEveryLoss(
            held, [](auto &zk, auto layout, auto id) { return release(Cluster(zk, layout), id); },
            [](ControlCluster &fake, const JobId &id, const JobChange &change) {
                QCOMPARE(change.from, JobState::Held);
                QCOMPARE(fake.view(id).state, JobState::Ready);
            });
        withEveryLoss(
            nothing, [](auto &zk, auto layout, auto id) { return setPriority(Cluster(zk, layout), id, 0); },
            [](ControlCluster &fake, const JobId &id, const JobChange &) {
                QCOMPARE(fake.view(id).entry->priority, 0);
            });
        withEveryLoss(
            claimed, [](auto &zk, auto layout, auto id) { return sendSignal(Cluster(zk, layout), id, 10); },
            [](ControlCluster &fake, const JobId &id, const JobChange &) {
                QCOMPARE(fake.claimOf(id).signalCount, 1);
            });
        withEveryLoss(
            claimed, [](auto &zk, auto layout, auto id) { return requeue(Cluster(zk, layout), id); },
            [](ControlCluster &fake, const JobId &id, const JobChange &) {
                QCOMPARE(fake.node(fake.layout.claim(id)).stat.version, 1);
            });
        withEveryLoss(nothing, moveToOther, [](ControlCluster &fake, const JobId &id, const JobChange &change) {
            QCOMPARE(fake.recordOf(id).movedTo, change.id);
            QCOMPARE(fake.stateOf(change.id), JobState::Ready);
            fake.settle(10s); // a number that was reserved in vain is given up
            QCOMPARE(fake.childrenOf(fake.layout.queue("other")).size(), 1);
            QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
            QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        });
    }

    // A claim or a cancel comes at every moment of a hold, a move and a change of priority. One of the two wins.
    void racesHaveOneWinner()
    {
        const std::vector<Act> acts{
            [](auto &zk, auto layout, auto id) { return hold(Cluster(zk, layout), id, Me); },
            [](auto &zk, auto layout, auto id) { return setPriority(Cluster(zk, layout), id, 1); }, moveToOther};
        for (const Act &act : acts) {
            for (const bool claims : {true, false}) {
                int won = 0;
                int lost = 0;
                for (int after = 0; after <= 14; ++after) {
                    ControlCluster fake(2, {.latency = 5ms});
                    fake.makeOther();
                    const JobId id = fake.submit();
                    std::optional<bool> done;
                    async::TaskGroup acting([](const std::exception_ptr &) {});
                    const auto run = [&]() -> async::Task<void> {
                        try {
                            co_await act(fake[1], fake.layout, id);
                            done = true;
                        } catch (const WrongState &) {
                            done = false;
                        }
                    };
                    acting.spawn(run());
                    fake.settle(std::chrono::milliseconds(after * 5) + 1ms);
                    const bool there = fake.exists(fake.pathOf(id));
                    if (there && claims)
                        fake.claim(id, 0);
                    else if (there)
                        fake.run(cancel(fake.cluster(), id));
                    fake.settle(1s);
                    QVERIFY(done);
                    QCOMPARE(*done, !there);
                    ++(*done ? won : lost);
                    const auto entries = fake.childrenOf(fake.layout.queue("default"));
                    const auto claimed = fake.childrenOf(fake.layout.claims());
                    QCOMPARE(claimed.size(), there && claims ? 1 : 0);
                    QVERIFY(entries.size() + fake.childrenOf(fake.layout.queue("other")).size() <= 1);
                }
                QVERIFY(won > 0 && lost > 0);
            }
        }
    }
};

QTEST_GUILESS_MAIN(ControlTest)
#include "job_control_test.moc"
