#include "async/task_group.h"
#include "core/jobs/job_cluster.h"
#include "jobs/client/job_lookup.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;

class JobLookupTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsEachState()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        JobView view = fake.view(id);
        QCOMPARE(view.state, JobState::Ready);
        QCOMPARE(view.attempts, 0);
        fake.claim(id, 0);
        view = fake.view(id);
        QCOMPARE(view.state, JobState::Running);
        QCOMPARE(view.claim->attempts.claimVersion, 1);
        QCOMPARE(view.attempts, 1);
        FinalRecord record = FinalRecord::of(id, JobCluster::spec());
        record.code = 3;
        fake.end(id, record);
        view = fake.view(id);
        QCOMPARE(view.state, JobState::Failed);
        QCOMPARE(view.record->exitCode(), 3);
    }

    // What a worker has claimed may wait there for hours.
    void aJobThatWaitsAtItsWorkerIsNotRunning()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.claim(id, 0, QStringLiteral("lock db"));
        QCOMPARE(fake.view(id).state, JobState::Waiting);
        QVERIFY(fake.view(id).claimed);
        const JobList list = fake.run(listJobs(fake.cluster(), {}));
        QCOMPARE(list.jobs.at(0).state, JobState::Waiting);
    }

    // Whenever a job ends during a listing, it is counted if it is listed, and not else.
    void aJobThatEndsDuringAListingIsNotCounted()
    {
        for (quint64 sent = 1; sent <= 6; ++sent) {
            JobCluster fake(2);
            const JobId id = fake.submit();
            fake.submit();
            const quint64 before = fake.session(0).counters().requests;
            std::optional<JobList> list;
            const auto listing = [&]() -> async::Task<void> {
                const ListFilter all;
                const JobList listed = co_await listJobs(fake.cluster(), all);
                list = listed;
            };
            async::TaskGroup tasks;
            tasks.spawn(listing());
            fake.world.runUntil([&] { return list || fake.session(0).counters().requests - before >= sent; });
            fake.commit(zk::Transaction().remove(fake.pathOf(id)).create(fake.layout.done(id), FinalRecord().encode()),
                        1);
            fake.world.runUntil([&] { return list.has_value(); });
            QCOMPARE(list->total, qsizetype(list->jobs.size()));
        }
    }

    void anUnknownJobIsNotFound()
    {
        JobCluster fake;
        const JobId id{"default", 99};
        const JobId elsewhere{"nowhere", 1};
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(lookUp(fake.cluster(), id)));
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(lookUp(fake.cluster(), elsewhere)));
    }

    void aJobIsFoundWhereverItIs()
    {
        JobCluster fake;
        JobSpec urgent = JobCluster::spec();
        urgent.priority = 1;
        const JobId id = fake.submit(urgent);
        const JobId plain = fake.submit();
        const quint64 before = fake[0].counters().requests;
        QCOMPARE(fake.run(lookUp(fake.cluster(), plain)).entry->priority, QueueEntry::DefaultPriority);
        QVERIFY(fake[0].counters().requests - before < 10);
        QCOMPARE(fake.run(lookUp(fake.cluster(), id)).entry->priority, urgent.priority);
        const QueueEntry elsewhere{QueueEntry::Class::Held, 7, id.number};
        QCOMPARE(fake.run(lookUp(fake.cluster(), id, elsewhere)).entry->priority, urgent.priority);
    }

    void malformedDataIsShownAsSuchAndSkipped()
    {
        JobCluster fake;
        fake.write(fake.layout.queue("default") / "q5-0000000007", "\xff{");
        fake.write(fake.layout.queue("default") / "foreign", "else");
        fake.write(fake.layout.done() / "default-3", "[]");
        fake.write(fake.layout.done() / "not an id", "x");
        fake.write(fake.layout.claims() / "default-7", "nonsense");
        const JobList list = fake.run(listJobs(fake.cluster(), {.unfinished = true, .finished = true, .queue = {}}));
        QCOMPARE(list.jobs.size(), 2u);
        for (const JobView &job : list.jobs)
            QVERIFY(!job.malformed.isEmpty());
    }

    void listsRunningThenReadyThenEnded()
    {
        JobCluster fake;
        for (int i = 0; i < 4; ++i)
            fake.submit();
        fake.claim({"default", 2}, 0);
        fake.write(fake.layout.done() / "default-9", FinalRecord().encode());
        const JobList list =
            fake.run(listJobs(fake.cluster(), {.unfinished = true, .finished = true, .queue = {}, .limit = 4}));
        QCOMPARE(list.total, 5);
        QStringList ids;
        for (const JobView &job : list.jobs)
            ids.append(job.id.toString());
        QCOMPARE(ids.join(u' '), QStringLiteral("default-2 default-0 default-1 default-3"));
    }
};

QTEST_GUILESS_MAIN(JobLookupTest)
#include "job_lookup_test.moc"
