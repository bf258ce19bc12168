#include "core/jobs/job_cluster.h"
#include "workers/master/arrays/task_outcomes.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using jobs::JobId;
using workers::TaskOutcome;
using workers::TaskOutcomes;

namespace {

// When the queue was made.
std::chrono::milliseconds begin(const JobCluster &fake)
{
    return std::chrono::milliseconds(fake.node(fake.layout.queue("default")).stat.ctime);
}

JobId task(int index)
{
    return {"default", 42, index};
}

FinalRecord recordOf(const JobId &id, int code)
{
    FinalRecord record = FinalRecord::of(id, JobCluster::spec());
    record.code = code;
    return record;
}

QString toString(const std::vector<std::optional<TaskOutcome>> &ends)
{
    QStringList texts;
    for (const std::optional<TaskOutcome> &end : ends)
        texts.append(!end ? QStringLiteral("?")
                          : QString::number(end->exitCode)
                             + (end->cancelled     ? u"c"_qs
                                    : end->refused ? u"r"_qs
                                                   : u""_qs));
    return texts.join(u' ');
}

} // namespace

// The outcome of a task is read from its final record or from the history, or it is unknown.
class TaskOutcomesTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;
    int m_histories = 0;

    history::Location place()
    {
        return history::Location::parse(m_directory.filePath(QStringLiteral("%1.sqlite").arg(++m_histories)));
    }

    static void archive(JobCluster &fake, history::History &history, const FinalRecord &record,
                        std::chrono::milliseconds endedAt)
    {
        history::ArchiveBatch batch;
        batch.cluster = fake.layout.clusterName();
        batch.entries.push_back({batch.cluster, record, endedAt, {}});
        fake.run(history.archive(batch));
    }

private Q_SLOTS:
    void outcomesAreReadFromFinalRecords()
    {
        JobCluster fake;
        FinalRecord cancelled = recordOf(task(3), 0);
        cancelled.outcome = FinalRecord::Outcome::Cancelled;
        FinalRecord refused = recordOf(task(6), 0);
        refused.outcome = FinalRecord::Outcome::Refused;
        fake.write(fake.layout.done(task(1)), recordOf(task(1), 0).encode());
        fake.write(fake.layout.done(task(2)), recordOf(task(2), 7).encode());
        fake.write(fake.layout.done(task(3)), cancelled.encode());
        fake.write(fake.layout.done(task(4)), "nonsense");
        fake.write(fake.layout.done(task(6)), refused.encode());
        TaskOutcomes outcomes(jobs::Cluster(fake[0], fake.layout), nullptr);
        QCOMPARE(toString(fake.run(outcomes.read({task(1), task(2), task(3), task(4), task(5), task(6)}))),
                 QStringLiteral("0 7 125c 125 125c 125r"));
    }

    // Which member of a gang failed first must not depend on the clocks of its workers.
    void endsAreTimedByTheServersClock()
    {
        JobCluster fake;
        history::History history(fake[0].loop(), place(), history::OpenMode::Write);
        FinalRecord late = recordOf(task(1), 7);
        late.finishedAt = fake.world.wallClock() + 48h;
        fake.write(fake.layout.done(task(1)), late.encode());
        const std::chrono::milliseconds archivedAt = begin(fake) + 1ms;
        late.id = task(2);
        archive(fake, history, late, archivedAt);
        workers::MasterHistory reader(jobs::Cluster(fake[0], fake.layout), history);
        TaskOutcomes outcomes(jobs::Cluster(fake[0], fake.layout), &reader);
        const std::vector<std::optional<TaskOutcome>> ends = fake.run(outcomes.read({task(1), task(2)}));
        QCOMPARE(ends[0]->at.count(), fake.node(fake.layout.done(task(1))).stat.ctime);
        QCOMPARE(ends[1]->at, archivedAt);
    }

    void outcomesOfArchivedTasksAreReadFromTheHistory()
    {
        JobCluster fake;
        history::History history(fake[0].loop(), place(), history::OpenMode::Write);
        archive(fake, history, recordOf(task(1), 0), begin(fake) + 1s);
        archive(fake, history, recordOf(task(2), 9), begin(fake) + 1s);
        archive(fake, history, recordOf(task(3), 9), begin(fake) - 1s); // of an earlier cluster
        fake.write(fake.layout.done(task(2)), recordOf(task(2), 7).encode());
        workers::MasterHistory reader(jobs::Cluster(fake[0], fake.layout), history);
        TaskOutcomes outcomes(jobs::Cluster(fake[0], fake.layout), &reader);
        QCOMPARE(toString(fake.run(outcomes.read({task(1), task(2), task(3)}))), QStringLiteral("0 7 125c"));
    }

    void manyAreAskedForInParts()
    {
        JobCluster fake;
        history::History history(fake[0].loop(), place(), history::OpenMode::Write);
        history::ArchiveBatch batch;
        batch.cluster = fake.layout.clusterName();
        std::vector<JobId> ids;
        for (int index = 0; index < 1000; ++index) {
            ids.push_back(task(index));
            batch.entries.push_back({batch.cluster, recordOf(ids.back(), index % 200), begin(fake) + 1s, {}});
        }
        fake.run(history.archive(batch));
        workers::MasterHistory reader(jobs::Cluster(fake[0], fake.layout), history);
        TaskOutcomes outcomes(jobs::Cluster(fake[0], fake.layout), &reader);
        const std::vector<std::optional<TaskOutcome>> found = fake.run(outcomes.read(ids));
        for (std::size_t i = 0; i < found.size(); ++i)
            QVERIFY(found[i] && !found[i]->cancelled && found[i]->exitCode == int(i) % 200);
    }

    void whileTheHistoryFailsNothingIsGuessed()
    {
        JobCluster fake;
        const QString file = m_directory.filePath(QStringLiteral("none/there.sqlite"));
        history::History history(fake[0].loop(), history::Location::parse(file), history::OpenMode::Write);
        fake.write(fake.layout.done(task(1)), recordOf(task(1), 3).encode());
        workers::MasterHistory reader(jobs::Cluster(fake[0], fake.layout), history);
        TaskOutcomes outcomes(jobs::Cluster(fake[0], fake.layout), &reader);
        QCOMPARE(toString(fake.run(outcomes.read({task(1), task(2)}))), QStringLiteral("3 ?"));
        QVERIFY(QDir().mkpath(m_directory.filePath(QStringLiteral("none"))));
        QCOMPARE(toString(fake.run(outcomes.read({task(1), task(2)}))), QStringLiteral("3 125c"));
    }
};

QTEST_GUILESS_MAIN(TaskOutcomesTest)
#include "task_outcomes_test.moc"
