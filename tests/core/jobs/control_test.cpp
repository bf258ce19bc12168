#include "core/jobs/job_party.h"
#include "jobs/cancel.h"
#include "jobs/control.h"
#include "support/fault_injector.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const QString Me = QStringLiteral("me@here");

using Act = std::function<async::Task<Change>(zk::Coordinator &zk, Layout layout, JobId id)>;

async::Task<Change> moveToOther(zk::Coordinator &zk, Layout layout, JobId id)
{
    return moveToQueue(zk, layout, id, "other", {});
}

class ControlParty : public JobParty
{
public:
    using JobParty::JobParty;

    void makeOther() { run(ensureCluster((*this)[0], layout, QByteArrayList(1, "other"))); }
    // As a worker claims what is to wait there.
    void claimPending(const JobId &id)
    {
        const FakeTree::Znode &job = node(pathOf(id));
        Claim pending{QStringLiteral("w"), job.stat.version + 1, pathOf(id).name()};
        pending.pending = true;
        commit(zk::Transaction()
                   .set(pathOf(id), JobSpec::countPending(job.data), job.stat.version)
                   .create(layout.claim(id), pending.encode(), zk::CreateMode::Ephemeral));
    }
    JobId submitSpec(const JobSpec &spec)
    {
        Submitter submitter((*this)[0], layout, {});
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
        for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply}) {
            for (quint64 operation = 1;; ++operation) {
                FaultPlan plan;
                plan.scripted[operation] = fault;
                FaultInjector faults(plan);
                ControlParty party(2, {.faults = &faults});
                party.makeOther();
                const JobId id = party.submit();
                prepare(party, id);
                const Change change = party.run(act(party[1], party.layout, id));
                if (faults.log().count(fault) == 0)
                    break;
                ++bitten;
                check(party, id, change);
                QVERIFY2(!QTest::currentTestFailed(), name(fault));
            }
        }
        QVERIFY(bitten >= 2 * 7); // a look at a job alone is 6 requests
    }

