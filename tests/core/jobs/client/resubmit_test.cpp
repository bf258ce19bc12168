#include "core/jobs/job_cluster.h"
#include "jobs/client/resubmit.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using drover::test::JobCluster;

// What becomes of jobs that are submitted once more.
class RepeatTest : public QObject
{
    Q_OBJECT

    static JobView endedView(const JobSpec &spec)
    {
        JobView view;
        view.id = JobId{"default", 4};
        view.state = JobState::Failed;
        view.record = FinalRecord::of(view.id, spec);
        return view;
    }
    static Resubmission tasks(const std::vector<qint32> &indices)
    {
        return {JobId{"default", 4}, ArrayIndices::of(indices)};
    }
    static QString refusalOf(const JobView &view, const Resubmission &repeat)
    {
        try {
            jobToResubmit(view, repeat);
        } catch (const WrongState &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

private Q_SLOTS:
    void eachJobAndTaskIsChosenOnce()
    {
        ResubmitSelection choice;
        const JobId array{"default", 7};
        choice.add({"default", 9}, JobState::Failed);
        choice.add({"default", 7, 3}, JobState::Failed);
        choice.add({"default", 7, 1}, JobState::Cancelled);
        choice.add({"default", 7, 2}, JobState::Failed);
        choice.add({"default", 9}, JobState::Failed);
        choice.add({"default", 8, 5}, JobState::Failed);
        choice.add({"default", 8});
        const std::vector<Resubmission> all = choice.all();
        QCOMPARE(all.size(), std::size_t(3));
        QCOMPARE(all[0].toString(), QStringLiteral("default-9"));
        QVERIFY(all[0].was == JobState::Failed);
        QCOMPARE(all[1].toString(), QStringLiteral("default-7.1..3"));
        QVERIFY(all[1].id == array && !all[1].was);
        QCOMPARE(all[2].toString(), QStringLiteral("default-8")); // of which the task is a part
        QVERIFY(!all[2].tasks);
    }

    void aResubmittedJobKeepsItsFields()
    {
        JobSpec spec = JobCluster::spec();
        spec.name = QStringLiteral("report");
        spec.locks = QStringList(QStringLiteral("db"));
        spec.priority = 2;
        spec.submitter = QStringLiteral("me@here");
        spec.dedupe = QStringLiteral("once");
        const JobSpec again = jobToResubmit(endedView(spec), {JobId{"default", 4}});
        QCOMPARE(again.name, spec.name);
        QCOMPARE(again.locks, spec.locks);
        QCOMPARE(again.priority, 2);
        QVERIFY(again.submitter.isEmpty() && again.dedupe.isEmpty()); // of that submit alone
    }

    void tasksBecomeAnArrayOfThese()
    {
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices(1, 100, 1, 10);
        const JobSpec again = jobToResubmit(endedView(spec), tasks({3, 4, 50}));
        QCOMPARE(again.array->toString(), QStringLiteral("3-4,50%10"));
        QCOMPARE(again.arrayCount, 100); // the number that the tasks saw the first time
    }

    void anInvalidResubmitSaysWhy()
    {
        JobSpec gang = JobCluster::spec();
        gang.gang = 3;
        gang.array = ArrayIndices(0, 2);
        QVERIFY(refusalOf(endedView(gang), tasks({1})).contains(u"resubmit default-4"));

        JobView moved = endedView(JobCluster::spec());
        moved.record->outcome = FinalRecord::Outcome::Cancelled;
        moved.record->reason = QStringLiteral("moved to queue fast");
        moved.record->movedTo = JobId{"fast", 0};
        QVERIFY(refusalOf(moved, {moved.id}).contains(u"has become another (moved to queue fast)"));

        JobView tooLarge = endedView(JobCluster::spec());
        tooLarge.record->repeat = {};
        QVERIFY(refusalOf(tooLarge, {tooLarge.id}).contains(u"does not hold all of the job"));

        std::vector<qint32> scattered;
        for (qint32 i = 0; i <= qint32(ArrayIndices::MaxParts) * 2; ++i)
            scattered.push_back(i * 3 + (i % 2));
        JobSpec array = JobCluster::spec();
        array.array = ArrayIndices(0, 10'000);
        QVERIFY(refusalOf(endedView(array), tasks(scattered)).contains(u"too scattered"));
    }
};

QTEST_GUILESS_MAIN(RepeatTest)
#include "resubmit_test.moc"
