#include "gui/feeds/job_table.h"
#include "jobs/model/array_progress.h"
#include "jobs/model/job_spec.h"

#include <QTest>

using namespace drover;
using namespace drover::gui;
using jobs::JobState;

// What the console makes of listings and nodes, without a cluster.
class JobTableTest : public QObject
{
    Q_OBJECT

    const jobs::Layout m_layout{"test"};

    static JobRow rowOf(const JobTable &table, const jobs::JobId &id)
    {
        const JobsSnapshot snapshot = table.snapshot();
        const auto row = std::find_if(snapshot.rows.begin(), snapshot.rows.end(),
                                      [&](const JobRow &shown) { return shown.id == id; });
        return row == snapshot.rows.end() ? JobRow() : *row;
    }

    // Of the history.
    static JobRow ended(const jobs::JobId &id, qint64 since)
    {
        JobRow row;
        row.id = id;
        row.state = JobState::Failed;
        row.loaded = true;
        row.since = since;
        return row;
    }

    // As the feed does: reads what is to be read, `data` for the array's node.
    void refresh(JobTable &table, const QByteArray &data, int &reads) const
    {
        table.arrange();
        for (const JobTable::Unread &what : table.unread(m_layout, 100)) {
            zk::Node node;
            node.data = what.id.isTask() ? jobs::taskOf(data, what.id.task) : data;
            node.stat.version = 40; // of an array it counts nothing
            table.read(what, node);
            reads += !what.id.isTask();
        }
    }

private Q_SLOTS:
    void showsHowFarAnArrayIs()
    {
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        spec.array = jobs::ArrayIndices{1, 300, 1, 0};
        const jobs::JobId id{"default", 900};
        const jobs::JobId task{"default", 900, 2};
        JobTable table;
        int reads = 0;
        table.setQueue("default", {"a5-0000000900"});
        refresh(table, spec.encode(), reads);
        QCOMPARE(rowOf(table, id).state, JobState::Ready);
        QCOMPARE(rowOf(table, id).progress, u"0/300"_qs);
        QCOMPARE(rowOf(table, id).attempt, 0);

        jobs::ArrayProgress progress;
        progress.expand(3, 300);
        progress.count(0, false, 9);
        table.setQueue("default", {"a5-0000000900", "q5-0000000900.2"});
        refresh(table, progress.mergedInto(spec.encode()), reads);
        QCOMPARE(rowOf(table, id).state, JobState::Running);
        QCOMPARE(rowOf(table, id).progress, u"1/300, 1 failed"_qs);
        QCOMPARE(rowOf(table, id).attempt, 1);
        QCOMPARE(rowOf(table, task).state, JobState::Ready);
        QVERIFY(rowOf(table, task).loaded);
        refresh(table, spec.encode(), reads);
        QCOMPARE(reads, 2); // once for each change of the queue

        progress.count(1, false, 0);
        table.setQueue("default", {"a5-0000000900"});
        refresh(table, progress.mergedInto(spec.encode()), reads);
        QCOMPARE(rowOf(table, id).progress, u"2/300, 1 failed"_qs);
        QVERIFY(!rowOf(table, task).loaded);
    }

