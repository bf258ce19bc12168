#include "core/jobs/job_party.h"
#include "workers/task_ends.h"

#include <QDir>
#include <QLoggingCategory>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using jobs::JobId;
using workers::TaskEnd;
using workers::TaskEnds;

namespace {

// When the queue was made.
std::chrono::milliseconds begin(const JobParty &party)
{
    return std::chrono::milliseconds(party.node(party.layout.queue("default")).stat.ctime);
}

JobId task(int index)
{
    return {"default", 42, index};
}

FinalRecord recordOf(const JobId &id, int code)
{
    FinalRecord record = FinalRecord::of(id, JobParty::spec());
    record.code = code;
    return record;
}

QString toString(const std::vector<std::optional<TaskEnd>> &ends)
{
    QStringList texts;
    for (const std::optional<TaskEnd> &end : ends)
        texts.append(!end ? QStringLiteral("?") : QString::number(end->exitCode) + (end->cancelled ? u"c"_qs : u""_qs));
    return texts.join(u' ');
}

} // namespace

// Where the end of a task is told: final records, the history, nowhere.
class TaskEndsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;
    int m_histories = 0;

    history::Location place()
    {
        return history::Location::parse(m_directory.filePath(QStringLiteral("%1.sqlite").arg(++m_histories)));
    }

    static void archive(JobParty &party, history::History &history, const FinalRecord &record,
                        std::chrono::milliseconds endedAt)
    {
        history::Batch batch;
        batch.cluster = party.layout.cluster();
        batch.entries.push_back({batch.cluster, record, endedAt, {}});
        party.run(history.archive(batch));
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    void finalRecordsTell()
    {
        JobParty party;
        FinalRecord cancelled = recordOf(task(3), 0);
        cancelled.outcome = FinalRecord::Outcome::Cancelled;
        party.write(party.layout.done(task(1)), recordOf(task(1), 0).encode());
        party.write(party.layout.done(task(2)), recordOf(task(2), 7).encode());
        party.write(party.layout.done(task(3)), cancelled.encode());
        party.write(party.layout.done(task(4)), "nonsense");
        TaskEnds ends(party[0], party.layout, nullptr);
        QCOMPARE(toString(party.run(ends.of({task(1), task(2), task(3), task(4), task(5)}))),
                 QStringLiteral("0 7 125c 125 125c"));
    }

    void theHistoryTellsOfThoseThatWereArchived()
    {
        JobParty party;
        history::History history(party[0].loop(), place(), history::Access::Write);
        archive(party, history, recordOf(task(1), 0), begin(party) + 1s);
        archive(party, history, recordOf(task(2), 9), begin(party) + 1s);
        archive(party, history, recordOf(task(3), 9), begin(party) - 1s); // of an earlier cluster
        party.write(party.layout.done(task(2)), recordOf(task(2), 7).encode());
        workers::HistoryLine line(party[0].loop(), history);
        workers::HistoryReader reader(party[0].loop(), history, line);
        TaskEnds ends(party[0], party.layout, &reader);
        QCOMPARE(toString(party.run(ends.of({task(1), task(2), task(3)}))), QStringLiteral("0 7 125c"));
    }

    void manyAreAskedForInParts()
    {
        JobParty party;
        history::History history(party[0].loop(), place(), history::Access::Write);
        history::Batch batch;
        batch.cluster = party.layout.cluster();
        std::vector<JobId> ids;
        for (int index = 0; index < 1000; ++index) {
            ids.push_back(task(index));
            batch.entries.push_back({batch.cluster, recordOf(ids.back(), index % 200), begin(party) + 1s, {}});
        }
        party.run(history.archive(batch));
        workers::HistoryLine line(party[0].loop(), history);
        workers::HistoryReader reader(party[0].loop(), history, line);
        TaskEnds ends(party[0], party.layout, &reader);
        const std::vector<std::optional<TaskEnd>> found = party.run(ends.of(ids));
        for (std::size_t i = 0; i < found.size(); ++i)
            QVERIFY(found[i] && !found[i]->cancelled && found[i]->exitCode == int(i) % 200);
    }

    void whileTheHistoryFailsNothingIsGuessed()
    {
        JobParty party;
        const QString file = m_directory.filePath(QStringLiteral("none/there.sqlite"));
        history::History history(party[0].loop(), history::Location::parse(file), history::Access::Write);
        party.write(party.layout.done(task(1)), recordOf(task(1), 3).encode());
        workers::HistoryLine line(party[0].loop(), history);
        workers::HistoryReader reader(party[0].loop(), history, line);
        TaskEnds ends(party[0], party.layout, &reader);
        QCOMPARE(toString(party.run(ends.of({task(1), task(2)}))), QStringLiteral("3 ?"));
        QVERIFY(QDir().mkpath(m_directory.filePath(QStringLiteral("none"))));
        QCOMPARE(toString(party.run(ends.of({task(1), task(2)}))), QStringLiteral("3 125c"));
    }
};

QTEST_GUILESS_MAIN(TaskEndsTest)
#include "task_ends_test.moc"