private Q_SLOTS:
    void aHeldJobIsNobodys()
    {
        ControlParty party;
        const JobId id = party.submit();
        const Change change = party.run(hold(party[0], party.layout, id, Me));
        QCOMPARE(change.from, JobState::Ready);
        QCOMPARE(change.to, JobState::Held);
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList{"h5-0000000000"});
        QCOMPARE(party.view(id).spec->heldBy, Me);
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(hold(party[0], party.layout, id, Me)));

        QCOMPARE(party.run(release(party[0], party.layout, id)).to, JobState::Ready);
        QCOMPARE(party.view(id).state, JobState::Ready);
        QVERIFY(party.view(id).spec->heldBy.isEmpty());
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(release(party[0], party.layout, id)));
    }

    void aReleasedJobStillWaitsForWhatItWaitedFor()
    {
        ControlParty party;
        JobSpec spec = JobParty::spec();
        spec.after.push_back({Dependency::Kind::Ok, {"default", 7}});
        spec.heldBy = Me;
        const JobId id = party.submitSpec(spec);
        const qint32 told = party.node(party.layout.waiting("default")).stat.version;
        QCOMPARE(party.view(id).state, JobState::Held);
        QCOMPARE(party.run(release(party[0], party.layout, id)).to, JobState::Waiting);
        QCOMPARE(party.view(id).entry->jobClass, QueueEntry::Class::Waiting);
        QVERIFY(party.node(party.layout.waiting("default")).stat.version > told);
    }

    // A zombie of an earlier claim must fail at the new node as it would have at the old one.
    void theVersionGoesOnCountingClaims()
    {
        ControlParty party;
        const JobId id = party.submit();
        party.claim(id, 0);
        party.commit(zk::Transaction().remove(party.layout.claim(id)));
        party.run(hold(party[0], party.layout, id, Me));
        QCOMPARE(party.view(id).version, 1);
        QCOMPARE(party.view(id).attempts, 1);
        party.run(setPriority(party[0], party.layout, id, 2));
        party.run(release(party[0], party.layout, id));
        QCOMPARE(party.view(id).version, 1);
        QCOMPARE(party.view(id).entry->name(), QByteArray("q2-0000000000"));
    }

    void anArraysVersionCountsNothing()
    {
        ControlParty party;
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{1, 9, 1, 0};
        const JobId id = party.submitSpec(spec);
        const zk::Path path = party.layout.job("default", {QueueEntry::Class::Array, 5, 0});
        ArrayProgress progress;
        progress.unfold(3, spec.array->count());
        const QByteArray begun = progress.mergedInto(party.node(path).data);
        for (int i = 0; i < 300; ++i)
            party.write(path, begun);
        party.makeOther();
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(moveToOther(party[0], party.layout, id))); // it has begun
        QCOMPARE(party.run(hold(party[0], party.layout, id, Me)).to, JobState::Held);
        party.run(setPriority(party[0], party.layout, id, 1));
        QCOMPARE(party.view(id).state, JobState::Held);
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(moveToOther(party[0], party.layout, id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(requeue(party[0], party.layout, id)));
        QCOMPARE(party.run(release(party[0], party.layout, id)).to, JobState::Running);
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList{"a1-0000000000"});
        QCOMPARE(party.view(id).progress, progress);
    }

    void theSamePriorityIsDoneAlready()
    {
        ControlParty party;
        const JobId id = party.submit();
        QCOMPARE(party.run(setPriority(party[0], party.layout, id, 5)).to, JobState::Ready);
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList{"q5-0000000000"});
    }

    void aMovedJobIsAnotherJob()
    {
        ControlParty party;
        party.makeOther();
        const JobId id = party.submit();
        party.claim(id, 0);
        party.commit(zk::Transaction()
                         .set(party.pathOf(id), JobSpec::countReturned(party.node(party.pathOf(id)).data), 1)
                         .remove(party.layout.claim(id)));
        const Change change = party.run(moveToOther(party[0], party.layout, id));
        QCOMPARE(change.id.toString(), QStringLiteral("other-0"));
        QVERIFY(party.childrenOf(party.layout.queue("default")).isEmpty());
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(party.recordOf(id).reason.contains(QStringLiteral("other")));
        const JobView moved = party.view(change.id);
        QCOMPARE(moved.attempts, 0);
        QCOMPARE(moved.spec->command, JobParty::spec().command);
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(moveToOther(party[0], party.layout, change.id)));
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(moveToQueue(party[0], party.layout, change.id, "nowhere", {})));
        ClusterConfig full;
        full.queueLimit = 1;
        const JobId second = party.submit();
        QVERIFY_THROWS_EXCEPTION(QueueFull, party.run(moveToQueue(party[0], party.layout, second, "other", full)));
        QCOMPARE(party.view(second).state, JobState::Ready);
    }

    void aRunningJobIsAskedForWhatItCanDo()
    {
        ControlParty party;
        party.makeOther();
        const JobId id = party.submit();
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(requeue(party[0], party.layout, id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(sendSignal(party[0], party.layout, id, 10)));
        party.claim(id, 0);
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(hold(party[0], party.layout, id, Me)));
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(release(party[0], party.layout, id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(setPriority(party[0], party.layout, id, 1)));
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(moveToOther(party[0], party.layout, id)));
        QCOMPARE(party.run(requeue(party[0], party.layout, id)).from, JobState::Running);
        QVERIFY(party.claimOf(id).requeue);
        party.run(requeue(party[0], party.layout, id)); // asked already: nothing is set
        QCOMPARE(party.node(party.layout.claim(id)).stat.version, 1);
        QCOMPARE(party.view(id).version, 1); // no request counts as a claim
    }

    // Found by a reviewer: it was said to run, and to requeue it was of no use.
    void whatWaitsAtItsWorkerIsTakenFromThere()
    {
        const std::vector<Act> acts{[](auto &zk, auto layout, auto id) { return hold(zk, layout, id, Me); },
                                    [](auto &zk, auto layout, auto id) { return setPriority(zk, layout, id, 1); },
                                    moveToOther};
        for (const Act &act : acts) {
            ControlParty party;
            party.makeOther();
            const JobId id = party.submit();
            party.claimPending(id);
            const Change change = party.run(act(party[0], party.layout, id));
            QCOMPARE(change.from, JobState::Ready);
            QVERIFY(party.childrenOf(party.layout.claims()).isEmpty());
            QVERIFY(!party.exists(party.pathOf(id)));
            QCOMPARE(party.view(change.id).state, change.to);
            QCOMPARE(party.view(change.id).attempts, 0);
        }
    }

    // The claim is deleted at the version that was read.
    void whatHasBegunMeanwhileStays()
    {
        for (int after = 0; after <= 14; ++after) {
            ControlParty party(2, {.latency = 5ms});
            const JobId id = party.submit();
            party.claimPending(id);
            std::optional<bool> done;
            async::TaskGroup acting([](const std::exception_ptr &) {});
            const auto run = [&]() -> async::Task<void> {
                try {
                    co_await hold(party[1], party.layout, id, Me);
                    done = true;
                } catch (const WrongState &) {
                    done = false;
                }
            };
            acting.spawn(run());
            party.settle(std::chrono::milliseconds(after * 5) + 1ms);
            const bool there = party.exists(party.layout.claim(id));
            if (there) {
                Claim begun = party.claimOf(id);
                begun.pending = false;
                party.commit(zk::Transaction()
                                 .set(party.pathOf(id), JobSpec::markBegun(party.node(party.pathOf(id)).data, 1), 1)
                                 .set(party.layout.claim(id), begun.encode(), 0));
            }
            party.settle(1s);
            QVERIFY(done);
            QCOMPARE(*done, !there);
            QCOMPARE(party.exists(party.layout.claim(id)), there);
        }
    }

    void whatHasEndedOrEndsStays()
    {
        ControlParty party;
        party.makeOther();
        const JobId ended = party.submit();
        party.run(cancel(party[0], party.layout, ended));
        const JobId ending = party.submit();
        party.claim(ending, 0);
        party.run(cancel(party[0], party.layout, ending));
        const JobId malformed = party.submit();
        party.write(party.pathOf(malformed), "nonsense");
        const std::vector<Act> all{
            [](auto &zk, auto layout, auto id) { return hold(zk, layout, id, Me); },
            [](auto &zk, auto layout, auto id) { return release(zk, layout, id); },
            [](auto &zk, auto layout, auto id) { return setPriority(zk, layout, id, 1); },
            [](auto &zk, auto layout, auto id) { return requeue(zk, layout, id); },
            [](auto &zk, auto layout, auto id) { return sendSignal(zk, layout, id, 1); },
            moveToOther,
        };
        for (const Act &act : all) {
            for (const JobId &id : {ended, ending, malformed})
                QVERIFY_THROWS_EXCEPTION(WrongState, party.run(act(party[0], party.layout, id)));
            QVERIFY_THROWS_EXCEPTION(NotFound, party.run(act(party[0], party.layout, {"default", 99})));
        }
    }

    void signalsAreKeptInOrder()
    {
        ControlParty party;
        const JobId id = party.submit();
        party.claim(id, 0);
        for (int number = 1; number <= Claim::KeptSignals + 4; ++number)
            party.run(sendSignal(party[0], party.layout, id, number));
        const Claim claim = party.claimOf(id);
        QCOMPARE(claim.signalCount, Claim::KeptSignals + 4);
        QCOMPARE(int(claim.latestSignals.size()), Claim::KeptSignals);
        QCOMPARE(claim.latestSignals.front().number, 5);
        QCOMPARE(claim.latestSignals.back().number, Claim::KeptSignals + 4);
    }

    void aLostReplyDoesNothingTwice()
    {
        const auto nothing = [](ControlParty &, const JobId &) {};
        const auto claimed = [](ControlParty &party, const JobId &id) { party.claim(id, 0); };
        const auto pending = [](ControlParty &party, const JobId &id) { party.claimPending(id); };
        const auto held = [](ControlParty &party, const JobId &id) { party.run(hold(party[0], party.layout, id, Me)); };

        withEveryLoss(
            nothing, [](auto &zk, auto layout, auto id) { return hold(zk, layout, id, Me); },
            [](ControlParty &party, const JobId &id, const Change &change) {
                QCOMPARE(change.from, JobState::Ready);
                QCOMPARE(party.view(id).state, JobState::Held);
            });
        withEveryLoss(
            pending, [](auto &zk, auto layout, auto id) { return hold(zk, layout, id, Me); },
            [](ControlParty &party, const JobId &id, const Change &change) {
                QCOMPARE(change.from, JobState::Ready);
                QCOMPARE(party.view(id).state, JobState::Held);
                QVERIFY(party.childrenOf(party.layout.claims()).isEmpty());
            });
        withEveryLoss(
            held, [](auto &zk, auto layout, auto id) { return release(zk, layout, id); },
            [](ControlParty &party, const JobId &id, const Change &change) {
                QCOMPARE(change.from, JobState::Held);
                QCOMPARE(party.view(id).state, JobState::Ready);
            });
        withEveryLoss(
            nothing, [](auto &zk, auto layout, auto id) { return setPriority(zk, layout, id, 0); },
            [](ControlParty &party, const JobId &id, const Change &) { QCOMPARE(party.view(id).entry->priority, 0); });
        withEveryLoss(
            claimed, [](auto &zk, auto layout, auto id) { return sendSignal(zk, layout, id, 10); },
            [](ControlParty &party, const JobId &id, const Change &) { QCOMPARE(party.claimOf(id).signalCount, 1); });
        withEveryLoss(
            claimed, [](auto &zk, auto layout, auto id) { return requeue(zk, layout, id); },
            [](ControlParty &party, const JobId &id, const Change &) {
                QCOMPARE(party.node(party.layout.claim(id)).stat.version, 1);
            });
        withEveryLoss(nothing, moveToOther, [](ControlParty &party, const JobId &id, const Change &change) {
            QCOMPARE(party.recordOf(id).movedTo, change.id);
            QCOMPARE(party.stateOf(change.id), JobState::Ready);
            party.settle(10s); // a number that was reserved in vain is given up
            QCOMPARE(party.childrenOf(party.layout.queue("other")).size(), 1);
            QVERIFY(party.childrenOf(party.layout.queue("default")).isEmpty());
            QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        });
    }

    // Somebody claims or cancels the job at every moment of a hold, a move and a change of priority: one of the two
    // wins.
    void racesHaveOneWinner()
    {
        const std::vector<Act> acts{[](auto &zk, auto layout, auto id) { return hold(zk, layout, id, Me); },
                                    [](auto &zk, auto layout, auto id) { return setPriority(zk, layout, id, 1); },
                                    moveToOther};
        for (const Act &act : acts) {
            for (const bool claims : {true, false}) {
                int won = 0;
                int lost = 0;
                for (int after = 0; after <= 14; ++after) {
                    ControlParty party(2, {.latency = 5ms});
                    party.makeOther();
                    const JobId id = party.submit();
                    std::optional<bool> done;
                    async::TaskGroup acting([](const std::exception_ptr &) {});
                    const auto run = [&]() -> async::Task<void> {
                        try {
                            co_await act(party[1], party.layout, id);
                            done = true;
                        } catch (const WrongState &) {
                            done = false;
                        }
                    };
                    acting.spawn(run());
                    party.settle(std::chrono::milliseconds(after * 5) + 1ms);
                    const bool there = party.exists(party.pathOf(id));
                    if (there && claims)
                        party.claim(id, 0);
                    else if (there)
                        party.run(cancel(party[0], party.layout, id));
                    party.settle(1s);
                    QVERIFY(done);
                    QCOMPARE(*done, !there);
                    ++(*done ? won : lost);
                    const auto entries = party.childrenOf(party.layout.queue("default"));
                    const auto claimed = party.childrenOf(party.layout.claims());
                    QCOMPARE(claimed.size(), there && claims ? 1 : 0);
                    QVERIFY(entries.size() + party.childrenOf(party.layout.queue("other")).size() <= 1);
                }
                QVERIFY(won > 0 && lost > 0);
            }
        }
    }
};

QTEST_GUILESS_MAIN(ControlTest)
#include "control_test.moc"
