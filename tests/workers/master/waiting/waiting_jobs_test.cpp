#include "jobs/client/job_control.h"
#include "workers/candidate.h"
#include "workers/master/base/troubles.h"
#include "workers/master/waiting/waiting_jobs.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// How often the jobs that wait are judged. What comes of it: promoter_test, singleton_test.
class WaitingJobsTest : public QObject
{
    Q_OBJECT

    static void add(WorkerCluster &fake, workers::WaitingJobs &waiting, const JobId &id)
    {
        const QueueEntry entry = fake.view(id).entry.value();
        const zk::Path path = fake.layout.job(id.queue, entry);
        workers::WaitingJobs::Job job{entry, fake.node(path).stat.version, fake.node(path).data, {}};
        job.spec = JobSpec::decode(job.stored, id.queue, entry.priority);
        waiting.add(id, std::move(job));
    }

    static int judgeAll(workers::WaitingJobs &waiting)
    {
        int judged = 0;
        while (const std::optional<JobId> id = waiting.takeToJudge()) {
            waiting.judge(*id, *waiting.find(*id));
            ++judged;
        }
        return judged;
    }

private Q_SLOTS:
    // Each of them waits for a job that was moved here from another queue.
    void aNewJobHasNoOtherJudgedAgain()
    {
        constexpr int Jobs = 30;
        WorkerCluster fake(2);
        fake.run(ensureCluster(fake.cluster(), {"default", "other"}));
        const zk::ServerClock clock(fake[1].loop());
        workers::Troubles troubles(fake[1].loop());
        workers::DutyTroubles duty(troubles);
        workers::WaitingJobs waiting(fake.cluster(1), nullptr, clock, duty, [] {});
        const JobId never = fake.submit();
        JobSpec spec = JobCluster::spec();
        std::vector<JobId> old;
        std::vector<JobId> here;
        for (int i = 0; i < Jobs; ++i) {
            spec.queue = "default";
            spec.after = {Dependency{Dependency::Kind::Any, never}};
            old.push_back(fake.submit(spec));
            here.push_back(fake.run(moveToQueue(fake.cluster(), old.back(), "other", {})).id);
        }
        std::vector<JobId> others;
        spec.queue = "other";
        for (int i = 0; i < 2 * Jobs; ++i) {
            spec.after = {Dependency{Dependency::Kind::Any, old[std::size_t(i % Jobs)]}};
            others.push_back(fake.submit(spec));
        }
        for (const JobId &id : here)
            add(fake, waiting, id);
        for (int i = 0; i < Jobs; ++i)
            add(fake, waiting, others[std::size_t(i)]);
        judgeAll(waiting);
        fake.settle(1min); // it knows now where they are
        judgeAll(waiting);
        for (int i = Jobs; i < 2 * Jobs; ++i) {
            add(fake, waiting, others[std::size_t(i)]);
            QCOMPARE(judgeAll(waiting), 1);
        }
        QVERIFY(!waiting.hasToJudge());
    }
};

QTEST_GUILESS_MAIN(WaitingJobsTest)
#include "waiting_jobs_test.moc"
