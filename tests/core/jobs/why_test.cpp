#include "core/jobs/why_party.h"
#include "jobs/cancel.h"
#include "jobs/cordon.h"

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
        WhyParty party;
        JobSpec spec = JobParty::spec();
        spec.heldBy = QStringLiteral("me@here");
        const JobId id = party.submitSpec(spec);
        QCOMPARE(party.why(id), QStringLiteral("it is held by me@here; drover release default-0"));
    }

    void aJobThatWaits()
    {
        WhyParty party;
        const JobId first = party.submit();
        JobSpec spec = JobParty::spec();
        spec.after.push_back({Dependency::Kind::Ok, first});
        const JobId id = party.submitSpec(spec);
        QVERIFY(party.why(id).startsWith(u"no worker is master"));
        party.elect();
        QCOMPARE(party.why(id),
                 QStringLiteral("it waits for default-0 to succeed, which is ready; drover why default-0"));
        JobSpec late = JobParty::spec();
        const JobId ended = party.submit();
        party.run(cancel(party[0], party.layout, ended));
        late.after = {{Dependency::Kind::Any, ended}, {Dependency::Kind::Any, first}};
        QCOMPARE(party.why(party.submitSpec(late)),
                 QStringLiteral("it waits for default-0 to end, which is ready; drover why default-0"));
        late.after.clear();
        for (int i = 0; i < 7; ++i)
            late.after.push_back({Dependency::Kind::Any, party.submit()});
        const Explanation many = party.run(explain(party[0], party.layout, party.submitSpec(late)));
        QCOMPARE(many.reasons.size(), 6U);
        QCOMPARE(many.reasons.back().what, QStringLiteral("it waits for 2 more jobs"));
        spec.after.clear();
        spec.notBefore = party.world.wallClock() + 90s;
        const QString timed = party.why(party.submitSpec(spec));
        QVERIFY2(timed.startsWith(u"it is to begin at ") && timed.endsWith(u"in 90 s"), qPrintable(timed));
    }

    void noWorkerIsFit()
    {
        WhyParty party;
        JobSpec spec = JobParty::spec();
        spec.needs.labels = QStringList(QStringLiteral("gpu"));
        const JobId id = party.submitSpec(spec);
        QCOMPARE(party.why(id), QStringLiteral("there is no worker; start one: drover worker"));
        party.join("w1");
        QCOMPARE(party.why(id),
                 QStringLiteral("no worker of queue default has the label gpu; start one: drover worker --queue "
                                "default --label gpu"));
        party.join("w2", 2, QStringList(QStringLiteral("gpu")));
        QCOMPARE(party.why(id), QStringLiteral("nothing keeps it: a worker is about to take it"));
        spec.needs.labels.clear();
        spec.needs.slots = 4;
        QCOMPARE(party.why(party.submitSpec(spec)), QStringLiteral("it needs 4 slots, the largest worker has 2"));
    }

    void everyWorkerIsCordoned()
    {
        WhyParty party;
        party.join("w1");
        const JobId id = party.submit();
        party.run(cordon(party[0], party.layout, "w1", {QStringLiteral("me@here"), QStringLiteral("disk"), 0ms}));
        QCOMPARE(party.why(id),
                 QStringLiteral("every worker that could run it is cordoned; w1 by me@here: disk; drover worker "
                                "uncordon w1"));
    }

    void noMachineCanRunIt()
    {
        WhyParty party;
        const auto fall = [&](const char *worker, const QString &trouble) {
            const zk::Path path = party.layout.members() / worker;
            WorkerInfo info = WorkerInfo::decode(party.node(path).data);
            info.trouble = trouble;
            party.write(path, info.encode());
        };
        party.join("w1");
        party.join("w2");
        const JobId id = party.submit();
        fall("w1", QStringLiteral("cannot make a pipe: Too many open files"));
        QCOMPARE(party.why(id), QStringLiteral("nothing keeps it: a worker is about to take it"));
        party.run(cordon(party[0], party.layout, "w2", {QStringLiteral("me@here"), {}, 0ms}));
        QCOMPARE(party.why(id),
                 QStringLiteral("no machine of a worker that may run it can now; that of w1: cannot make a pipe: Too "
                                "many open files; mend that, or drover worker uncordon w2"));
        party.run(uncordon(party[0], party.layout, "w2"));
        fall("w2", QStringLiteral("no memory"));
        QCOMPARE(party.why(id),
                 QStringLiteral("no machine of a worker that may run it can now; that of w2: no memory; mend that; it "
                                "tries again within a minute"));
    }

    void theQueueIsPausedOrLong()
    {
        WhyParty party;
        party.join("w1");
        party.submit();
        party.submit();
        const JobId id = party.submit();
        QCOMPARE(party.why(id), QStringLiteral("2 jobs are ahead of it in queue default"));
        party.pause();
        const QString paused = party.why(id);
        QVERIFY2(paused.startsWith(u"queue default was paused by me@here")
                     && paused.endsWith(u"drover queue resume default"),
                 qPrintable(paused));
    }

    void itRunsOrWaitsForALock()
    {
        WhyParty party;
        const JobId id = party.submit();
        party.claim(id, 0);
        QVERIFY2(party.why(id).startsWith(u"it runs on w for "), qPrintable(party.why(id)));
        Claim claim = Claim::decode(party.node(party.layout.claim(id)).data);
        claim.waits = QStringLiteral("lock db");
        party.write(party.layout.claim(id), claim.encode());
        party.run(party[0].ensurePath(party.layout.lock("db")));
        party.write(party.layout.lock("db") / "_c_x-lock-0000000000", "default-7 on w2");
        const QString waits = party.why(id);
        QVERIFY2(waits.startsWith(u"worker w has claimed it and waits for lock db, held by default-7 on w2 for "),
                 qPrintable(waits));
    }

    void anArrayOfWhichNoTaskCanRun()
    {
        WhyParty party;
        party.join("w1");
        party.elect();
        JobSpec spec = JobParty::spec();
        spec.needs.labels = QStringList(QStringLiteral("gpu"));
        const JobId id = party.submitArray(spec, {0, 2, 1, 0}, 3);
        QCOMPARE(party.reasons(id),
                 (QStringList{QStringLiteral("default-0.0: no worker of queue default has the label gpu"),
                              QStringLiteral("it is unfolded: 0/3, 0 tasks run")}));
    }

    void anArrayWhoseTasksWaitForALock()
    {
        WhyParty party;
        party.join("w1");
        party.elect();
        const JobId id = party.submitArray(JobParty::spec(), {0, 1, 1, 0}, 2);
        const JobId second{"default", id.number, 1};
        party.claimAs("w1", {"default", id.number, 0}, QStringLiteral("lock db"));
        party.claimAs("w1", second, QStringLiteral("lock db"));
        const zk::Path lock = party.layout.lock("db");
        party.stand(lock, "_c_x-__WRIT__0000000000", "host9 process 25720: sleep");
        party.stand(lock, "_c_y-__WRIT__0000000001", "default-0.0");
        party.stand(lock, "_c_z-__WRIT__0000000002", "default-0.1");
        party.settle(3s);
        const QString waits = QStringLiteral("worker w1 has claimed it and waits for lock db, held by `sleep` "
                                             "(process 25720 on host9) for 3 s");
        QCOMPARE(
            party.reasons(id),
            (QStringList{QStringLiteral("default-0.0: ") + waits, QStringLiteral("it is unfolded: 0/2, 0 tasks run")}));
        QCOMPARE(party.reasons(second), QStringList{waits + QStringLiteral("; 1 other waits before it")});
    }

    void anArrayThatIsPausedOrAtItsLimit()
    {
        WhyParty party;
        party.join("w1", 8);
        party.elect();
        const JobId id = party.submitArray(JobParty::spec(), {0, 9, 1, 3}, 3);
        for (int task = 0; task < 3; ++task)
            party.claimAs("w1", {"default", id.number, task});
        const QString runs = QStringLiteral("it is unfolded: 0/10, 3 tasks run, as many as its %3 allows");
        QCOMPARE(party.reasons(id), QStringList{runs});
        party.pause();
        const QStringList paused = party.reasons(id);
        QCOMPARE(paused.size(), 2);
        QCOMPARE(paused[0], runs);
        QVERIFY2(paused[1].startsWith(u"queue default was paused by me@here"), qPrintable(paused[1]));
    }

    void anArrayThatIsNotUnfoldedYet()
    {
        WhyParty party;
        party.join("w1");
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{0, 2, 1, 0};
        const JobId id = party.submitSpec(spec);
        QCOMPARE(
            party.why(id),
            QStringLiteral("no worker is master, and only a master unfolds arrays; start a worker: drover worker"));
        party.elect();
        QCOMPARE(party.reasons(id), QStringList{QStringLiteral("the master is about to unfold it")});
    }

    void whoHoldsALockIsNamedWithHostAndWorker()
    {
        WhyParty party;
        party.join("w1");
        party.join("w2");
        const JobId holder = party.submit();
        const JobId id = party.submit();
        party.claimAs("w2", holder, QStringLiteral("lock db"));
        party.claimAs("w1", id, QStringLiteral("lock db"));
        party.stand(party.layout.lock("db"), "_c_x-__WRIT__0000000000", holder.bytes());
        party.settle(10min); // others had it
        party.claimAs("w2", holder);
        party.settle(31s);
        QCOMPARE(party.reasons(id),
                 QStringList{QStringLiteral("worker w1 has claimed it and waits for lock db, held by default-0 on "
                                            "host-of-w2 (worker w2) for 31 s")});
    }

    void itHasEnded()
    {
        WhyParty party;
        const JobId id = party.submit();
        FinalRecord record = FinalRecord::of(id, JobParty::spec());
        record.outcome = FinalRecord::Outcome::GaveUp;
        record.reason = QStringLiteral("5 attempts ended with their workers");
        party.end(id, record);
        QCOMPARE(party.why(id), QStringLiteral("it has ended: failed, 5 attempts ended with their workers"));
    }
};

QTEST_GUILESS_MAIN(WhyTest)
#include "why_test.moc"
