#include "core/jobs/explain/why_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/limits.h"
#include "jobs/explain/waits_for.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

class WhyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aHeldJob()
    {
        WhyCluster fake;
        JobSpec spec = JobCluster::spec();
        spec.notes.heldBy = QStringLiteral("me@here");
        const JobId id = fake.submitSpec(spec);
        QCOMPARE(fake.why(id), QStringLiteral("it is held by me@here; drover release default-0"));
    }

    void aJobThatWaits()
    {
        WhyCluster fake;
        const JobId first = fake.submit();
        JobSpec spec = JobCluster::spec();
        spec.after.push_back({Dependency::Kind::Ok, first});
        const JobId id = fake.submitSpec(spec);
        QVERIFY(fake.why(id).startsWith(u"no worker is master"));
        fake.elect();
        QCOMPARE(fake.why(id),
                 QStringLiteral("it waits for default-0 to succeed, which is ready; drover why default-0"));
        JobSpec late = JobCluster::spec();
        const JobId ended = fake.submit();
        fake.run(cancel(fake.cluster(), ended));
        late.after = {{Dependency::Kind::Any, ended}, {Dependency::Kind::Any, first}};
        QCOMPARE(fake.why(fake.submitSpec(late)),
                 QStringLiteral("it waits for default-0 to end, which is ready; drover why default-0"));
        fake.write(fake.layout.queue("other"), {});
        const JobId held = fake.submit();
        fake.run(hold(fake.cluster(), held, QStringLiteral("ann")));
        const JobChange moved = fake.run(moveToQueue(fake.cluster(), held, "other", {}));
        late.after = {{Dependency::Kind::Any, held}};
        QCOMPARE(fake.why(fake.submitSpec(late)),
                 QStringLiteral("it waits for %1 to end, which is held; drover why %1").arg(held.toString()));
        QCOMPARE(moved.id.queue, QByteArray("other"));
        late.after.clear();
        for (int i = 0; i < 7; ++i)
            late.after.push_back({Dependency::Kind::Any, fake.submit()});
        const Explanation many = fake.run(explain(fake.cluster(), fake.submitSpec(late)));
        QCOMPARE(many.reasons.size(), 6U);
        QCOMPARE(many.reasons.back().what, QStringLiteral("it waits for 2 more jobs"));
        spec.after.clear();
        spec.notes.notBefore = fake.world.wallClock() + 90s;
        const QString timed = fake.why(fake.submitSpec(spec));
        QVERIFY2(timed.startsWith(u"it is to begin at ") && timed.endsWith(u"in 1m30s"), qPrintable(timed));
    }

    // What may not be read, and what is about to come, may have its name.
    void aSingletonWhoseNameOthersMayHave()
    {
        WhyCluster fake(2);
        fake.elect();
        const JobId first = fake.submit();
        const JobId hidden = fake.submit();
        fake.setReadable(fake.pathOf(hidden), false);
        const JobId newer = fake.submit();
        fake.write(fake.pathOf(newer), R"({"v":3,"command":"true"})");
        const zk::Path prefix = fake.layout.queue("default") / "m_0-";
        const zk::Answer<zk::Created> reserved =
            fake.get(fake[1].create(prefix, {}, zk::CreateMode::EphemeralSequential));
        fake.setReadable(reserved->path, false);
        JobSpec spec = JobCluster::spec();
        spec.singleton = true;
        const JobId id = fake.submitSpec(spec);
        const QStringList reasons = fake.reasons(id);
        QCOMPARE(reasons.size(), 4);
        QCOMPARE(reasons[0],
                 QStringLiteral("it is a singleton, and 1 job called \"true\" came before it and has not ended: %1")
                     .arg(first.toString()));
        QCOMPARE(reasons[1],
                 QStringLiteral("it is a singleton, and you may not read 1 job before it, which may have its name: %1")
                     .arg(hidden.toString()));
        QCOMPARE(reasons[2],
                 QStringLiteral("it is a singleton, and a newer drover has submitted %1 before it, which may have its "
                                "name")
                     .arg(newer.toString()));
        QVERIFY2(reasons[3].startsWith(QStringLiteral("it is a singleton, and ") + reserved->path.toString()),
                 qPrintable(reasons[3]));
    }

    // Any client that may submit can make them, and each was asked about alone.
    void manyReservationsCostFewRoundTrips()
    {
        constexpr int Many = 200;
        constexpr auto OneWay = 10ms;
        WhyCluster fake(2, {.latency = OneWay});
        fake.elect();
        const zk::Path prefix = fake.layout.queue("default") / "m_0-";
        for (int i = 1; i < Many; ++i)
            fake.get(fake[0].create(prefix, {}, zk::CreateMode::PersistentSequential)); // of no client that moves a job
        fake.get(fake[0].create(prefix, {}, zk::CreateMode::EphemeralSequential));
        JobSpec spec = JobCluster::spec();
        spec.singleton = true;
        const JobId id = fake.submitSpec(spec);
        const async::TimePoint asked = fake.world.now();
        const Explanation why = fake.run(explain(fake.cluster(1), id));
        QCOMPARE(why.reasons.size(), 1U);
        QVERIFY2(why.reasons[0].what.contains(u"reserves a number"), qPrintable(why.reasons[0].what));
        QCOMPARE_LE((fake.world.now() - asked) / (2 * OneWay), 20);
    }

    // Jobs that ask for it are claimed, and wait at their worker for ever.
    void aLimitWithoutNumbers()
    {
        WhyCluster fake;
        fake.join("w1");
        JobSpec spec = JobCluster::spec();
        spec.limits = {QStringLiteral("db")};
        const JobId id = fake.submitSpec(spec);
        fake.claimAs("w1", id, QStringLiteral("limit db"));
        fake.run(setLimit(fake.cluster(), "db", 2));
        const zk::Path leases = fake.layout.limit("db") / "leases";
        fake.run(fake[0].ensurePath(leases));
        fake.server.tree().setNextSequence(leases, zk::LastSequence - 1);
        QVERIFY2(fake.why(id).contains(u"0 of 2 permits are held"), qPrintable(fake.why(id)));
        fake.server.tree().setNextSequence(leases, zk::LastSequence);
        QCOMPARE(fake.why(id),
                 QStringLiteral("worker w1 has claimed it and waits for limit db, which has given out all its numbers; "
                                "drover limit set db none, and then drover limit set db N"));
        QVERIFY(fake.run(unsetLimit(fake.cluster(), "db")));
        QCOMPARE(fake.run(numbersOfLimit(fake.cluster(), "db")), 0);
    }

    void aCancellationOutlivesTheWorkerThatWasAsked()
    {
        WhyCluster fake;
        const JobId id = fake.submit();
        const zk::Path path = fake.layout.job("default", WhyCluster::entryOf(id));
        fake.write(path, noted(fake.node(path).data, &JobNotes::markCancelled));
        QVERIFY2(fake.why(id).startsWith(u"its cancellation was asked for, and is carried out as soon as"),
                 qPrintable(fake.why(id)));
    }

    void aJobOfANewerDrover()
    {
        WhyCluster fake;
        fake.join("w1");
        const JobId id = fake.submit();
        fake.write(fake.pathOf(id), R"({"v":3,"command":"true"})");
        QCOMPARE(fake.why(id),
                 QStringLiteral("a newer drover has submitted it, and no worker as old as this one runs it: it is of "
                                "version 3 of its format, this drover knows 2; update drover on the workers' machines, "
                                "and start them again"));
        const JobId next = fake.submit();
        QCOMPARE(fake.why(next), QStringLiteral("nothing keeps it: a worker is about to take it"));
    }

    void noWorkerIsFit()
    {
        WhyCluster fake;
        JobSpec spec = JobCluster::spec();
        spec.needs.labels = QStringList(QStringLiteral("gpu"));
        const JobId id = fake.submitSpec(spec);
        QCOMPARE(fake.why(id), QStringLiteral("there is no worker; start one: drover worker"));
        fake.join("w1");
        QCOMPARE(fake.why(id),
                 QStringLiteral("no worker of queue default has the label gpu; start one: drover worker --queue "
                                "default --label gpu"));
        fake.join("w2", 2, QStringList(QStringLiteral("gpu")));
        QCOMPARE(fake.why(id), QStringLiteral("nothing keeps it: a worker is about to take it"));
        spec.needs.labels.clear();
        spec.needs.slots = 4;
        QCOMPARE(fake.why(fake.submitSpec(spec)), QStringLiteral("it needs 4 slots, the largest worker has 2"));
    }

    void everyWorkerIsCordoned()
    {
        WhyCluster fake;
        fake.join("w1");
        const JobId id = fake.submit();
        fake.run(cordon(fake.cluster(), "w1", {QStringLiteral("me@here"), QStringLiteral("disk"), 0ms}));
        QCOMPARE(fake.why(id),
                 QStringLiteral("every worker that could run it is cordoned; w1 by me@here: disk; drover worker "
                                "uncordon w1"));
    }

    void noMachineCanRunIt()
    {
        WhyCluster fake;
        const auto fall = [&](const char *worker, const QString &trouble) {
            const zk::Path path = fake.layout.members() / worker;
            WorkerInfo info = WorkerInfo::decode(fake.node(path).data);
            info.trouble = trouble;
            fake.write(path, info.encode());
        };
        fake.join("w1");
        fake.join("w2");
        const JobId id = fake.submit();
        fall("w1", QStringLiteral("cannot make a pipe: Too many open files"));
        QCOMPARE(fake.why(id), QStringLiteral("nothing keeps it: a worker is about to take it"));
        fake.run(cordon(fake.cluster(), "w2", {QStringLiteral("me@here"), {}, 0ms}));
        QCOMPARE(fake.why(id),
                 QStringLiteral("no machine of a worker that may run it can now; that of w1: cannot make a pipe: Too "
                                "many open files; mend that, or drover worker uncordon w2"));
        fake.run(uncordon(fake.cluster(), "w2"));
        fall("w2", QStringLiteral("no memory"));
        QCOMPARE(fake.why(id),
                 QStringLiteral("no machine of a worker that may run it can now; that of w2: no memory; mend that; it "
                                "goes on by itself within a minute"));
    }

    void namesAPausedQueueAndTheJobsAhead()
    {
        WhyCluster fake;
        fake.join("w1");
        fake.submit();
        fake.submit();
        const JobId id = fake.submit();
        QCOMPARE(fake.why(id), QStringLiteral("2 jobs are ahead of it in queue default"));
        fake.pause();
        const QString paused = fake.why(id);
        QVERIFY2(paused.startsWith(u"queue default was paused by me@here")
                     && paused.endsWith(u"drover queue resume default"),
                 qPrintable(paused));
    }

    void saysWhereAClaimedJobRunsOrWhatItWaitsFor()
    {
        WhyCluster fake;
        const JobId id = fake.submit();
        fake.claim(id, 0);
        QVERIFY2(fake.why(id).startsWith(u"it runs on w for "), qPrintable(fake.why(id)));
        Claim claim = Claim::decode(fake.node(fake.layout.claim(id)).data);
        claim.waits = QStringLiteral("lock db");
        fake.write(fake.layout.claim(id), claim.encode());
        fake.run(fake[0].ensurePath(fake.layout.lock("db")));
        fake.write(fake.layout.lock("db") / "_c_x-lock-0000000000", "default-7 on w2");
        const QString waits = fake.why(id);
        QVERIFY2(waits.startsWith(u"worker w has claimed it and waits for lock db, held by default-7 on w2 for "),
                 qPrintable(waits));
    }

    void anArrayOfWhichNoTaskCanRun()
    {
        WhyCluster fake;
        fake.join("w1");
        fake.elect();
        JobSpec spec = JobCluster::spec();
        spec.needs.labels = QStringList(QStringLiteral("gpu"));
        const JobId id = fake.submitArray(spec, {0, 2, 1, 0}, 3);
        QCOMPARE(fake.reasons(id),
                 (QStringList{QStringLiteral("default-0.0: no worker of queue default has the label gpu"),
                              QStringLiteral("its tasks are made a few at a time: 0/3, 0 tasks run")}));
    }

    void anArrayWhoseTasksWaitForALock()
    {
        WhyCluster fake;
        fake.join("w1");
        fake.elect();
        const JobId id = fake.submitArray(JobCluster::spec(), {0, 1, 1, 0}, 2);
        const JobId second{"default", id.number, 1};
        fake.claimAs("w1", {"default", id.number, 0}, QStringLiteral("lock db"));
        fake.claimAs("w1", second, QStringLiteral("lock db"));
        const zk::Path lock = fake.layout.lock("db");
        fake.stand(lock, "_c_x-__WRIT__0000000000", "host9 process 25720: sleep");
        fake.stand(lock, "_c_y-__WRIT__0000000001", "default-0.0");
        fake.stand(lock, "_c_z-__WRIT__0000000002", "default-0.1");
        fake.settle(3s);
        const QString waits = QStringLiteral("worker w1 has claimed it and waits for lock db, held by `sleep` "
                                             "(process 25720 on host9) for 3s");
        QCOMPARE(fake.reasons(id),
                 (QStringList{QStringLiteral("default-0.0: ") + waits,
                              QStringLiteral("its tasks are made a few at a time: 0/2, 0 tasks run")}));
        QCOMPARE(fake.reasons(second), QStringList{waits + QStringLiteral("; 1 other waits before it")});
    }

    void anArrayThatIsPausedOrAtItsLimit()
    {
        WhyCluster fake;
        fake.join("w1", 8);
        fake.elect();
        const JobId id = fake.submitArray(JobCluster::spec(), {0, 9, 1, 3}, 3);
        for (int task = 0; task < 3; ++task)
            fake.claimAs("w1", {"default", id.number, task});
        const QString runs =
            QStringLiteral("its tasks are made a few at a time: 0/10, 3 tasks run, as many as its %3 allows");
        QCOMPARE(fake.reasons(id), QStringList{runs});
        fake.pause();
        const QStringList paused = fake.reasons(id);
        QCOMPARE(paused.size(), 2);
        QCOMPARE(paused[0], runs);
        QVERIFY2(paused[1].startsWith(u"queue default was paused by me@here"), qPrintable(paused[1]));
    }

    void anArrayThatIsNotExpandedYet()
    {
        WhyCluster fake;
        fake.join("w1");
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{0, 2, 1, 0};
        const JobId id = fake.submitSpec(spec);
        QCOMPARE(
            fake.why(id),
            QStringLiteral("no worker is master, and only a master expands arrays; start a worker: drover worker"));
        fake.elect();
        QCOMPARE(fake.reasons(id), QStringList{QStringLiteral("the master is about to expand it")});
    }

    void theHolderOfALockIsNamedWithHostAndWorker()
    {
        WhyCluster fake;
        fake.join("w1");
        fake.join("w2");
        const JobId holder = fake.submit();
        const JobId id = fake.submit();
        fake.claimAs("w2", holder, QStringLiteral("lock db"));
        fake.claimAs("w1", id, QStringLiteral("lock db"));
        fake.stand(fake.layout.lock("db"), "_c_x-__WRIT__0000000000", holder.bytes());
        fake.settle(10min); // others had it
        fake.claimAs("w2", holder);
        fake.settle(31s);
        QCOMPARE(fake.reasons(id),
                 QStringList{QStringLiteral("worker w1 has claimed it and waits for lock db, held by default-0 on "
                                            "host-of-w2 (worker w2) for 31s")});
    }

    // Nothing else keeps a ready job then; of others it is the first of their reasons.
    void nodesOfAnotherProgramBelowAJob()
    {
        WhyCluster fake;
        fake.join("w1");
        const JobId id = fake.submit();
        const JobId next = fake.submit();
        QVERIFY(fake.reasons(next).contains(QStringLiteral("1 job is ahead of it in queue default")));
        const zk::Path job = fake.pathOf(id);
        fake.write(job / "a", {});
        fake.write(job / "b", {});
        const QString blocked =
            QStringLiteral("another program has made 2 znodes below %1: workers leave the job alone, and nothing can "
                           "move or end it")
                .arg(job.toString());
        QCOMPARE(fake.reasons(id), QStringList(blocked));
        QVERIFY(!fake.reasons(next).contains(QStringLiteral("1 job is ahead of it in queue default")));
        const auto listed = [&] {
            const std::vector<JobView> jobs{fake.view(id), fake.view(next)};
            return fake.run(waitsFor(fake.cluster(), jobs));
        };
        QCOMPARE(listed(),
                 (QStringList{QStringLiteral("blocked: another program has made 2 znodes below its own"), QString()}));
        fake.claimAs("w1", id);
        QCOMPARE(fake.reasons(id).size(), 2);
        QCOMPARE(fake.reasons(id).front(), blocked);
        QCOMPARE(listed().front(), QString()); // it runs
    }

    void saysHowAJobHasEnded()
    {
        WhyCluster fake;
        const JobId id = fake.submit();
        FinalRecord record = FinalRecord::of(id, JobCluster::spec());
        record.outcome = FinalRecord::Outcome::GaveUp;
        record.reason = QStringLiteral("5 attempts ended with their workers");
        fake.end(id, record);
        QCOMPARE(fake.why(id), QStringLiteral("it has ended: failed, 5 attempts ended with their workers"));
    }
};

QTEST_GUILESS_MAIN(WhyTest)
#include "why_test.moc"