    // What came and went, and the time of the oldest ready job although the table has no room for it.
    void countsWhatCameAndLeft()
    {
        JobTable table;
        int reads = 0;
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        table.setQueues({"default"});
        table.setQueue("default", {"q5-0000000001", "q5-0000000002"});
        refresh(table, spec.encode(), reads);
        QueueDepth depth = table.depths().front();
        QCOMPARE(depth.came, 0); // they were there before
        QCOMPARE(depth.left, 0);
        table.setQueue("default", {"q5-0000000002", "q5-0000000003", "q5-0000000004"});
        refresh(table, spec.encode(), reads);
        table.setQueue("default", {"q5-0000000003", "w5-0000000004"}); // one waits again, and is the same job
        refresh(table, spec.encode(), reads);
        depth = table.depths().front();
        QCOMPARE(depth.came, 2);
        QCOMPARE(depth.left, 2);
        QCOMPARE(depth.ready, 1);
        QCOMPARE(depth.waiting, 1);

        QByteArrayList many; // urgent ones fill the table, and the oldest is the least urgent
        for (int i = 10; i < 10 + int(JobTable::MaxRows) + 50; ++i)
            many << "q1-" + QByteArray::number(i).rightJustified(10, '0');
        many << "q9-0000000005";
        table.setQueue("default", many);
        table.arrange();
        bool isRead = false;
        for (const JobTable::Unread &what : table.unread(m_layout, 10)) {
            if (what.id.number != 5)
                continue;
            isRead = true;
            zk::Node node;
            node.data = spec.encode();
            node.stat.ctime = 77'000;
            table.read(what, node);
        }
        QVERIFY(isRead);
        QCOMPARE(table.depths().front().oldestReady, 77'000);
        table.arrange();
        QCOMPARE(table.depths().front().oldestReady, 77'000); // it is not read again
        table.setQueue("default", {});
        table.arrange();
        QCOMPARE(table.depths().front().oldestReady, 0);
    }

    // The history has written them, and the master has not removed them from done/ yet.
    void whatHasNoRowOfDoneHasOneOfTheHistory()
    {
        JobTable table;
        QByteArrayList done;
        PastSnapshot past;
        for (int i = 0; i < 3000; ++i) {
            done << "default-" + QByteArray::number(i);
            past.rows.append(ended({"default", i}, i));
        }
        std::reverse(past.rows.begin(), past.rows.end());
        table.setDone(done);
        table.setPast(past);
        table.arrange();
        const JobsSnapshot shown = table.snapshot();
        QCOMPARE(shown.rows.size(), 3000);
        QSet<jobs::JobId> ids;
        for (const JobRow &row : shown.rows)
            ids.insert(row.id);
        QCOMPARE(ids.size(), 3000);
    }

    // It was deleted and created again, and the history has the jobs of both.
    void aJobOfAnEarlierClusterHidesNoneOfThisOne()
    {
        JobTable table;
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        table.setQueue("default", {"q5-0000000001"});
        PastSnapshot past;
        past.rows.append(ended({"default", 1}, 500));
        table.setPast(past);
        const auto read = [&](qint64 submitted) {
            table.setQueue("default", {});
            table.arrange();
            table.setQueue("default", {"q5-0000000001"});
            table.arrange();
            for (const JobTable::Unread &what : table.unread(m_layout, 100)) {
                zk::Node node;
                node.data = spec.encode();
                node.stat.ctime = submitted;
                table.read(what, node);
            }
            table.arrange();
        };
        read(501);
        QCOMPARE(table.snapshot().rows.size(), 1);
        QCOMPARE(rowOf(table, {"default", 1}).state, JobState::Ready);
        read(499); // the listing of the queue is older than the history
        QCOMPARE(table.snapshot().rows.last().state, JobState::Failed);
    }

    // As drover ls says of each of them.
    void countsEachJobAsWhatItIs()
    {
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        spec.array = jobs::ArrayIndices{1, 300, 1, 0};
        JobTable table;
        table.setQueue("default",
                       {"q5-0000000001", "q5-0000000002", "q5-0000000003", "w5-0000000004", "h5-0000000005",
                        "h5-0000000006", "a5-0000000007"});
        JobTable::ClaimRead waits;
        waits.claim.waits = QStringLiteral("lock db");
        table.setClaims({{{"default", 1}, {}}, {{"default", 2}, waits}});
        table.setDone({"default-0"});
        int reads = 0;
        refresh(table, spec.encode(), reads);
        const JobsSnapshot before = table.snapshot();
        QCOMPARE(before.running, 1);
        QCOMPARE(before.ready, 2); // the array
        QCOMPARE(before.waiting, 2); // the one at its worker
        QCOMPARE(before.held, 2);
        QCOMPARE(before.ended, 1);
        QCOMPARE(before.total(), 8);
        QCOMPARE(rowOf(table, {"default", 2}).state, JobState::Waiting);
        QCOMPARE(rowOf(table, {"default", 2}).note, u"waits for lock db"_qs);
        const QueueDepth depth = table.depths().front();
        QCOMPARE(depth.running, 1);
        QCOMPARE(depth.ready, 2);

        jobs::ArrayProgress progress;
        progress.expand(3, 300);
        table.setQueue("default", {"a5-0000000007"});
        refresh(table, progress.mergedInto(spec.encode()), reads);
        QCOMPARE(table.snapshot().running, 1);
        QCOMPARE(table.snapshot().ready, 0);
        QCOMPARE(table.snapshot().waiting, 0);
    }

    // Neither those that a worker has, nor those that are held, nor those that wait for other jobs.
    void saysWhatTheUnclaimedJobsWaitFor()
    {
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        JobTable table;
        table.setQueue("default",
                       {"q5-0000000001", "q5-0000000002", "q5-0000000003", "w5-0000000004", "h5-0000000005"});
        table.setClaims({{{"default", 1}, {}}});
        int reads = 0;
        refresh(table, spec.encode(), reads);
        const auto ids = [&](std::size_t limit) {
            QStringList texts;
            for (const auto &[id, entry] : table.unclaimed(limit))
                texts << id.toString();
            return texts;
        };
        QCOMPARE(ids(10), (QStringList{u"default-2"_qs, u"default-3"_qs}));
        QCOMPARE(ids(1), QStringList(u"default-2"_qs));
        const QHash<jobs::JobId, QString> reasons{{{"default", 1}, u"nothing"_qs}, {{"default", 2}, u"memory"_qs}};
        QVERIFY(table.setReasons(reasons));
        QVERIFY(!table.setReasons(reasons)); // they are no news
        QCOMPARE(rowOf(table, {"default", 1}).waits, QString()); // it was claimed meanwhile
        QCOMPARE(rowOf(table, {"default", 2}).waits, u"memory"_qs);
        QCOMPARE(rowOf(table, {"default", 3}).waits, QString());
        jobs::QueueSettings paused;
        paused.paused = true;
        table.setSettings("default", paused);
        QVERIFY(!rowOf(table, {"default", 2}).waits.contains(u"memory"_qs)); // what comes first
        QVERIFY(table.setReasons({}));
    }

    // What has not ended fits no time.
    void aSearchForATimeReadsNoUnfinishedJob()
    {
        JobTable table;
        table.setQueue("default", {"q5-0000000001", "w5-0000000002", "h5-0000000003", "a5-0000000004"});
        table.search(jobs::JobFilter{.tag = u"nightly"_qs});
        table.arrange();
        QCOMPARE(table.unsearched(m_layout, 10).size(), std::size_t(4));
        QCOMPARE(table.snapshot().searched, 0);
        for (const jobs::JobFilter &filter :
             {jobs::JobFilter{.since = std::chrono::hours(1)}, jobs::JobFilter{.until = std::chrono::hours(1)}}) {
            table.search(filter);
            table.arrange();
            QVERIFY(table.unsearched(m_layout, 10).empty());
            QCOMPARE(table.snapshot().searched, 4);
        }
    }

    // The limit of a queue is one of tasks, and not of arrays.
    void countsTheTasksOfARunningArrayAlone()
    {
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        spec.array = jobs::ArrayIndices{1, 3, 1, 0};
        jobs::ArrayProgress progress;
        progress.expand(3, 3);
        JobTable table;
        table.setQueue("default", {"a5-0000000007", "q5-0000000007.1", "q5-0000000007.2", "q5-0000000007.3"});
        table.setClaims({{{"default", 7, 1}, {}}, {{"default", 7, 2}, {}}, {{"default", 7, 3}, {}}});
        int reads = 0;
        refresh(table, progress.mergedInto(spec.encode()), reads);
        QCOMPARE(rowOf(table, {"default", 7}).state, JobState::Running);
        const QueueDepth depth = table.depths().front();
        QCOMPARE(depth.depth, 4);
        QCOMPARE(depth.running, 3);
        QCOMPARE(depth.ready, 0);
    }
};

QTEST_GUILESS_MAIN(JobTableTest)
#include "job_table_test.moc"
