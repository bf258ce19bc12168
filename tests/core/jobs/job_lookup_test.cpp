#include "core/jobs/job_party.h"
#include "jobs/job_lookup.h"

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
        JobParty party;
        const JobId id = party.submit();
        JobView view = party.view(id);
        QCOMPARE(view.state, JobState::Ready);
        QCOMPARE(view.attempts, 0);
        party.claim(id, 0);
        view = party.view(id);
        QCOMPARE(view.state, JobState::Running);
        QCOMPARE(view.claim->attempt, 1);
        QCOMPARE(view.attempts, 1);
        FinalRecord record = FinalRecord::of(id, JobParty::spec());
        record.code = 3;
        party.end(id, record);
        view = party.view(id);
        QCOMPARE(view.state, JobState::Failed);
        QCOMPARE(view.record->exitCode(), 3);
    }

    // What a worker has claimed may wait there for hours.
    void whatWaitsAtItsWorkerDoesNotRun()
    {
        JobParty party;
        const JobId id = party.submit();
        party.claim(id, 0, QStringLiteral("lock db"));
        QCOMPARE(party.view(id).state, JobState::Waiting);
        QVERIFY(party.view(id).claimed);
        const JobList list = party.run(listJobs(party[0], party.layout, {}));
        QCOMPARE(list.jobs.at(0).state, JobState::Waiting);
    }

    void anUnknownJobIsNotFound()
    {
        JobParty party;
        const JobId id{"default", 99};
        const JobId elsewhere{"nowhere", 1};
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(lookUp(party[0], party.layout, id)));
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(lookUp(party[0], party.layout, elsewhere)));
    }

    void aJobIsFoundWhereverItIs()
    {
        JobParty party;
        JobSpec urgent = JobParty::spec();
        urgent.priority = 1;
        const JobId id = party.submit(urgent);
        const JobId plain = party.submit();
        const quint64 before = party[0].counters().requests;
        QCOMPARE(party.run(lookUp(party[0], party.layout, plain)).entry->priority, QueueEntry::DefaultPriority);
        QVERIFY(party[0].counters().requests - before < 10);
        QCOMPARE(party.run(lookUp(party[0], party.layout, id)).entry->priority, urgent.priority);
        const QueueEntry elsewhere{QueueEntry::Class::Held, 7, id.number};
        QCOMPARE(party.run(lookUp(party[0], party.layout, id, elsewhere)).entry->priority, urgent.priority);
    }

    void malformedDataIsShownAsSuchAndSkipped()
    {
        JobParty party;
        party.write(party.layout.queue("default") / "q5-0000000007", "\xff{");
        party.write(party.layout.queue("default") / "somebody's", "else");
        party.write(party.layout.done() / "default-3", "[]");
        party.write(party.layout.done() / "not an id", "x");
        party.write(party.layout.claims() / "default-7", "nonsense");
        const JobList list =
            party.run(listJobs(party[0], party.layout, {.unfinished = true, .finished = true, .queue = {}}));
        QCOMPARE(list.jobs.size(), 2u);
        for (const JobView &job : list.jobs)
            QVERIFY(!job.malformed.isEmpty());
    }

    void listsRunningThenReadyThenEnded()
    {
        JobParty party;
        for (int i = 0; i < 4; ++i)
            party.submit();
        party.claim({"default", 2}, 0);
        party.write(party.layout.done() / "default-9", FinalRecord().encode());
        const JobList list = party.run(
            listJobs(party[0], party.layout, {.unfinished = true, .finished = true, .queue = {}, .limit = 4}));
        QCOMPARE(list.total, 5);
        QStringList ids;
        for (const JobView &job : list.jobs)
            ids.append(job.id.toString());
        QCOMPARE(ids.join(u' '), QStringLiteral("default-2 default-0 default-1 default-3"));
    }
};

QTEST_GUILESS_MAIN(JobLookupTest)
#include "job_lookup_test.moc"
